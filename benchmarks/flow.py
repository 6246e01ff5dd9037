"""What the flow rules add to a check, and what `ratchet flow` costs; prints Markdown.

    python benchmarks/flow.py [--trees FOLDER] [--release 0.5.17] [--runs 3]

Each round counts the release cold three times: without the rules that join the whole tree (kinds `flow` and
`role`), without those of kind `flow`, and with all of the pack's. Then it counts once warm, and runs `ratchet
flow` on the cache that was left. The table shows medians of the rounds, and ratios of CPU time, which a busy
machine changes less than the clock: of all rules to those that join nothing, and to those without the flow
rules, where the rule about roles pays for the files that only name a namespace.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measuring import Cost, machine, median, run

from ratchet.pack import load_packs

ROOT = Path(__file__).resolve().parent.parent
RATCHET = (sys.executable, "-m", "ratchet")
FIELD = "speculative_num_steps"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, default=os.environ.get("RATCHET_TREES", ".cache/sglang"))
    parser.add_argument("--release", default="0.5.17")
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    tree = (chosen.trees / chosen.release / "sglang").resolve()
    if not tree.is_dir():
        raise SystemExit(f"{tree} is missing: make sglang VERSION={chosen.release}, or set RATCHET_TREES")
    with tempfile.TemporaryDirectory(prefix="ratchet-bench-") as scratch:
        rounds = [one_round(tree, Path(scratch), number) for number in range(chosen.runs)]
    names = ("neither", "without", "all", "warm", "table", "field")
    costs = {name: [each[place] for each in rounds] for place, name in enumerate(names)}
    print(f"Measured on {machine()}; medians of {chosen.runs}.\n")
    print(table({name: median(found) for name, found in costs.items()}, chosen.release))


def one_round(tree: Path, scratch: Path, number: int) -> tuple[Cost, ...]:
    """The costs of one round: cold with more and more rules, then warm, the verb's table, one field."""
    neither, plain, full = (scratch / f"{name}-{number}" for name in ("neither", "plain", "full"))
    for folder, left_out in ((neither, ("flow", "role")), (plain, ("flow",)), (full, ())):
        folder.mkdir()
        rules = [rule.id for rule in load_packs(["sglang"], ROOT).rules if rule.kind not in left_out]
        (folder / "ratchet.toml").write_text(f"packs = ['sglang']\nrules = {rules!r}\n", encoding="utf-8")

    def measured(folder: Path, *verb: str) -> Cost:
        options = (
            "--root",
            str(tree),
            "--cache-dir",
            str(folder / "cache"),
            "--jobs",
            "2",
            "--format",
            "json",
        )
        return run([*RATCHET, *verb, *options], cwd=folder)

    cold = (measured(neither, "count"), measured(plain, "count"), measured(full, "count"))
    warm = measured(full, "count")
    measured(full, "flow")  # joins the table once
    return (*cold, warm, measured(full, "flow"), measured(full, "flow", FIELD))


def table(costs: dict[str, Cost], release: str) -> str:
    """The costs as Markdown, with the ratios to a cold run without rules that join the whole tree."""
    base = costs["neither"].cpu
    rows = [
        ("cold, neither flow rules nor the rule about roles", costs["neither"], ""),
        ("cold, without the flow rules", costs["without"], ""),
        ("cold, all rules", costs["all"], "1.5"),
        ("warm, all rules", costs["warm"], ""),
        ("`ratchet flow`, warm", costs["table"], "1 s"),
        (f"`ratchet flow {FIELD}`, warm", costs["field"], "1 s"),
    ]
    lines = [f"| SGLang {release} | CPU | wall time | CPU as a ratio | target |", "|---|---:|---:|---:|---:|"]
    lines += [
        f"| {name} | {cost.cpu:.2f} s | {cost.wall:.2f} s | {cost.cpu / base:.2f} | {target} |"
        for name, cost, target in rows
    ]
    added = costs["all"].cpu / costs["without"].cpu
    return "\n".join([*lines, f"\nBeside the rule about roles, the flow rules cost {added:.2f}."])


if __name__ == "__main__":
    main()
