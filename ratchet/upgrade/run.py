"""The files of a run: found, read, judged one by one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.source.text import Prefilter
from ratchet.source.worktree import WorkTree
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.judge import Judge
from ratchet.upgrade.model import Finding, Upgrade
from ratchet.upgrade.records import Records
from ratchet.upgrade.uses import Uses


@dataclass(frozen=True, slots=True)
class File:
    """A file of the run: how it is shown, and where it lies."""

    shown: str
    place: Path


def find_files(
    paths: Sequence[str], cwd: Path, excludes: Iterable[str] = ()
) -> tuple[list[File], list[Problem]]:
    """The Python files that some paths name, sorted, and what could not be listed.

    A path that does not exist is a UsageError; hidden folders and environments are left out.
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
    return [files[name] for name in sorted(files)], problems


def run(
    judge: Judge, files: Sequence[File], problems: Iterable[Problem], read: Callable[[File], bytes | Problem]
) -> Upgrade:
    """Judge files; those whose bytes hold no tracked name are not parsed."""
    records = Records(judge)
    package = judge.pack.package
    prefilter = Prefilter.of([f"{package}.", f"{package} ", *records.tracked.words, *records.tracked.stems])
    own = _own(files, package)
    findings: list[Finding] = []
    failed = list(problems)
    analysed = 0
    for file in files:
        data = read(file)
        if isinstance(data, bytes) and not prefilter.hits(data):
            continue
        document = data if isinstance(data, Problem) else read_document(file.shown, data)
        if isinstance(document, Problem):
            failed.append(document)
            continue
        analysed += 1
        findings += judge_file(judge, records, document, own)
    return Upgrade(
        judge.old.engine, judge.new.engine, tuple(findings),
        tuple(sorted(failed, key=lambda each: (each.path, each.line))), (), len(files), analysed,
    )  # fmt: skip


def judge_file(
    judge: Judge, records: Records, document: Document, own: Callable[[str], bool]
) -> list[Finding]:
    """The findings in one file, in order of place."""
    found = judge.findings(Uses(document, judge.pack.package).all(), own)
    found += records.findings(document.path, records.accesses(document))
    return sorted(found, key=lambda one: (one.span.line, one.span.column, one.kind, one.what))


def _shown(place: Path, cwd: Path) -> str:
    return place.relative_to(cwd).as_posix() if place.is_relative_to(cwd) else place.as_posix()


def _own(files: Iterable[File], package: str) -> Callable[[str], bool]:
    """Tells names of modules that the code brings itself, under the engine's package: a fork does."""
    modules = set(_modules(files, package))

    def is_own(dotted: str) -> bool:
        parts = dotted.split(".")
        return any(".".join(parts[:count]) in modules for count in range(len(parts), 1, -1))

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
