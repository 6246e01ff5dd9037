"""The files of a commit and of git's index, read without a checkout.

The same files are listed as in a work tree, so that the two can be compared. A link is, to git, a file that
holds a path; it is followed inside of the repository, since git holds nothing else.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ratchet.errors import JudgeError
from ratchet.escape import display_path
from ratchet.frozen import dataclass, field, replace
from ratchet.model import Problem
from ratchet.source import git
from ratchet.source.entries import (
    ENVIRONMENT_MARK,
    HIDDEN,
    OUTSIDE,
    Entry,
    Listing,
    Selection,
    marks_environment,
)

if TYPE_CHECKING:
    import subprocess

_HOPS = 40  # as many links in a row as a kernel follows


class BlobReader:
    """Reads contents by blob id through one process of git, which starts with the first read.

    It belongs to the process that uses it: a copy in a forked or another process starts its own.
    """

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def __reduce__(self) -> tuple[type[BlobReader], tuple[Path]]:
        return (BlobReader, (self.repo,))

    def read(self, blob: str) -> bytes | None:
        """Return the content of a blob, None where the repository lacks it."""
        requests, answers = self._pipes()
        try:
            requests.write(blob.encode("ascii") + b"\n")
            requests.flush()
            header = answers.readline().split()
            if header[1:] == [b"missing"]:
                return None
            size = int(header[2])
            data = answers.read(size + 1)
        except (OSError, IndexError, ValueError) as error:
            self.close()
            raise self._stopped() from error
        if len(data) != size + 1:
            self.close()
            raise self._stopped()
        return data[:-1]

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process and self._owner == os.getpid():
            for pipe in (process.stdin, process.stdout):
                with suppress(BrokenPipeError):
                    if pipe:
                        pipe.close()
            process.wait()

    def _stopped(self) -> JudgeError:
        place = display_path(str(self.repo))
        return JudgeError(f"git stopped while objects of {place} were read; run `git fsck` there")

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None or self._owner != os.getpid():
            self._process = git.start_reader(self.repo)
            self._owner = os.getpid()
        if not (self._process.stdin and self._process.stdout):
            raise JudgeError("git was started without pipes")
        return self._process.stdin, self._process.stdout


@dataclass(frozen=True, slots=True)
class GitFiles:
    """A source over git objects. `prefix` is the source root's place in the repository.

    `plain` says that there are files only: no link, no submodule, no virtual environment.
    """

    repo: Path
    prefix: str
    listing: Listing
    _blobs: Mapping[str, str] = field(repr=False)
    _reader: BlobReader = field(repr=False, compare=False)
    _selection: Selection = field(repr=False, compare=False)
    plain: bool = False

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path, each with its blob id."""
        return self.listing.entries

    def read(self, path: str) -> bytes | Problem:
        """Return the bytes of a file as git stores them."""
        blob = self._blobs.get(path)
        if blob is None:
            return Problem(path, 0, "cannot be read: git holds no such file here")
        data = self._reader.read(blob)
        if data is None:
            return Problem(path, 0, f"cannot be read: its content {blob} is missing from the repository")
        return data

    def after(self, changed: Iterable[tuple[str, tuple[str, str], str | None]]) -> GitFiles | None:
        """Return the source after a commit changed files: path from the repository's top, modes before and
        now, blob now or None. It shares the process that reads.

        None where these do not tell, so that the tree has to be listed again: with links, submodules, virtual
        environments.
        """
        if not self.plain:
            return None
        blobs = dict(self._blobs)
        start = len(self.prefix) + 1 if self.prefix else 0
        for path, modes, blob in changed:
            name = path.rpartition("/")[2]
            if name == ENVIRONMENT_MARK or {git.LINK, git.SUBMODULE} & {*modes}:
                return None
            inside = path[start:]
            folder = inside.rpartition("/")[0]
            if not self._selection.takes_file(name) or self._selection.exclude_of(inside):
                continue
            if not self._selection.reason_against(folder)[0]:
                blobs.pop(inside, None)
                blobs |= {inside: blob} if blob else {}
        listing = Listing.of((Entry(path, None, blob) for path, blob in blobs.items()), self.listing.problems)
        return replace(self, listing=replace(listing, notes=self.listing.notes), _blobs=blobs)

    @property
    def blobs(self) -> Mapping[str, str]:
        """The id of each file's content."""
        return self._blobs

    def close(self) -> None:
        """End the process that reads contents."""
        self._reader.close()


def git_tree(repo: Path, rev: str, prefix: str = "", excludes: Iterable[str] = ()) -> GitFiles:
    """Return the source of the files below `prefix` in a commit; a missing one is a JudgeError."""
    commit = git.require_commit(repo, rev)
    return _collect(repo, prefix, excludes, lambda below: git.tree_items(repo, commit, below))


