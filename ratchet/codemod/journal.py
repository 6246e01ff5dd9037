"""The journal of an application: which files are to be replaced by what, kept until the next one.

It lies in one folder, `.git/ratchet` of the repository or the cache: `journal.json`, and beside it a folder
with the new and the old bytes of each file, named by their number in the journal. The journal is written
last, so that what it names is complete; a folder that no journal names is what a killed run left, and goes.
Files below the base, the repository, are named from there: the journal of a repository that was copied or
moved speaks of the files that it came with, and never of those that it was copied from.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ratchet.atomic import temporary_name, write_file
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass

FORMAT = 2
JOURNAL = "journal.json"
"""The name of the journal in its folder."""
State = Literal["staged", "applied"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: where it lies (links resolved; from the base where below it), and the hashes of its old and
    new bytes; None for no file.
    """

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Journal:
    """What is to be done, or was: `stage` is the folder of the bytes, inside of `folder`.

    `message` is that of the commit that ends the run; None where none was asked for.
    """

    folder: Path
    base: Path | None
    stage: str
    state: State
    entries: tuple[Entry, ...]
    message: str | None = None

    @property
    def finished(self) -> bool:
        """Whether nothing of it is left to do. A journal whose commit is made is forgotten."""
        return self.state == "applied" and self.message is None

    @property
    def places(self) -> tuple[Path, ...]:
        """Where the files lie."""
        return tuple(map(self.place, self.entries))

    @property
    def mark(self) -> str:
        """What tells the temporary files of this journal from all others, in any run that goes on with it."""
        return digest(os.fsencode(self.stage))[:12]

    def place(self, entry: Entry) -> Path:
        """Where the file of an entry lies."""
        return Path(entry.path) if self.base is None else self.base / entry.path

    def bytes_of(self, number: int, side: Literal["old", "new"]) -> bytes | None:
        """The staged bytes of an entry; None where that side has no file. Damage is a JudgeError."""
        entry = self.entries[number]
        wanted = entry.old if side == "old" else entry.new
        if wanted is None:
            return None
        place = self.folder / self.stage / f"{number}.{side}"
        try:
            data = place.read_bytes()
        except OSError as error:
            raise _damaged(place) from error
        if digest(data) != wanted:
            raise _damaged(place)
        return data


def digest(data: bytes) -> str:
    """The hash by which bytes are told apart."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def journal_folder(repository: Path | None, cache: Path | None) -> Path:
    """Return where the journal of a tree lies: with the repository's own files, else in the cache."""
    if repository is not None:
        from ratchet.source.git import git_folder

        found = git_folder(repository)
        if found is not None:
            return found / "ratchet"
    if cache is not None:
        return cache / "migrate"
    raise JudgeError("there is no repository and no cache to keep a journal in; pass --cache-dir")


def read_journal(folder: Path, base: Path | None = None) -> Journal | None:
    """Return the journal in a folder, None where there is none; JudgeError where it cannot be read."""
    try:
        text = (folder / JOURNAL).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _damaged(folder / JOURNAL) from error
    try:
        return _journal(folder, base, json.loads(text))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(folder / JOURNAL) from error


def stage(
    folder: Path,
    files: Sequence[tuple[Path, bytes | None, bytes | None]],
    base: Path | None = None,
    message: str | None = None,
) -> Journal:
    """Write the old and new bytes of files to a folder, and then the journal that names them.

    An applied journal gives way. An OSError leaves no journal, and no file outside of the folder was touched.
    """
    name = f"stage-{os.getpid()}-{os.urandom(4).hex()}"
    place = folder / name
    place.mkdir(parents=True)
    try:
        entries = []
        for number, (path, old, new) in enumerate(files):
            for side, data in (("old", old), ("new", new)):
                if data is not None:
                    _write(place / f"{number}.{side}", data)
            entries.append(Entry(_named(path, base), _digest(old), _digest(new)))
        journal = Journal(folder, base, name, "staged", tuple(entries), message)
        save(journal)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
    _sweep(folder, name)
    return journal


def save(journal: Journal) -> None:
    """Write the journal, replacing the one before as a whole."""
    value = {
        "format": FORMAT,
        "state": journal.state,
        "stage": journal.stage,
        "message": journal.message,
        "files": [{"path": entry.path, "old": entry.old, "new": entry.new} for entry in journal.entries],
    }
    # Paths that are no UTF-8 hold surrogates, which JSON escapes.
    write_file(journal.folder / JOURNAL, json.dumps(value, indent=1).encode("ascii"))


def forget(folder: Path) -> None:
    """Remove the journal, and then what it named."""
    (folder / JOURNAL).unlink(missing_ok=True)
    _sweep(folder, "")


def _named(path: Path, base: Path | None) -> str:
    return str(path.relative_to(base) if base is not None and path.is_relative_to(base) else path)


def _journal(folder: Path, base: Path | None, value: object) -> Journal:
    if (
        not isinstance(value, dict)
        or value["format"] != FORMAT
        or value["state"] not in ("staged", "applied")
    ):
        raise ValueError("not a journal")
    message = value.get("message")
    if not isinstance(message, str | None):
        raise ValueError("not a message")
    entries = tuple(Entry(item["path"], item["old"], item["new"]) for item in value["files"])
    for entry in entries:
        _refuse_odd(entry, base)
    return Journal(folder, base, Path(str(value["stage"])).name, value["state"], entries, message)


def _refuse_odd(entry: Entry, base: Path | None) -> None:
    hashes = all(isinstance(each, str | None) for each in (entry.old, entry.new))
    path = Path(entry.path)
    if not hashes or "\0" in entry.path or ".." in path.parts or not (base or path.is_absolute()):
        raise ValueError("not a file of a journal")


def _write(place: Path, data: bytes) -> None:
    with place.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sweep(folder: Path, kept: str) -> None:
    """Remove the folders that no journal names, and journals that a killed run had not put in place."""
    for place in folder.glob("stage-*"):
        if place.name != kept:
            shutil.rmtree(place, ignore_errors=True)
    for left in folder.glob(temporary_name("*", "*")):
        left.unlink(missing_ok=True)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else digest(data)


def _damaged(place: Path) -> JudgeError:
    return JudgeError(
        f"{place}: the journal of the last migration is damaged; restore the files with git,"
        f" then remove {place.parent}"
    )
