"""Speed and memory of the checker on real releases, beside tools of its kind; prints Markdown.

    python benchmarks/checker.py [--trees FOLDER] [--runs 5] [--no-others] [--write]

Everything is measured in one run, in rounds: each round measures everything once, so that what else the
machine does falls on all figures alike, and the table shows medians of the rounds. RATCHET_TREES names the
folder of the releases, each as VERSION/sglang; `make sglang VERSION=0.5.17` fetches one. `--write` puts the
tables into the README beside this file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring import Cost, machine, median, run
from others import install, tools

from ratchet.pack import load_packs

ROOT = Path(__file__).resolve().parent.parent
RELEASE = "0.5.17"
CURVE = ("0.5.15", "0.5.17", "0.5.20", "0.5.23")
TOUCHED = (0, 1, 10, 100, 1000)
RATCHET = (sys.executable, "-m", "ratchet")
WHOLE_TREE = ("flow", "role")
NAMES = (b"server_args", b"ServerArgs")


@dataclass(frozen=True, slots=True)
class Bench:
    """What all measurements share: the folder of the releases, one to write to, and the number of rounds."""

    trees: Path
    scratch: Path
    runs: int

    def tree(self, version: str) -> Path:
        """The package of a release; ends the benchmark where it is not there."""
        found = self.trees / version / "sglang"
        if not found.is_dir():
            raise SystemExit(f"{found} is missing: make sglang VERSION={version}, or set RATCHET_TREES")
        return found.resolve()

    def count(self, tree: Path, cache: Path, configured: Path | None = None) -> Cost:
        """One run of the measured command, on two cores; with all rules, or those of a configuration."""
        options = ("--root", tree, "--cache-dir", cache, "--jobs", "2")
        return run([*RATCHET, "count", "--format", "json", *options], cwd=configured or self.scratch)

    def cold(self, tree: Path, configured: Path | None = None) -> tuple[Cost, Path]:
        """A run without a cache, and the cache that it left."""
        cache = Path(tempfile.mkdtemp(prefix="cache-", dir=self.scratch))
        return self.count(tree, cache, configured), cache


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, default=os.environ.get("RATCHET_TREES", ".cache/sglang"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-others", action="store_true", help="leave the other tools out")
    parser.add_argument("--write", action="store_true", help="put the tables into benchmarks/README.md")
    given = parser.parse_args()
    with scratch_folder() as scratch, io.StringIO() as tables:
        with contextlib.redirect_stdout(tables):
            measure(Bench(Path(given.trees).resolve(), scratch, given.runs), not given.no_others)
        print(tables.getvalue())
        if given.write:
            write(tables.getvalue())


def measure(bench: Bench, with_others: bool) -> None:
    """Everything, printed as Markdown."""
    load = os.getloadavg()[0]
    print(f"Measured on {machine()}, load before the run {load:.1f}; medians of {bench.runs}.\n")
    bench.cold(bench.tree(RELEASE))  # so that bytecode and the files' pages are in place
    targets(bench)
    if with_others:
        others(bench)
    curve(bench)
    growth(bench)
    print(f"\nLoad after the run: {os.getloadavg()[0]:.1f}.")


def write(tables: str) -> None:
    """Replace what lies between the marks in the README."""
    readme = ROOT / "benchmarks" / "README.md"
    before, start, rest = readme.read_text(encoding="utf-8").partition("<!-- figures -->\n")
    _, end, after = rest.partition("<!-- end of the figures -->")
    readme.write_text(f"{before}{start}\n{tables}\n{end}{after}", encoding="utf-8")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for caches and copies, removed at the end."""
    base = ROOT / ".cache"
    base.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=base) as scratch:
        yield Path(scratch).resolve()


# The targets


@dataclass(frozen=True, slots=True)
class Round:
    """What one round measured: the unit in seconds, and the cost of each command.

    `cold` and `warm` are without the rules that join the whole tree, `whole` is cold with them.
    """

    unit: float
    cold: Cost
    whole: Cost
    warm: Cost
    file: Cost
    click: Cost


