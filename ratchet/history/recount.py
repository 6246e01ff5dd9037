"""Counts the trees of one commit after the other by today's rules; what that costs is what changed.

Files are read from git's objects and known to the cache by their contents. A commit costs its changed files,
and those that what they export matters to; one that changes the schema or the engine's version costs a scan
of the whole tree. The last commit is counted both ways, and where these differ (files that hand each other a
name in a circle may keep it), every tree is scanned whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass, replace
from ratchet.history.counted import CountedTree, Sites
from ratchet.session import Session
from ratchet.source.log import Commit, Logged
from ratchet.source.objects import GitFiles, git_tree


@dataclass(frozen=True, slots=True)
class Counted:
    """The sites in the tree of a commit; `fault` says why none could be counted.

    `unjudged` is how many of its files could not be judged.
    """

    commit: Commit
    sites: Sites
    unjudged: int = 0
    fault: str = ""


def recount(
    session: Session,
    repository: Path,
    base: Commit,
    later: Sequence[Logged],
    *,
    whole: bool = False,
    asked: Collection[str] | None = None,
) -> tuple[Counted, ...]:
    """The sites in the trees of `base` and of the commits after it that changed files, oldest first.

    `later` are these commits, oldest first, each with what it changed since the one before. With `whole`,
    every tree is scanned whole. Of rules about the whole tree, only those of the `asked` ids are counted.
    """
    counter = _Recounter(session, repository, asked)
    try:
        counted = [counter.count_whole(base)]
        counted += [counter.count_whole(each.commit) if whole else counter.count_next(each) for each in later]
        if counter.steps:
            check = counter.count_whole(counted[-1].commit)
            if check != counted[-1]:
                return recount(session, repository, base, later, whole=True, asked=asked)
    finally:
        counter.close()
    return tuple(counted)


class _Recounter:
    """Goes from one commit to the next. `steps` is how often the files of a commit alone were enough."""

    def __init__(self, session: Session, repository: Path, asked: Collection[str] | None) -> None:
        self._asked = asked
        self._session = replace(session, progress=None)
        self._repository = repository
        self._source: GitFiles | None = None
        self._tree: CountedTree | None = None
        self.steps = 0

    def count_next(self, logged: Logged) -> Counted:
        changed = [(each.path, each.modes, each.blob) for each in logged.changed]
        source = self._source.after(changed) if self._source else None
        if source is None or self._tree is None or not self._tree.step(source):
            return self.count_whole(logged.commit)
        self._source = source
        self.steps += 1
        return Counted(logged.commit, self._tree.sites, self._tree.unjudged)

    def count_whole(self, commit: Commit) -> Counted:
        place = self._session.place
        self.close()
        self._source = source = git_tree(self._repository, commit.id, place.prefix, place.excludes)
        if not source.entries():
            return Counted(commit, {}, fault="its tree holds no Python file")
        try:
            tree = self._session.tree(source, f"@{commit.id}")
            self._tree = CountedTree(self._session, tree, self._asked)
        except JudgeError as error:
            return Counted(commit, {}, fault=str(error))
        return Counted(commit, self._tree.sites, self._tree.unjudged)

    def close(self) -> None:
        """End the process that reads objects."""
        if self._source is not None:
            self._source.close()
        self._source = self._tree = None