def git_index(repo: Path, prefix: str = "", excludes: Iterable[str] = ()) -> GitFiles:
    """Return the source of the files below `prefix` as they are staged; what is unmerged is a problem."""
    return _collect(repo, prefix, excludes, lambda below: git.index_items(repo, below))


ListItems = Callable[[str], list[git.Item]]


def _collect(repo: Path, prefix: str, excludes: Iterable[str], list_items: ListItems) -> GitFiles:
    reader = BlobReader(repo)
    start = len(prefix) + 1 if prefix else 0
    items = [(item.path[start:], item) for item in list_items(prefix)]
    try:
        environments = _environments(items, reader)
        collection = _Collection(prefix, Selection(tuple(excludes)), reader, list_items, dict(environments))
        for path, item in items:
            collection.add(path, item)
        collection.follow_links()
    finally:
        reader.close()
    plain = not (collection.links or environments or collection.notes)
    return GitFiles(repo, prefix, collection.listing(), collection.blobs, reader, collection.selection, plain)


def _environments(items: Iterable[tuple[str, git.Item]], reader: BlobReader) -> dict[str, bool]:
    marks = [(path, item) for path, item in items if path.endswith(f"/{ENVIRONMENT_MARK}")]
    found = (path for path, item in marks if marks_environment(reader.read(item.blob) or b""))
    return {path.rpartition("/")[0]: True for path in found}


@dataclass(slots=True)
class _Collection:
    """Sorts what git lists into files, problems and notes; `left_out` remembers the answer a folder."""

    prefix: str
    selection: Selection
    reader: BlobReader
    list_items: ListItems
    left_out: dict[str, bool]
    blobs: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, git.Item]] = field(default_factory=list)
    problems: dict[str, Problem] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    excluded: set[str] = field(default_factory=set)

    def listing(self) -> Listing:
        entries = (Entry(path, None, blob) for path, blob in self.blobs.items())
        return Listing.of(entries, self.problems.values(), self.notes, self.excluded)

    def add(self, path: str, item: git.Item) -> None:
        python = self.selection.takes_file(path.rpartition("/")[2])
        if not (python or item.mode in (git.LINK, git.SUBMODULE)) or self._leaves_out(path):
            return
        if item.mode == git.SUBMODULE:
            self.notes.append(f"{display_path(path)} is a submodule, whose files are not read here")
        elif item.stage:
            self._problem(path, "is not merged: resolve it and `git add` it")
        elif item.mode == git.LINK:
            self.links.append((path, item))
        else:
            self.blobs[path] = item.blob

    def follow_links(self) -> None:
        if not self.links:
            return
        everything = {item.path: item for item in self.list_items("")}
        for path, item in self.links:
            self._follow(path, item, everything)

    def _follow(self, path: str, item: git.Item, everything: Mapping[str, git.Item]) -> None:
        target: git.Item | None = item
        place = item.path
        for _ in range(_HOPS):
            if target is None or target.mode != git.LINK:
                break
            to = (self.reader.read(target.blob) or b"").decode("utf-8", "surrogateescape")
            place = posixpath.normpath(posixpath.join(posixpath.dirname(place), to))
            target = everything.get(place)
        inside = _relative(place, self.prefix)
        folder = place == "." or (
            target is None and any(known.startswith(f"{place}/") for known in everything)
        )
        python = self.selection.takes_file(path.rpartition("/")[2])
        if folder and inside is None:
            self._problem(path, f"is a link to a folder outside of the source root, {OUTSIDE}")
        elif folder and self.selection.reason_against(inside or "") == (True, None):
            self._problem(path, HIDDEN)
        elif place.startswith(("/", "../")) and path.rpartition("/")[2].isidentifier():
            # Git does not say whether a folder is there, but code could import one of that name.
            self._problem(path, f"is a link out of the repository, {OUTSIDE}")
        elif python and not folder and (target is None or target.mode == git.LINK):
            self._problem(path, "is a link that leads nowhere in the repository")
        elif python and target and inside not in self.blobs:
            self.blobs[path] = target.blob

    def _leaves_out(self, path: str) -> bool:
        exclude = self.selection.exclude_of(path)
        if exclude is not None:
            self.excluded.add(exclude)
        return exclude is not None or self._hides(path.rpartition("/")[0])

    def _hides(self, folder: str) -> bool:
        """Whether a folder is left out, for itself or with one that holds it."""
        if not folder:
            return False
        known = self.left_out.get(folder)
        if known is None:
            name = folder.rpartition("/")[2]
            known = self.left_out[folder] = self.selection.hides_folder(name) or self._leaves_out(folder)
        return known

    def _problem(self, path: str, message: str) -> None:
        self.problems[path] = Problem(path, 0, message)


def _relative(place: str, prefix: str) -> str | None:
    """A repository's path from the source root, None outside of it."""
    if not prefix:
        return None if place.startswith(("../", "/")) else place
    return place[len(prefix) + 1 :] if place.startswith(f"{prefix}/") else None
