"""The baselines of every commit, out of git's objects, under whatever name their folder had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from ratchet.baseline.format import parse
from ratchet.baseline.store import SUFFIX
from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.frozen import dataclass
from ratchet.model import Baseline
from ratchet.source import git
from ratchet.source.log import Commit, Logged, log
from ratchet.source.objects import BlobReader

Committed = Baseline | str
"""A baseline, or why it cannot be read."""


@dataclass(frozen=True, slots=True)
class Record:
    """The baselines in the tree of a commit that changed some, by the names of their files."""

    commit: Commit
    baselines: Mapping[str, Committed]


def records(repo: Path, rev: str, folder: str) -> tuple[Record, ...]:
    """The commits that changed baselines in `folder` (from the repository's top), oldest first.

    Where a commit brought the files into the folder under a new name, the history goes on under the old one.
    """
    found: list[Record] = []
    reader = BlobReader(repo)
    parsed: dict[str, Committed] = {}
    try:
        for place, commits in reversed(list(_segments(repo, rev, folder))):
            files: dict[str, str] = {}
            for logged in reversed(commits):
                if _apply(files, logged, place):
                    baselines = {
                        name: _read(reader, parsed, blob, name, place) for name, blob in files.items()
                    }
                    found.append(Record(logged.commit, baselines))
    finally:
        reader.close()
    return tuple(found)


def _segments(repo: Path, rev: str, folder: str) -> Iterator[tuple[str, tuple[Logged, ...]]]:
    """The commits of each name that the folder had, newest first."""
    start: str | None = rev
    place: str | None = folder
    while start is not None and place is not None:
        commits = log(repo, start, [place] if place else [])
        yield place, commits
        start = commits[-1].parents[0] if commits and commits[-1].parents else None
        place = _former(repo, start, commits[-1].commit.id, place) if start else None


def _former(repo: Path, parent: str, commit: str, folder: str) -> str | None:
    """The folder that a commit took most baselines of `folder` from, None where it made them."""
    places = Counter(
        old.rpartition("/")[0]
        for new, old in git.renames(repo, parent, commit).items()
        if _name_in(new, folder) is not None and old.endswith(SUFFIX)
    )
    places.pop(folder, None)
    return min(places, key=lambda place: (-places[place], place)) if places else None


def _apply(files: dict[str, str], logged: Logged, folder: str) -> bool:
    """Do to the files of a folder what a commit did; says whether that was anything."""
    changed = False
    for each in logged.changed:
        name = _name_in(each.path, folder)
        if name is None:
            continue
        changed = True
        files.pop(name, None)
        if each.blob is not None and each.modes[1] not in (git.LINK, git.SUBMODULE):
            files[name] = each.blob
    return changed


def _name_in(path: str, folder: str) -> str | None:
    """The name of a baseline that lies right in the folder."""
    place, _, name = path.rpartition("/")
    return name.removesuffix(SUFFIX) if place == folder and name.endswith(SUFFIX) else None


def _read(reader: BlobReader, parsed: dict[str, Committed], blob: str, name: str, folder: str) -> Committed:
    """A baseline by its blob; each is parsed once."""
    key = f"{blob} {name}"
    if key not in parsed:
        where = display_path(f"{folder}/{name}{SUFFIX}".lstrip("/"))
        data = reader.read(blob)
        try:
            parsed[key] = parse(data, name, where) if data is not None else f"git lacks {where} ({blob[:12]})"
        except JudgeError as error:
            # What to do about it is said of files of today; this one is history.
            parsed[key] = ": ".join(str(error).split(": ")[:2])
    return parsed[key]
