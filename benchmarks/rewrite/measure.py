"""What rewriting costs: splices and proofs, beside `ast.parse` and LibCST's own codemod command.

    python benchmarks/rewrite/measure.py [--trees FOLDER] [--release 0.5.16] [--runs 3] [--no-libcst]

The plan of all namespaces, writes and borrowed reads included, is made before the clock starts; then each
round parses, rewrites and proves the files that it changes, once each, in this one process. LibCST's command
does the same to the same files: it finds the planned expressions by their positions, replaces them, and adds
and removes imports with its helpers. It is run once, for it takes minutes. The last row of ours is the whole
command on a copy of the tree, whose scan and plan are in the cache. Below the table: the type check of a
hundred sites, stubs and staging included. Prints Markdown.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.codemod import CodemodContext, VisitorBasedCodemodCommand
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import PositionProvider

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from measuring import machine

from ratchet.checking.migrating import Writing, migrate_tree
from ratchet.checking.migration import Request, plan_migration
from ratchet.checking.rewriting import Workbench
from ratchet.checking.typechecking import checker_of
from ratchet.codemod.model import Edit, Rewritten
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.codemod.style import Style
from ratchet.session import Options, open_sessions
from ratchet.syntax.document import Document, read_document

SETTLING = 4.0
"""The seconds after which files that were just written are remembered: sooner they could change unseen."""

Place = tuple[int, int, int, int]

SITES = 100
"""Sites of which the type check is measured."""


@dataclass(frozen=True, slots=True)
class Task:
    """A file that changes: its bytes and its edits."""

    path: str
    data: bytes
    edits: tuple[Edit, ...]


def tasks_of(root: Path) -> tuple[list[Task], Style]:
    """The files that the plan of everything changes, and what the pack says of style."""
    with (
        tempfile.TemporaryDirectory() as cache,
        open_sessions(Options(root=root, cache_dir=Path(cache))) as found,
    ):
        session = found[0]
        plan = plan_migration(session, Request(everything=True, writes=True, chains=True)).plan
        pack = session.pack
    accessors = {name for item in pack.objects for name in item.accessors}
    accessors |= {space.accessor for space in pack.namespaces} | {item.accessor for item in pack.contexts}
    by_path: dict[str, list[Edit]] = {}
    for edit in plan.edits:
        by_path.setdefault(edit.path, []).append(edit)
    tasks = [Task(path, (root / path).read_bytes(), tuple(edits)) for path, edits in by_path.items()]
    return tasks, Style(pack.package, frozenset(accessors))


def seconds(work: Callable[[], object]) -> float:
    """The CPU seconds of one call, with the collector off, as in a run."""
    gc.collect()
    gc.disable()
    start = time.process_time()
    work()
    took = time.process_time() - start
    gc.enable()
    return took


def parse_all(tasks: list[Task]) -> None:
    """The unit: a bare parse of the files."""
    for task in tasks:
        ast.parse(task.data)


def rewrite_all(tasks: list[Task], style: Style, proofs: bool) -> list[Rewritten]:
    """Rewrite all files, and prove them."""
    done = []
    for task in tasks:
        document = read_document(task.path, task.data)
        assert isinstance(document, Document), document
        made = rewrite_document(document, task.data, task.edits, style).rewritten
        if made is not None:
            done.append(made)
            assert not proofs or prove(made, style, old=document) == ()
    return done


class Migrate(VisitorBasedCodemodCommand):
    """The same rewrite as a LibCST codemod."""

    DESCRIPTION = "Moves planned reads to their namespaces."
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, context: CodemodContext, edits: dict[Place, Edit]) -> None:
        super().__init__(context)
        self.edits = edits

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return self._moved(original_node, updated_node)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        return self._moved(original_node, updated_node)

    def _moved(self, original: cst.BaseExpression, updated: cst.BaseExpression) -> cst.BaseExpression:
        position = self.get_metadata(PositionProvider, original)
        start, end = position.start, position.end
        edit = self.edits.get((start.line, start.column + 1, end.line, end.column + 1))
        if edit is None or edit.operation == "write":
            return updated
        AddImportsVisitor.add_needed_import(self.context, edit.accessor.module, edit.accessor.name)
        RemoveImportsVisitor.remove_unused_import(self.context, edit.accessor.module, "get_server_args")
        return cst.parse_expression(edit.after)


def libcst_all(tasks: list[Task]) -> None:
    """Run the command over all files, as LibCST's runner does in each of its processes."""
    for task in tasks:
        places = {
            (edit.span.line, edit.span.column, edit.span.end_line, edit.span.end_column): edit
            for edit in task.edits
        }
        command = Migrate(CodemodContext(filename=task.path), places)
        command.transform_module(cst.parse_module(task.data))


