"""The files of a folder on disk: found, and read without ever waiting for one or seeing half of it.

Links: a link to a file outside of the root is read where it stands, since the interpreter would import it;
one to a file inside adds nothing, because that file counts under its own name. A link to a folder inside adds
nothing either; one to a folder outside is a problem, because code in it would not be seen.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.frozen import dataclass, field
from ratchet.model import Problem
from ratchet.source.entries import (
    ENVIRONMENT_MARK,
    HIDDEN,
    OUTSIDE,
    Entry,
    Listing,
    Selection,
    Signature,
    marks_environment,
)

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A source over a folder on disk. `root` is its absolute path with links resolved."""

    root: str
    listing: Listing

    @classmethod
    def open(cls, root: Path, excludes: Iterable[str] = (), only: Iterable[str] | None = None) -> WorkTree:
        """List the Python files under `root`, or of those only the files and folders named in `only`.

        `only` holds paths relative to the root; one that is not there or is left out adds nothing. A root
        that is no folder is a JudgeError.
        """
        real = os.path.realpath(root)
        if not Path(real).is_dir():
            place = display_path(str(root))
            raise JudgeError(f"{place}: there is no such folder; say where the tree is with --root")
        walk = _Walk(real, Selection(tuple(excludes)), time.time_ns())
        walk.run([""] if only is None else sorted(set(only)))
        return cls(real, walk.listing())

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        return self.listing.entries

    def read(self, path: str) -> bytes | Problem:
        """Return the bytes of a file; one that changes meanwhile is read once more, and then is a problem."""
        full = f"{self.root}/{path}"
        try:
            data = _read_settled(full)
            if data is None:
                data = _read_settled(full)
        except _NotAFile as refusal:
            return Problem(path, 0, f"is {refusal}, not a file")
        except OSError as error:
            return Problem(path, 0, f"cannot be read: {_words(error)}")
        return Problem(path, 0, "changed while it was read; run again") if data is None else data

    def close(self) -> None:
        """Nothing runs on."""


class _NotAFile(Exception):
    pass


def signature_of(status: os.stat_result) -> Signature:
    """Return what of a file's status changes when its content does."""
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_mode)


def _read_settled(full: str) -> bytes | None:
    """Return the content, or None where the file changed under our hands."""
    _refuse_special(os.stat(full))  # noqa: PTH116 - one for each file of a tree; before opening: to open a device can already do something
    descriptor = os.open(full, _FLAGS)
    try:
        before = os.fstat(descriptor)
        _refuse_special(before)
        data = os.read(descriptor, before.st_size + 1)
        while len(data) < before.st_size and (more := os.read(descriptor, _CHUNK)):
            data += more
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    settled = signature_of(before) == signature_of(after) and len(data) == after.st_size
    return data if settled else None


def _is_environment(folder: str) -> bool:
    try:
        return marks_environment(_read_settled(f"{folder}/{ENVIRONMENT_MARK}") or b"")
    except (OSError, _NotAFile):
        return False


def _refuse_special(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _NotAFile(_kind(status.st_mode))


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "something special")


def _words(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()


@dataclass(slots=True)
class _Walk:
    """One walk; collects what becomes a Listing."""

    root: str
    selection: Selection
    taken_ns: int
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    excluded: set[str] = field(default_factory=set)

    def listing(self) -> Listing:
        return Listing.of(self.entries, self.problems, (), self.excluded, self.taken_ns)

    def run(self, starts: Iterable[str]) -> None:
        pending: list[str] = []
        for start in starts:
            if not any(_holds(folder, start) for folder in pending) and not self._left_out(start):
                self._start(start, pending)
        while pending:
            pending.extend(self._folder(pending.pop()))
        for link in self.links:
            self._follow(link)

    def _start(self, start: str, pending: list[str]) -> None:
        full = f"{self.root}/{start}" if start else self.root
        try:
            status = os.lstat(full)
        except OSError as error:
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                self._problem(start, f"cannot be read: {_words(error)}")
            return
        if stat.S_ISDIR(status.st_mode):
            pending.append(start)
        elif self.selection.takes_file(start.rpartition("/")[2]):
            self._file(start, status)

    def _left_out(self, start: str) -> bool:
        parent, _, _ = start.rpartition("/")
        hidden, exclude = self.selection.reason_against(parent)
        exclude = exclude or self.selection.exclude_of(start)
        if exclude is not None:
            self.excluded.add(exclude)
        return hidden or exclude is not None or self._in_environment(parent)

    def _in_environment(self, folder: str) -> bool:
        parts = folder.split("/") if folder else []
        return any(_is_environment("/".join((self.root, *parts[:end]))) for end in range(1, len(parts) + 1))

    def _folder(self, folder: str) -> list[str]:
        """Take the files of a folder; return the folders in it."""
        full = f"{self.root}/{folder}" if folder else self.root
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(full) as items:
                found = list(items)
        except OSError as error:
            self._problem(folder or ".", f"cannot be listed: {_words(error)}")
            return []
        if folder and any(item.name == ENVIRONMENT_MARK for item in found) and _is_environment(full):
            return []
        return [path for item in found for path in self._item(prefix, item)]

    def _item(self, prefix: str, item: os.DirEntry[str]) -> Iterator[str]:
        name = item.name
        path = prefix + name
        try:
            if item.is_dir(follow_symlinks=False):
                if not self.selection.hides_folder(name) and not self._excludes(path):
                    yield path
            elif (item.is_symlink() or self.selection.takes_file(name)) and not self._excludes(path):
                self._file(path, item.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # gone since the folder was read
        except OSError as error:
            self._problem(path, f"cannot be read: {_words(error)}")

    def _excludes(self, path: str) -> bool:
        exclude = self.selection.exclude_of(path)
        if exclude is not None:
            self.excluded.add(exclude)
        return exclude is not None

    def _file(self, path: str, status: os.stat_result) -> None:
        if stat.S_ISREG(status.st_mode):
            self.entries.append(Entry(path, signature_of(status)))
        elif stat.S_ISLNK(status.st_mode):
            self.links.append(path)
        else:
            self._problem(path, f"is {_kind(status.st_mode)}, not a file")

    def _follow(self, link: str) -> None:
        python = self.selection.takes_file(link.rpartition("/")[2])
        try:
            target = os.path.realpath(f"{self.root}/{link}", strict=True)
            status = Path(target).stat()
        except OSError as error:
            if python:
                self._problem(link, f"is a link that leads nowhere: {_words(error)}")
            return
        if stat.S_ISDIR(status.st_mode):
            self._linked_folder(link, target)
        elif python and not self._counts_itself(target):
            self._file(link, status)

    def _counts_itself(self, target: str) -> bool:
        if not _holds(self.root, target):
            return False
        path = target[len(self.root) + 1 :]
        return self.selection.takes_file(path.rpartition("/")[2]) and not self._left_out(path)

    def _linked_folder(self, link: str, target: str) -> None:
        if self.selection.hides_folder(link.rpartition("/")[2]) or _is_environment(target):
            return
        if not _holds(self.root, target):
            self._problem(link, f"is a link to a folder outside of the source root, {OUTSIDE}")
        elif self.selection.reason_against(target[len(self.root) + 1 :]) == (True, None):
            self._problem(link, HIDDEN)

    def _problem(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, 0, message))


def _holds(folder: str, path: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")
