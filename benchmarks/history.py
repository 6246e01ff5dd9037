"""What `ratchet history --recount` costs over 200 made-up commits, in ratio to one cold check.

    python benchmarks/history.py CACHE/0.5.17/sglang

The tree is copied into a scratch repository. Each commit changes one to five files, as a team would: most
lines are of no interest, some add a site or take one away, files move, and every twentieth commit lets a new
class keep the record, so that what the tree exports changes and it is scanned whole. The seed is fixed.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import Cost, machine, median, run

COMMITS = 200
TARGET = 3.0
READ = "\n\ndef added_{0}():\n    return get_server_args().{1}\n"
CLASS = "\n\nclass Keeper{0}:\n    def __init__(self, server_args):\n        self.kept_{0} = server_args\n"
IMPORT = "from sglang.srt.runtime_context import get_server_args\n"
FIELDS = ("tp_size", "model_path", "page_size", "device")


def main() -> None:
    """Make the repository, run both commands, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("--commits", type=int, default=COMMITS)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ratchet-history-") as scratch:
        repository = Path(scratch) / "repo"
        make(repository, given.tree, given.commits)
        rows = measure(repository, Path(scratch), given.runs)
    print(f"Measured on {machine()}, load {os.getloadavg()[0]:.1f}; medians of {given.runs}.\n")
    print("| | CPU | wall time | CPU, in cold checks |\n|---|---:|---:|---:|")
    for name, cost in rows.items():
        ratio = cost.cpu / rows["one cold check"].cpu
        print(f"| {name} | {cost.cpu:.2f} s | {cost.wall:.2f} s | {ratio:.2f} |")
    print(f"\nTarget of the recount when cold: {TARGET:g} cold checks.")


def measure(repository: Path, scratch: Path, runs: int) -> dict[str, Cost]:
    """The costs of a cold check, of a cold recount, and of the same again."""
    ratchet = [sys.executable, "-m", "ratchet"]
    place = ["--root", repository / "sglang", "--pack", "sglang", "--format", "json", "--cache-dir"]
    recount = [*ratchet, "history", "--recount", "--last", "1000", *place]
    found: dict[str, list[Cost]] = {}
    for number in range(runs):
        caches = [scratch / f"cache-{number}-{name}" for name in ("check", "recount")]
        found.setdefault("one cold check", []).append(run([*ratchet, "count", *place, caches[0]], repository))
        found.setdefault("recount, cold", []).append(run([*recount, caches[1]], repository))
        found.setdefault("recount, warm", []).append(run([*recount, caches[1]], repository))
    return {name: median(costs) for name, costs in found.items()}


def make(repository: Path, tree: Path, commits: int) -> None:
    """A repository that holds the tree, and so many commits on top of it."""
    shutil.copytree(tree, repository / "sglang", ignore=shutil.ignore_patterns("__pycache__"))
    git(repository, "init", "--quiet", "--initial-branch=main")
    commit(repository, 0, "the release")
    chance = random.Random(0)
    files = sorted(path for path in (repository / "sglang/srt").rglob("*.py") if is_changed(path))
    for number in range(1, commits + 1):
        for path in chance.sample(files, chance.randint(1, 5)):
            change(path, number, chance)
        if number % 10 == 0:
            moved = chance.choice(files)
            files[files.index(moved)] = moved.rename(moved.with_name(f"moved_{number}.py"))
        if number % 20 == 0:
            append(chance.choice(files), CLASS.format(number))
        commit(repository, number, f"change {number}")


def is_changed(path: Path) -> bool:
    """Whether commits may change a file: one that declares the schema changes everything with it."""
    return path.name not in ("server_args.py", "__init__.py") and "arg_groups" not in path.parts


def change(path: Path, number: int, chance: random.Random) -> None:
    """Add a comment to a file, or add a read of the record, or take such reads away."""
    kind = chance.random()
    if kind < 0.6:
        append(path, f"# change {number}\n")
    elif kind < 0.8:
        append(path, IMPORT + READ.format(number, chance.choice(FIELDS)))
    else:
        text = path.read_bytes()
        path.write_bytes(text.replace(b"server_args.tp_size", b"get_parallel().tp_size", 1))


def append(path: Path, text: str) -> None:
    """Add lines to the end of a file."""
    path.write_bytes(path.read_bytes().rstrip() + b"\n" + text.encode())


def commit(repository: Path, number: int, message: str) -> None:
    """Commit everything, an hour after the commit before."""
    git(repository, "add", "--all")
    date = f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00+00:00"
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    git(repository, "commit", "--quiet", "--allow-empty", "--message", message, **dates)


def git(repository: Path, *command: str, **variables: str) -> None:
    """Run git without any settings of the user's."""
    names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
    own = dict.fromkeys(names, "benchmark") | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *command], cwd=repository, env={**os.environ, **own, **variables}, check=True)


if __name__ == "__main__":
    main()
