"""What every source of files has in common: its entries, and what it leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from ratchet.frozen import dataclass, field
from ratchet.model import Problem

Signature = tuple[int, int, int, int, int]
"""What stat says about a file: size, mtime and ctime in nanoseconds, inode, mode."""

SUFFIX = ".py"
CACHES = "__pycache__"
ENVIRONMENT_MARK = "pyvenv.cfg"
"""The file that makes a folder a virtual environment, where it says `home`, as the interpreter wants it."""

HIDDEN = "is a link to a hidden folder, which is not read: exclude it with a reason"
OUTSIDE = "which is not read: exclude it with a reason, or make that folder a tree of the configuration"


_HOME = re.compile(rb"^[ \t]*home[ \t]*=", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A Python file that a source lists; `path` is relative to the source root, with forward slashes.

    `signature` is what stat said when a work tree listed it; `blob` is git's id of its content where that is
    known without reading.
    """

    path: str
    signature: Signature | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """What a source holds.

    `entries` are sorted by path. `problems` are files and folders that are there and could not be listed as
    entries. `notes` inform. `excluded` are the excludes that left something out. `taken_ns` is the time
    before the first file was looked at.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()
    taken_ns: int = 0

    @classmethod
    def of(
        cls,
        entries: Iterable[Entry],
        problems: Iterable[Problem] = (),
        notes: Iterable[str] = (),
        excluded: Iterable[str] = (),
        taken_ns: int = 0,
    ) -> Listing:
        """Return a listing in order, whatever order its parts come in."""
        return cls(
            tuple(sorted(entries, key=lambda entry: entry.path)),
            tuple(sorted(problems, key=lambda problem: (problem.path, problem.line, problem.message))),
            tuple(sorted(notes)),
            frozenset(excluded),
            taken_ns,
        )


class Source(Protocol):
    """Where Python files come from: a work tree, a commit, git's index, or one of these with changes on top.

    Every file that is there is either an entry or a problem, so that what cannot be listed is never taken for
    absent. `close` ends what a source keeps running; a source may be read again after it.
    """

    @property
    def listing(self) -> Listing:
        """Everything that was found when the source was opened."""
        ...

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        ...

    def read(self, path: str) -> bytes | Problem:
        """The bytes of a file, or why they cannot be had. `path` needs not be an entry."""
        ...

    def close(self) -> None:
        """End the processes that the source started."""
        ...


@dataclass(frozen=True, slots=True)
class Selection:
    """Decides by their paths which folders and files a source leaves out.

    Hidden folders and `__pycache__` are left out, and what `excludes` name: a path, a folder with all that it
    holds, or a glob, relative to the source root. `*` and `?` stay inside of one path segment, `**` crosses
    them.
    """

    excludes: tuple[str, ...] = ()
    _regex: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        patterns = "|".join(f"({glob_regex(exclude)})" for exclude in self.excludes)
        object.__setattr__(self, "_regex", re.compile(patterns) if patterns else None)

    def hides_folder(self, name: str) -> bool:
        """Return whether a folder of that name is never looked into."""
        return name.startswith(".") or name == CACHES

    def takes_file(self, name: str) -> bool:
        """Return whether a file of that name is Python; an editor's lock (`.#name.py`) is not."""
        return name.endswith(SUFFIX) and not name.startswith(".#")

    def exclude_of(self, path: str) -> str | None:
        """Return the exclude that names exactly this file or folder, or None."""
        found = self._regex.fullmatch(path) if self._regex else None
        return self.excludes[found.lastindex - 1] if found and found.lastindex else None

    def reason_against(self, folder: str) -> tuple[bool, str | None]:
        """Return whether a folder or one that holds it is left out, and the exclude where it was one."""
        parts = folder.split("/") if folder else []
        for end, name in enumerate(parts, 1):
            exclude = self.exclude_of("/".join(parts[:end]))
            if exclude is not None or self.hides_folder(name):
                return True, exclude
        return False, None


def marks_environment(data: bytes) -> bool:
    """Whether the content of an ENVIRONMENT_MARK is that of a virtual environment."""
    return _HOME.search(data) is not None


def glob_regex(glob: str) -> str:
    """Return the regular expression, without groups, that a path named by `glob` matches as a whole."""
    tokens = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./").rstrip("/"))
    known = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "(?s:" + "".join(known.get(token) or re.escape(token) for token in tokens) + ")"
