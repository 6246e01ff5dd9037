"""What earlier runs found out, in one SQLite file: a help, never evidence.

A row that is missing, damaged or of another version is a miss, and whatever goes wrong here (a read-only
folder, a full disk, a file that is no database) leaves the run as it would be without a cache, with a note.
The steps are: what stat says about a file -> git's blob id of its content -> facts of that content -> ready
results.

The journal is SQLite's ordinary one, not the write-ahead log: that one needs shared memory, which network
file systems lack, and a folder that can be written even to read. Processes may share the file; one that
would have to wait too long goes on without it. A power failure may damage the file, which then is replaced.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratchet.errors import UsageError
from ratchet.source.entries import Entry, Signature

if TYPE_CHECKING:
    import sqlite3

FORMAT = 1
"""Goes up when the tables change; every format has a file of its own."""

LIMIT = 512 << 20
"""How many bytes of facts, and as many of results, are kept; what was used last stays."""

_DAY_NS = 86_400_000_000_000
_DAYS_KEPT = 30
_WAIT_SECONDS = 3.0
_CHUNK = 500  # SQLite may be built to take 999 variables at most
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS signatures(root BLOB, path BLOB, row BLOB, sum INTEGER, day INTEGER,"
    " PRIMARY KEY(root, path)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS facts(key BLOB PRIMARY KEY, text BLOB, sum INTEGER, day INTEGER)",
    "CREATE TABLE IF NOT EXISTS results(key BLOB PRIMARY KEY, text BLOB, sum INTEGER, day INTEGER)",
    f"PRAGMA user_version = {FORMAT}",
)
_PRUNE = (
    "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM (SELECT rowid, SUM(length(text))"
    " OVER (ORDER BY day DESC, rowid DESC) AS kept FROM {table}) WHERE kept > ?)"
)
_FINE_NS = 50_000_000
_COARSE_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


def default_folder() -> Path:
    """Return where the cache lies unless an option or the configuration says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "ratchet"
    except RuntimeError as error:
        raise UsageError("there is no home folder for the cache; name one with --cache-dir") from error


