"""The files of a run: found, read, judged one by one."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ratchet.codemod.model import Rewritten
from ratchet.codemod.style import line_length
from ratchet.config import Config
from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.source.entries import Selection
from ratchet.source.text import Prefilter
from ratchet.source.worktree import WorkTree
from ratchet.surface.extraction import parents_of
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.fate import Judge
from ratchet.upgrade.model import Finding, Upgrade
from ratchet.upgrade.records import Records
from ratchet.upgrade.rewrite import Rewriter


@dataclass(frozen=True, slots=True)
class File:
    """A file of the run: how it is shown, and where it lies."""

    shown: str
    place: Path


def find_files(
    paths: Sequence[str], cwd: Path, excludes: Iterable[str] = (), config: Config | None = None
) -> tuple[list[File], list[Problem]]:
    """The Python files that some paths name, sorted, and what could not be listed.

    A path that does not exist is a UsageError; hidden folders, environments and what a configuration excludes
    are left out.
    """
    files: dict[str, File] = {}
    problems: list[Problem] = []
    for given in paths or (".",):
        place = Path(os.path.normpath(cwd / given))
        if place.is_file():
            files[str(place)] = File(_shown(place, cwd), place)
        elif place.is_dir():
            listing = WorkTree.open(place, excludes).listing
            for entry in listing.entries:
                found = place / entry.path
                files[str(found)] = File(_shown(found, cwd), found)
            problems += [
                Problem(_shown(place / each.path, cwd), each.line, each.message) for each in listing.problems
            ]
        else:
            raise UsageError(f"{given}: there is no such file or folder; correct the path")
    left_out = _left_out(config) if config is not None else None
    return [files[name] for name in sorted(files) if not (left_out and left_out(files[name]))], problems


def _left_out(config: Config) -> Callable[[File], bool]:
    """Whether a tree of the configuration excludes a file; paths count from the tree's root."""
    trees = [
        (
            Path(os.path.normpath(config.folder / (tree.root or "."))),
            Selection(tuple(item.path for item in tree.exclude)),
        )
        for tree in config.trees
        if tree.exclude
    ]

    def excluded(file: File) -> bool:
        return any(
            selection.reason_against(file.place.relative_to(root).as_posix())[1] is not None
            for root, selection in trees
            if file.place.is_relative_to(root)
        )

    return excluded


@dataclass(frozen=True, slots=True)
class Run:
    """What a run found, and the files as `--write` makes them, each with its place."""

    found: Upgrade
    rewritten: tuple[tuple[Path, Rewritten], ...]


def run(
    judge: Judge,
    files: Sequence[File],
    problems: Iterable[Problem],
    read: Callable[[File], bytes | Problem],
    both: bool = False,
    advance: Callable[[], object] = bool,
) -> Run:
    """Judge files; those whose bytes hold no tracked name are not parsed. `advance` is told of each file."""
    records = Records(judge)
    package = judge.pack.package
    prefilter = Prefilter.of([f"{package}.", f"{package} ", *records.tracked.words, *records.tracked.stems])
    rewriter = Rewriter(judge, records, _own(files, package), Importers(files, read).imported, both)
    findings: list[Finding] = []
    failed = list(problems)
    rewritten: list[tuple[Path, Rewritten]] = []
    analysed = 0
    for file in files:
        advance()
        data = read(file)
        if isinstance(data, bytes) and not prefilter.hits(data):
            continue
        document = data if isinstance(data, Problem) else read_document(file.shown, data)
        if isinstance(document, Problem) or isinstance(data, Problem):
            failed += [one for one in (document,) if isinstance(one, Problem)]
            continue
        analysed += 1
        settled = rewriter.settle(document, data, line_length(file.place.parent))
        findings += settled.findings
        failed += [settled.problem] if settled.problem is not None else []
        rewritten += [(file.place, settled.rewritten)] if settled.rewritten is not None else []
    upgrade = Upgrade(
        judge.old.engine, judge.new.engine, tuple(findings),
        tuple(sorted(failed, key=lambda each: (each.path, each.line))), len(files), analysed,
    )  # fmt: skip
    return Run(upgrade, tuple(rewritten))


class Importers:
    """Which names the files of a run import from each other; read only where that is asked."""

    def __init__(self, files: Sequence[File], read: Callable[[File], bytes | Problem]) -> None:
        self._files = files
        self._read = read
        self._known: dict[str, set[tuple[str, str]]] = {}

    def imported(self, path: str, module: str, name: str) -> bool:
        """Whether a file other than the one at `path` imports a name of a module, as far as can be seen."""
        if name not in self._known:
            self._known[name] = set(self._importing(name))
        last = module.rpartition(".")[2]
        return any(shown != path and origin in ("", last) for shown, origin in self._known[name])

    def _importing(self, name: str) -> Iterator[tuple[str, str]]:
        """The files that import a name, with the last part of the module that they have it from."""
        for file in self._files:
            data = self._read(file)
            if isinstance(data, bytes) and (name.encode() in data or b"import *" in data):
                document = read_document(file.shown, data)
                for node in ast.walk(document.tree) if isinstance(document, Document) else ():
                    names = [alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
                    if name in names or "*" in names:
                        yield file.shown, (getattr(node, "module", "") or "").rpartition(".")[2]


def _shown(place: Path, cwd: Path) -> str:
    return place.relative_to(cwd).as_posix() if place.is_relative_to(cwd) else place.as_posix()


def _own(files: Iterable[File], package: str) -> Callable[[str], bool]:
    """Tells names of modules that the code brings itself, under the engine's package: a fork does."""
    modules = set(_modules(files, package))
    packages = {parent for name in modules for parent in parents_of(name)}

    def is_own(dotted: str) -> bool:
        parts = dotted.split(".")
        return dotted in packages or any(
            ".".join(parts[:count]) in modules for count in range(len(parts), 1, -1)
        )

    return is_own


def _modules(files: Iterable[File], package: str) -> Iterator[str]:
    for file in files:
        parts = file.place.with_suffix("").parts
        if package in parts:
            at = len(parts) - 1 - parts[::-1].index(package)
            if (Path(*parts[: at + 1]) / "__init__.py").is_file():
                yield ".".join(parts[at:]).removesuffix(".__init__")


def read_file(file: File) -> bytes | Problem:
    """The bytes of a file, or why they cannot be had."""
    try:
        return (
            file.place.read_bytes() if file.place.is_file() else Problem(file.shown, 0, "is no regular file")
        )
    except OSError as error:
        return Problem(file.shown, 0, f"cannot be read: {(error.strerror or 'error').lower()}")