def write_all(root: Path, folder: Path, run: int) -> float:
    """The CPU seconds of a whole `--write --no-typecheck` on a copy that was planned before.

    The scan and the plan come out of the cache; the files that change are analysed and counted again.
    """
    copy = folder / str(run) / root.name
    shutil.copytree(root, copy, ignore=lambda place, names: [n for n in names if not _is_source(place, n)])
    cache = folder / f"cache{run}"
    time.sleep(SETTLING)
    with open_sessions(Options(root=copy, cache_dir=cache, baselines=folder, jobs=1)) as (session,):
        request = Request(everything=True, writes=True, chains=True)
        session.count(plan_migration(session, request).tree)
        return seconds(lambda: migrate_tree(session, request, Writing(typecheck=False)))


def check_types(root: Path, folder: Path, sites: int, runs: int) -> tuple[int, float, float]:
    """The type check of the first `sites` sites of the plan as `--write` does it: stubs, staging, canary, ty.

    Returns how many files they lie in, and the medians of the wall and the processor seconds, both of all
    processes.
    """
    wall, processor = [], []
    with open_sessions(Options(root=root, cache_dir=folder / "types", jobs=1)) as (session,):
        plan = plan_migration(session, Request(everything=True, writes=True, chains=True))
        chosen = [edit.id for edit in plan.plan.edits[:sites]]
        files = Workbench(session, plan, chosen).rewrite()
        for _ in range(runs):
            start, before = time.perf_counter(), os.times()
            with checker_of(plan.tree) as checker:
                assert not checker.objections(files)
            wall.append(time.perf_counter() - start)
            processor.append(sum(os.times()[:4]) - sum(before[:4]))
    return len(files), statistics.median(wall), statistics.median(processor)


def _is_source(place: str, name: str) -> bool:
    return name.endswith(".py") or Path(place, name).is_dir()


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, default=os.environ.get("RATCHET_TREES", ".cache/sglang"))
    parser.add_argument("--release", default="0.5.16")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-libcst", action="store_true")
    given = parser.parse_args()
    tasks, style = tasks_of(Path(given.trees) / given.release / "sglang")
    edits = sum(len(task.edits) for task in tasks)
    lines = sum(task.data.count(b"\n") for task in tasks)
    print(f"{given.release}: {edits} edits in {len(tasks)} files of {lines:,} lines; {machine()}.\n")
    rounds = [
        (
            seconds(lambda: parse_all(tasks)),
            seconds(lambda: rewrite_all(tasks, style, proofs=False)),
            seconds(lambda: rewrite_all(tasks, style, proofs=True)),
        )
        for _ in range(given.runs)
    ]
    unit, spliced, proven = (statistics.median(column) for column in zip(*rounds, strict=True))
    root = Path(given.trees) / given.release / "sglang"
    with tempfile.TemporaryDirectory() as folder:
        typed = check_types(root, Path(folder), SITES, given.runs)
        written = statistics.median([write_all(root, Path(folder), run) for run in range(given.runs)])
    rows = [
        ("`ast.parse`", unit),
        ("parsed and rewritten", spliced),
        ("parsed, rewritten and proved", proven),
        ("the whole `--write --no-typecheck`, with what it plans and counts again", written),
    ]
    if not given.no_libcst:
        rows.append(("LibCST's codemod command with its import helpers", seconds(lambda: libcst_all(tasks))))
    print("| the files that change | CPU seconds | in units | beside ours |\n|---|---|---|---|")
    for name, took in rows:
        print(f"| {name} | {took:.2f} | {took / unit:.1f} | {took / proven:.1f} |")
    files, wall, processor = typed
    print(f"\nThe type check of {SITES} sites in {files} files: {wall:.2f} seconds, {processor:.2f} of CPU.")


if __name__ == "__main__":
    main()
