"""What the rule about roles adds to a check, and what `ratchet roles` costs; prints Markdown.

    python benchmarks/roles.py [--trees FOLDER] [--release 0.5.17] [--runs 3]

Each round counts the release cold twice, without the rules of kind `role` and with all of the pack's, then
runs `ratchet roles` cold, and once more on the cache that was left. The table shows medians of the rounds,
and ratios of CPU time, which a busy machine changes less than the clock. The largest process has the peak.
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


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=Path, default=os.environ.get("RATCHET_TREES", ".cache/sglang"))
    parser.add_argument("--release", default="0.5.17")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    tree = Path(options.trees, options.release, "sglang").resolve()
    if not tree.is_dir():
        raise SystemExit(f"{tree} is missing: make sglang VERSION={options.release}, or set RATCHET_TREES")
    with tempfile.TemporaryDirectory() as folder:
        rounds = [one_round(tree, Path(folder, str(number))) for number in range(options.runs)]
    print(f"{machine()}; load {os.getloadavg()[0]:.1f}; SGLang {options.release}\n")
    without, with_roles, cold, warm = (median(costs) for costs in zip(*rounds, strict=True))
    print("| | CPU | ratio to a cold check | wall time | peak |\n|---|---:|---:|---:|---:|")
    for name, cost in (
        ("cold check without the rule", without),
        ("cold check with it", with_roles),
        ("`ratchet roles`, cold", cold),
        ("`ratchet roles`, warm", warm),
    ):
        ratio = cost.cpu / without.cpu
        print(f"| {name} | {cost.cpu:.2f} s | {ratio:.2f} | {cost.wall:.2f} s | {cost.peak:.0f} MB |")


def one_round(tree: Path, scratch: Path) -> tuple[Cost, Cost, Cost, Cost]:
    """Cold without the rule, cold with it, `ratchet roles` cold, and warm."""
    scratch.mkdir()
    rules = [rule.id for rule in load_packs(["sglang"], ROOT).rules if rule.kind != "role"]
    (scratch / "ratchet.toml").write_text(f"packs = ['sglang']\nrules = {rules!r}\n", encoding="utf-8")
    whole = scratch / "whole"
    whole.mkdir()

    def ratchet(verb: str, cache: str, cwd: Path) -> Cost:
        options = ("--root", tree, "--cache-dir", scratch / cache, "--jobs", "2", "--format", "json")
        return run([*RATCHET, verb, *options], cwd=cwd)

    return (
        ratchet("count", "one", scratch),
        ratchet("count", "two", whole),
        ratchet("roles", "three", whole),
        ratchet("roles", "three", whole),
    )


if __name__ == "__main__":
    main()
