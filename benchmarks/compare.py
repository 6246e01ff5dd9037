"""How long it takes to compare 100,000 sites of one rule with their baseline, to read it and to write it.

    python benchmarks/compare.py [SITES]

Prints the median of five runs in seconds. One site in a hundred is new, one row in a hundred gone, and one
file in a hundred has another name than in the baseline.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from ratchet.baseline.format import dump, parse
from ratchet.baseline.operations import from_sites
from ratchet.comparison import compare
from ratchet.model import AnyMatch, Census, Rule, Site, Span

RULE = Rule("writes", "copy", AnyMatch(), "ratchet", "", "", "", "f00d")
A_FILE = 50


def site(number: int, path: str, code: str) -> Site:
    span = Span(number % A_FILE + 1, 5, number % A_FILE + 1, 40)
    return Site("writes", path, span, f"Engine{number % 7}.method{number % 11}", code)


def sites_before(count: int) -> list[Site]:
    return [
        site(n, f"srt/module{n // A_FILE:05}.py", f"self.server_args.field{n % 13}") for n in range(count)
    ]


def sites_now(count: int) -> list[Site]:
    found = []
    for n in range(count):
        file = n // A_FILE
        path = f"srt/renamed{file:05}.py" if file % 100 == 0 else f"srt/module{file:05}.py"
        code = f"self.server_args.fresh{n}" if n % 100 == 7 else f"self.server_args.field{n % 13}"
        found.append(site(n, path, code))
    return found


def seconds(work: Callable[[], object]) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return statistics.median(once() for _ in range(5))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    baseline = from_sites(RULE, sites_before(count))
    now = sites_now(count)
    paths = frozenset(each.path for each in now)
    census = Census(len(paths), len(paths), 0, paths, complete=True)
    data = dump(baseline).encode()
    verdict = compare(RULE, now, baseline, census)
    print(
        f"{count} sites, {len(baseline.rows)} rows: {len(verdict.known)} known, {len(verdict.new)} new,"
        f" {len(verdict.moved)} moved, {sum(row.count for row in verdict.gone)} gone"
    )
    print(f"compare  {seconds(lambda: compare(RULE, now, baseline, census)):.3f} s")
    print(f"load     {seconds(lambda: parse(data, 'writes', 'writes.tsv')):.3f} s")
    print(f"dump     {seconds(lambda: dump(baseline)):.3f} s")


if __name__ == "__main__":
    main()