class Cache:
    """One open cache, for the process that opened it. `notes` says, once each, what kept it from working."""

    def __init__(self, file: Path | None, limit: int) -> None:
        self.notes: list[str] = []
        self._file = file
        self._limit = limit
        self._today = time.time_ns() // _DAY_NS
        self._used: dict[str, list[bytes]] = {"facts": [], "results": []}
        self._writable = True
        self._grown = False
        self._database: sqlite3.Connection | None = None
        if file:
            self._connect(file)

    @classmethod
    def open(cls, folder: Path | None, limit: int = LIMIT) -> Cache:
        """Return the cache that lies in `folder`; with None, one that remembers nothing. Never fails."""
        return cls(folder / f"cache-{FORMAT}.sqlite3" if folder else None, limit)

    def known_blobs(self, root: str, entries: Sequence[Entry]) -> dict[str, str]:
        """Return, for the entries whose signature is the one on record, their blob ids by path."""
        place = _bytes(root)
        if len(entries) > _CHUNK:
            query, values = "", [place]
        else:
            query, values = f" AND path IN ({_marks(entries)})", [place, *(_bytes(e.path) for e in entries)]
        rows = self._read(f"SELECT path, row, sum FROM signatures WHERE root = ?{query}", values)
        recorded = {path: (row, seal) for path, row, seal in rows}
        seed = zlib.crc32(place)
        known = {}
        for entry in entries:
            path = _bytes(entry.path)
            row, seal = recorded.get(path, (None, 0))
            if not isinstance(row, bytes) or entry.signature is None:
                continue
            status = _status(entry.signature)
            if row.startswith(status) and seal == _seal(path, row, seed):
                known[entry.path] = row[len(status) :].decode("ascii")
        return known

    def remember_blobs(self, root: str, blobs: Iterable[tuple[Entry, str]], taken_ns: int) -> None:
        """Record the blob ids of files of a work tree that was listed at `taken_ns`.

        As in git's index, a file that changed about when it was listed is left out: it could change again
        without its times showing it.
        """
        place = _bytes(root)
        seed = zlib.crc32(place)
        rows = []
        for entry, blob in blobs:
            if entry.signature and _settled(entry.signature, taken_ns):
                path, row = _bytes(entry.path), _status(entry.signature) + blob.encode("ascii")
                rows.append((place, path, row, _seal(path, row, seed), self._today))
        self._write("INSERT OR REPLACE INTO signatures VALUES (?, ?, ?, ?, ?)", rows)

    def get_facts(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the texts on record, by key. A key must name everything that its facts depend on."""
        found: dict[str, str] = {}
        for chunk in _chunks(list(keys)):
            found.update(self._texts("facts", chunk))
        return found

    def put_facts(self, texts: Mapping[str, str]) -> None:
        """Record the facts of files, in one transaction."""
        self._put("facts", texts)

    def get_result(self, key: str) -> str | None:
        """Return the text of a result, or None."""
        return self._texts("results", [key]).get(key)

    def put_result(self, key: str, text: str) -> None:
        """Record a result."""
        self._put("results", {key: text})

    def close(self) -> None:
        """Mark what this run used, throw out the oldest where there is too much, and let go of the file."""
        for table, keys in self._used.items():
            self._write(f"UPDATE {table} SET day = {self._today} WHERE key = ?", [(key,) for key in keys])
        if self._grown:
            for table in self._used:
                self._prune(table)
            self._write("DELETE FROM signatures WHERE day < ?", [(self._today - _DAYS_KEPT,)])
        self._disconnect()

    def _prune(self, table: str) -> None:
        held = self._read(f"SELECT SUM(length(text)) FROM {table}", [])
        if held and (held[0][0] or 0) > self._limit:
            self._write(_PRUNE.format(table=table), [(self._limit,)])

    def _texts(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        query = f"SELECT key, text, sum, day FROM {table} WHERE key IN ({_marks(keys)})"
        found = {}
        for key, text, seal, day in self._read(query, [_bytes(key) for key in keys]):
            if isinstance(text, bytes) and seal == _seal(key, text):
                found[key.decode("utf-8", "surrogateescape")] = text.decode("utf-8", "surrogateescape")
                if day != self._today:
                    self._used[table].append(key)
        return found

    def _put(self, table: str, texts: Mapping[str, str]) -> None:
        pairs = [(_bytes(key), _bytes(text)) for key, text in texts.items()]
        rows = [(key, text, _seal(key, text), self._today) for key, text in pairs]
        self._write(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?)", rows)

    def _connect(self, file: Path) -> None:
        import sqlite3

        try:
            _make_folder(file.parent)
        except OSError as error:
            self._note(f"cannot be used: {(error.strerror or 'error').lower()}")
            return

        def prepare() -> None:
            self._database = sqlite3.connect(file, timeout=_WAIT_SECONDS, isolation_level=None)
            self._database.text_factory = bytes
            _prepare(self._database)

        self._guard(prepare, self._disconnect)

    def _disconnect(self) -> None:
        database, self._database = self._database, None
        if database:
            database.close()

    def _read(self, query: str, values: Sequence[object]) -> list[Any]:
        rows: list[Any] = []
        database = self._database
        if database:
            self._guard(lambda: rows.extend(database.execute(query, values)), self._disconnect)
        return rows

    def _write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        database = self._database
        if not (database and rows and self._writable):
            return

        def write() -> None:
            database.execute("BEGIN IMMEDIATE")
            try:
                database.executemany(statement, rows)
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise

        self._grown = True
        self._guard(write, self._only_read)

    def _only_read(self) -> None:
        self._writable = False

    def _guard(self, action: Callable[[], None], give_up: Callable[[], None]) -> None:
        """Run a step on the database; where that fails, note it, and throw away a file that is damaged."""
        import sqlite3

        try:
            action()
        except sqlite3.Error as error:
            # What comes from outside (locked, read-only, full) is an OperationalError; so is a missing table.
            if isinstance(error, sqlite3.OperationalError) and "no such" not in str(error):
                self._note(f"is used no further: {error}")
                give_up()
            else:
                self._note(f"was damaged and starts anew: {error}")
                self._disconnect()
                self._discard()

    def _discard(self) -> None:
        for suffix in ("", "-journal"):
            try:
                Path(f"{self._file}{suffix}").unlink(missing_ok=True)
            except OSError:
                return

    def _note(self, what: str) -> None:
        note = f"the cache {self._file} {what}; the verdict is the same without it"
        if note not in self.notes:
            self.notes.append(note)


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA synchronous = OFF")
    if database.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
        database.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            database.execute(statement)
        database.execute("COMMIT")


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text(
            "*\n", encoding="ascii"
        )  # wherever it lies, it is not to be committed


def _settled(signature: Signature, taken_ns: int) -> bool:
    """Whether a later change must show in the times, even where the file system keeps whole seconds only."""
    return all(
        stamp + (_FINE_NS if stamp % _SECOND_NS else _COARSE_NS) < taken_ns for stamp in signature[1:3]
    )


def _status(signature: Signature) -> bytes:
    return b"%d %d %d %d %d " % signature


def _seal(key: bytes, text: bytes, seed: int = 0) -> int:
    """The checksum of a row; it covers the key, so that a text under a wrong key is a miss as well."""
    return zlib.crc32(text, zlib.crc32(key, seed))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))


def _chunks(keys: list[str]) -> Iterator[list[str]]:
    return (keys[start : start + _CHUNK] for start in range(0, len(keys), _CHUNK))
