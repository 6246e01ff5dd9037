"""Measures type checkers on the stubs: how right they are on the table of snippets, how long 100 files take.

    python benchmarks/typecheck/measure.py --tree .cache/sglang/0.5.17/sglang

The files are a hundred, evenly spread, of those in the tree that read namespaces. They are staged beside
nothing else, as `ratchet migrate` stages them. No checker keeps a cache, so each run is a cold one. Checkers
that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ratchet.pack import load_packs
from ratchet.schema import load_snapshot
from ratchet.stubs import generate_stubs, read_templates, write_stubs
from ratchet.typecheck import check_files
from tests.stubs.snippets import ACCESSORS, SNIPPETS, place_snippets

READS = re.compile(r"\bget_(parallel|exec|schedule|memory|spec|model|serving|lora|mm|disagg|device)\(\)\.")
UNKNOWN = ("UnknownVariableType", "UnknownMemberType", "UnknownArgumentType", "UnknownParameterType")
UNUSED = ("UnusedImport", "UnusedVariable", "UnusedExpression", "MissingModuleSource", "MissingImports")

Errors = Iterator[tuple[str, int]]
"""File and line of each error."""


def _run(name: str, *arguments: str, folder: Path, **environment: str) -> str:
    command = [str(Path(sys.executable).with_name(name)), *arguments]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return done.stdout


def mypy(folder: Path, stubs: Path) -> Errors:
    options = ("--strict", "--enable-error-code=deprecated", "--ignore-missing-imports", "--no-incremental")
    out = _run(
        "mypy", *options, "--output=json", "--show-absolute-path", ".", folder=folder, MYPYPATH=str(stubs)
    )
    rows = map(json.loads, out.splitlines())
    return ((row["file"], row["line"]) for row in rows if row["severity"] == "error")


def basedpyright(folder: Path, stubs: Path) -> Errors:
    settings: dict[str, object] = {f"report{name}": False for name in (*UNKNOWN, *UNUSED)}
    settings |= {"typeCheckingMode": "strict", "reportDeprecated": "error", "extraPaths": [str(stubs)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    rows = json.loads(_run("basedpyright", "--outputjson", folder=folder))["generalDiagnostics"]
    return ((row["file"], row["range"]["start"]["line"] + 1) for row in rows)


def pyrefly(folder: Path, stubs: Path) -> Errors:
    (folder / "pyrefly.toml").write_text(
        f'search-path = ["{stubs}"]\nsite-package-path = []\nskip-interpreter-query = true\n'
        'project-includes = ["**/*.py"]\n[errors]\ndeprecated = "error"\nmissing-import = "ignore"\n'
    )
    rows = json.loads(_run("pyrefly", "check", "--output-format", "json", folder=folder))["errors"]
    return ((row["path"], row["line"]) for row in rows)


def ty(folder: Path, stubs: Path) -> Errors:
    files = {str(path): path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
    return ((problem.path, problem.line) for problem in check_files(files, stubs, ACCESSORS))


CHECKERS: dict[str, Callable[[Path, Path], Errors]] = {
    "ty": ty,
    "pyrefly": pyrefly,
    "basedpyright": basedpyright,
    "mypy": mypy,
}


def right_on_the_table(check: Callable[[Path, Path], Errors], stubs: Path, folder: Path) -> int:
    """How many snippets get errors on exactly the lines that are wrong."""
    place_snippets(folder)
    lines: dict[str, set[int]] = defaultdict(set)
    for file, line in check(folder, stubs):
        lines[Path(file).stem.replace("_", "-")].add(line - 1)
    return sum(lines[snippet.id] == set(snippet.wrong) for snippet in SNIPPETS)


def cold_run(
    check: Callable[[Path, Path], Errors], stubs: Path, folder: Path, runs: int
) -> tuple[float, float]:
    """The medians of the wall and the processor seconds that a run over the files of `folder` takes."""
    wall, processor = [], []
    for _ in range(runs):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        list(check(folder, stubs))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - start)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(wall), statistics.median(processor)


def stage(tree: Path, folder: Path, count: int) -> int:
    """Copies `count` files that read namespaces to `folder`; how many lines they have together."""
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(tree.rglob("*.py"))]
    readers = [text for text in texts if READS.search(text)]
    chosen = [readers[number * len(readers) // count] for number in range(min(count, len(readers)))]
    for number, text in enumerate(chosen):
        (folder / f"file_{number:03}.py").write_text(text, encoding="utf-8")
    return sum(text.count("\n") for text in chosen)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tree", type=Path, required=True, help="the package folder of a tree of 0.5.17")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        stubs, files = place / "stubs", place / "files"
        files.mkdir()
        lines = stage(options.tree, files, options.files)
        pack = load_packs(["sglang"], Path())
        schema = load_snapshot(Path(pack.folder) / "schema", "0.5.17")
        module = {
            "sglang/srt/runtime_context.pyi": (options.tree / "srt" / "runtime_context.py").read_bytes()
        }
        write_stubs(generate_stubs(schema, pack.namespaces, read_templates(Path(pack.folder)), module), stubs)
        print(
            f"{options.files} files, {lines:,} lines; {len(SNIPPETS)} snippets; medians of {options.runs}\n"
        )
        print(f"{'checker':14}{'right on the table':>20}{'seconds':>10}{'processor seconds':>18}")
        for checker, check in CHECKERS.items():
            if shutil.which(checker, path=str(Path(sys.executable).parent)):
                table = place / checker
                table.mkdir()
                right = f"{right_on_the_table(check, stubs, table)}/{len(SNIPPETS)}"
                wall, processor = cold_run(check, stubs, files, options.runs)
                print(f"{checker:14}{right:>20}{wall:>10.2f}{processor:>18.2f}")


if __name__ == "__main__":
    main()