def targets(bench: Bench) -> None:
    """The unit, cold, warm and one file: each beside what it may cost."""
    tree = bench.tree(RELEASE)
    copy = Path(shutil.copytree(tree, bench.scratch / "copy" / "sglang"))
    baselines, file, cache = bench.scratch / "baselines", middle_file(copy), bench.scratch / "warm-copy"
    adopt(copy, baselines, cache)
    configured = without_whole_tree_rules(bench.scratch / "configured")
    rounds = []
    for number in range(bench.runs):
        cold, left = bench.cold(tree, configured)
        warm = bench.count(tree, left, configured)
        shutil.rmtree(left)
        whole, left = bench.cold(tree)
        shutil.rmtree(left)
        file.write_bytes(file.read_bytes() + f"# {number}\n".encode())
        one = check_one(copy, file, baselines, cache)
        click = run([sys.executable, "-c", "import click"])
        rounds.append(Round(unit(tree)[0], cold, whole, warm, one, click))
    _, files, size = unit(tree)
    print(f"## The targets, on SGLang {RELEASE}\n")
    print(f"The unit is `ast.parse` of the {files:,} files ({size / 1e6:.1f} MB) that name the record.\n")
    print_targets(rounds, file.relative_to(copy).as_posix())


def without_whole_tree_rules(folder: Path) -> Path:
    """A folder with a configuration of all rules of the pack but those of kinds `flow` and `role`."""
    rules = [rule.id for rule in load_packs(["sglang"], ROOT).rules if rule.kind not in WHOLE_TREE]
    folder.mkdir()
    (folder / "ratchet.toml").write_text(f"packs = ['sglang']\nrules = {rules!r}\n", encoding="utf-8")
    return folder


