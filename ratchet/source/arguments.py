"""What the paths on a command line name in a tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ratchet.errors import UsageError
from ratchet.escape import display_path
from ratchet.frozen import dataclass, field
from ratchet.source.entries import SUFFIX
from ratchet.source.git import head_of, repository_of, tree_items


@dataclass(frozen=True, slots=True)
class Arguments:
    """Paths from the source root; the empty path is the whole tree.

    `deleted` are files that the last commit holds and the disk does not. `ignored` counts the arguments that
    are no part of the tree: outside of the root, or no Python.
    """

    paths: tuple[str, ...] = ("",)
    deleted: tuple[str, ...] = ()
    ignored: int = 0

    @property
    def whole(self) -> bool:
        """Whether they name the whole tree."""
        return "" in self.paths


def resolve_paths(arguments: Sequence[str], cwd: Path, root: Path) -> Arguments:
    """Return what paths, relative to `cwd`, name in the tree under `root`; without any, the whole of it.

    A folder stands for all that it holds, one that holds the root for the whole tree. A path that does not
    exist is a UsageError, unless the last commit has that file: hooks pass what was deleted as well.
    """
    if not arguments:
        return Arguments()
    places = _Places(os.path.realpath(root))
    paths: set[str] = set()
    missing: list[str] = []
    ignored = 0
    for argument in arguments:
        full = os.path.normpath(cwd / argument)
        if not os.path.lexists(full):
            missing.append(full)
            continue
        found = list(places.named(full))
        paths.update(found)
        ignored += not found
    deleted = _deleted(missing, cwd, places)
    ignored += len(missing) - len(deleted)
    return Arguments(tuple(sorted(paths)), tuple(sorted(deleted)), ignored)


def refuse_unnamed(given: Sequence[str], arguments: Arguments) -> None:
    """Raise UsageError where paths were given, and none of them names a part of the tree."""
    if not given or arguments.paths:
        return
    other = next((path for path in given if path.endswith((".pyi", ".ipynb"))), None)
    if other is not None:
        kind = "stub" if other.endswith(".pyi") else "notebook"
        raise UsageError(
            f"{display_path(other)} is a {kind}, and only Python modules (*.py) are rewritten: name one"
        )
    raise UsageError("none of the paths lies in the tree: name files or folders below its root")


@dataclass(slots=True)
class _Places:
    """Paths as seen from the root; remembers where the folders really are, since many files share one."""

    root: str
    folders: dict[str, str] = field(default_factory=dict)

    def named(self, full: str) -> Iterator[str]:
        """The paths that an existing one names: none outside of the root and for what is no Python."""
        if os.path.isdir(full):  # noqa: PTH112 - called for each of thousands of files
            yield from self._of_folder(os.path.realpath(full))
        elif full.endswith(SUFFIX):
            # Which of a link and its target counts, the source knows; the other one adds nothing there.
            yield from self.relative(self.placed(full))
            if os.path.islink(full):  # noqa: PTH114
                yield from self.relative(os.path.realpath(full))

    def placed(self, full: str) -> str:
        """A path with the links of its folders resolved, but not a link that it is itself."""
        folder, name = os.path.split(full)
        if folder not in self.folders:
            self.folders[folder] = os.path.realpath(folder)
        return f"{self.folders[folder]}/{name}"

    def relative(self, real: str) -> Iterator[str]:
        """A path from the root; nothing where it lies outside."""
        if real.startswith(f"{self.root}/"):
            yield real[len(self.root) + 1 :]

    def _of_folder(self, real: str) -> Iterator[str]:
        if f"{self.root}/".startswith(f"{real.rstrip('/')}/"):
            yield ""
        else:
            yield from self.relative(real)


def _deleted(missing: Sequence[str], cwd: Path, places: _Places) -> list[str]:
    """The files of the tree among paths that do not exist; all of them must be in the last commit."""
    if not missing:
        return []
    committed = _committed(cwd)
    deleted: list[str] = []
    for full in missing:
        real = places.placed(full)
        if real not in committed:
            place = display_path(os.path.relpath(full, cwd))
            raise UsageError(f"{place}: there is no such file or folder; correct the path")
        if real.endswith(SUFFIX):
            deleted += places.relative(real)
    return deleted


def _committed(cwd: Path) -> set[str]:
    repository = repository_of(cwd)
    if repository is None or head_of(repository) is None:
        return set()
    return {f"{repository}/{item.path}" for item in tree_items(repository, "HEAD")}