def print_targets(rounds: Sequence[Round], file: str) -> None:
    """The table of the targets."""
    one = statistics.median(each.unit for each in rounds)
    cold, warm = median([each.cold for each in rounds]), median([each.warm for each in rounds])
    whole = median([each.whole for each in rounds])
    changed, click = median([each.file for each in rounds]), median([each.click for each in rounds])
    rows = [
        ("the unit", f"{one:.2f} s", "1", ""),
        ("cold, CPU", f"{cold.cpu:.2f} s", f"{cold.cpu / one:.2f} units", "2.5 units"),
        ("cold, wall time on two cores", f"{cold.wall:.2f} s", f"{cold.wall / one:.2f} units", "1.5 units"),
        ("cold, peak of the largest process", f"{cold.peak:.0f} MB", "", "300 MB"),
        (
            "cold with the rules that join the whole tree, CPU",
            f"{whole.cpu:.2f} s",
            f"{whole.cpu / cold.cpu:.2f} of cold",
            "1.5 of cold",
        ),
        ("warm, CPU", f"{warm.cpu:.2f} s", f"{warm.cpu / cold.cpu:.3f} of cold", "0.1 of cold"),
        ("warm, wall time", f"{warm.wall:.2f} s", f"{warm.wall / cold.wall:.3f} of cold", "0.1 of cold"),
        ("`python -c 'import click'`, wall time", f"{click.wall * 1000:.0f} ms", "1", ""),
        (
            f"`ratchet check` of one changed file (`{file}`), wall time",
            f"{changed.wall * 1000:.0f} ms",
            f"{changed.wall / click.wall:.1f} times that",
            "3 times",
        ),
    ]
    print("| | measured | as a ratio | target |\n|---|---:|---:|---:|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def unit(tree: Path) -> tuple[float, int, int]:
    """Seconds, number of files and bytes of the unit, out of a process of its own."""
    script = ROOT / "benchmarks" / "unit.py"
    done = subprocess.run([sys.executable, script, tree], check=True, capture_output=True, text=True)
    seconds, files, size = done.stdout.split()
    return float(seconds), int(files), int(size)


def middle_file(tree: Path) -> Path:
    """Of the files that name the record, the one of median size."""
    named = [path for path in tree.rglob("*.py") if any(name in path.read_bytes() for name in NAMES)]
    return sorted(named, key=lambda path: (path.stat().st_size, path))[len(named) // 2]


def adopt(tree: Path, baselines: Path, cache: Path) -> None:
    """Baselines and a warm cache for a copy of a tree."""
    shared = ("--root", tree, "--baselines", baselines, "--cache-dir", cache)
    run([*RATCHET, "adopt", "--all", *shared], cwd=tree)
    run([*RATCHET, "check", *shared], cwd=tree)


def check_one(tree: Path, file: Path, baselines: Path, cache: Path) -> Cost:
    """One changed file on the command line, as an editor or a hook asks."""
    shared = ("--root", tree, "--baselines", baselines, "--cache-dir", cache)
    return run([*RATCHET, "check", file, *shared], cwd=tree)


# Beside other tools


def others(bench: Bench) -> None:
    """The same tree under other tools; each does less, or other things, and its time says what that costs."""
    environment = ROOT / ".cache" / "bench-venv"
    versions = install(environment)
    tree = bench.tree(RELEASE)
    listed = tools(environment, bench.scratch, tree)
    costs: dict[str, list[Cost]] = {"ratchet, all rules, cold": [], "ratchet, all rules, warm": []}
    for tool in listed:
        costs[tool.name] = []
        if tool.primed:
            run(tool.command, bench.scratch, tool.allowed, dict(tool.variables))
    for number in range(bench.runs):
        cold, cache = bench.cold(tree)
        costs["ratchet, all rules, cold"].append(cold)
        costs["ratchet, all rules, warm"].append(bench.count(tree, cache))
        for tool in listed:
            if number == 0 or not tool.slow:
                costs[tool.name].append(run(tool.command, bench.scratch, tool.allowed, dict(tool.variables)))
    print(f"\n## Beside other tools, on SGLang {RELEASE}\n")
    print(", ".join(f"{name} {version}" for name, version in versions.items()), end=".\n\n")
    print("| | wall time | CPU | peak of the largest process | runs |\n|---|---:|---:|---:|---:|")
    for name, measured in costs.items():
        print(f"| {name} | {cells(median(measured))} | {len(measured)} |")


def cells(cost: Cost) -> str:
    """The figures of a run as cells of a table."""
    return f"{cost.wall:.2f} s | {cost.cpu:.2f} s | {cost.peak:.0f} MB"


# What the cost grows with


def curve(bench: Bench) -> None:
    """Cold and warm over releases of growing size."""
    print("\n## Over four releases\n")
    print("| release | files | MB | cold, CPU | cold, CPU a MB | warm, CPU | warm, wall time |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for version in CURVE:
        tree = bench.tree(version)
        sizes = [path.stat().st_size for path in tree.rglob("*.py")]
        cold, warm = [], []
        for _ in range(bench.runs):
            cost, cache = bench.cold(tree)
            cold.append(cost)
            warm.append(bench.count(tree, cache))
            shutil.rmtree(cache)
        first, again, size = median(cold), median(warm), sum(sizes) / 1e6
        rate = first.cpu / size * 1000
        print(f"| {version} | {len(sizes):,} | {size:.1f} | {first.cpu:.2f} s | {rate:.0f} ms ", end="")
        print(f"| {again.cpu:.2f} s | {again.wall:.2f} s |")


def growth(bench: Bench) -> None:
    """A warm run after some files changed: the cost follows the bytes that changed."""
    print(f"\n## After a change, on SGLang {RELEASE}\n")
    print("| files changed | KB changed | CPU | wall time |\n|---:|---:|---:|---:|")
    copy = Path(shutil.copytree(bench.tree(RELEASE), bench.scratch / "changing" / "sglang"))
    files = spread(sorted(copy.rglob("*.py")))
    cache = bench.scratch / "changing-cache"
    bench.count(copy, cache)
    for number in TOUCHED:
        costs = [changed_run(bench, copy, cache, files[:number]) for _ in range(bench.runs)]
        size = sum(path.stat().st_size for path in files[:number]) / 1e3
        cost = median(costs)
        print(f"| {number:,} | {size:,.0f} | {cost.cpu:.2f} s | {cost.wall:.2f} s |")


def changed_run(bench: Bench, tree: Path, cache: Path, files: Sequence[Path]) -> Cost:
    """Append a comment to some files, and count again."""
    for path in files:
        path.write_bytes(path.read_bytes() + b"# changed\n")
    return bench.count(tree, cache)


def spread(paths: Sequence[Path]) -> list[Path]:
    """The paths in an order whose beginnings are samples of the whole, the same at each run."""
    step = 1009  # a prime that divides no number of files here
    assert len(paths) % step, "choose another step"
    return [paths[number * step % len(paths)] for number in range(len(paths))]


if __name__ == "__main__":
    main()
