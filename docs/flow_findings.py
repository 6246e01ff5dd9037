"""Writes what the flow rules find on real releases, and how it was judged: `python docs/flow_findings.py`.

`flow-findings.tsv` holds the judgements, made by reading the code: one row a site, real or false, with the
reason. A site without a row, or a row without a site, ends the run. `flow-findings.md` is made of them. The
argument is the folder of the releases, by default `.cache/sglang`, where `make sglang` unpacks them.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ratchet.session import Options, only_one, open_sessions

DOCS = Path(__file__).resolve().parent
TABLE, PAGE = DOCS / "flow-findings.tsv", DOCS / "flow-findings.md"
RELEASES = ("0.5.16", "0.5.17")
VERDICTS = ("real", "false")

INTRODUCTION = """\
# What the flow rules find

Made by `python docs/flow_findings.py` out of `flow-findings.tsv`; correct that, not this.

Every site of every rule of kind `flow` on SGLang 0.5.16 and 0.5.17, judged by reading the code around both
of its ends. *Real* means that the rule's own words hold of it; *false* that they do not, although the
accesses look so. On 0.5.16 no field has moved to a namespace yet, so that rules about both stores find
nothing there. Where a later release changed the site, the reason says to what.

The phases and processes in the pack were declared while these findings were judged: without them `stale-
read` counts 66 pairs on 0.5.17 instead of 6, most of which are read while workers are constructed and
overridden while requests are served. Of later releases only what `unpublished-read` found was read: five
sites on 0.5.20, all false, in a benchmark that publishes by itself and in a warm-up that the server runs.
Since then it asks whether a launcher publishes, and finds nothing on 0.5.18 to 0.5.23."""


@dataclass(frozen=True)
class Judgement:
    """A site of a release, and whether it is what its rule says, with the reason."""

    release: str
    rule: str
    path: str
    scope: str
    code: str
    verdict: str
    reason: str

    @property
    def key(self) -> tuple[str, ...]:
        """What tells sites apart: alike ones in one scope are judged together."""
        return (self.release, self.rule, self.path, self.scope, self.code)


def judgements() -> tuple[Judgement, ...]:
    """The rows of the table. A verdict that is none is a SystemExit."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [Judgement(*row) for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    for row in rows:
        if row.verdict not in VERDICTS or not row.reason:
            raise SystemExit(f"{row.path}: {row.code}: judge it real or false, with a reason")
    return tuple(rows)


def sites(trees: Path, release: str) -> tuple[tuple[str, ...], ...]:
    """The keys of what the flow rules count in a release."""
    options = Options(root=trees / release / "sglang", packs=("sglang",))
    with open_sessions(options, cwd=DOCS.parent) as sessions:
        session = only_one(sessions)
        tally = session.count(session.tree(session.work_tree()))
        flow = {rule.id for rule in session.rules if rule.kind == "flow"}
    found = [site for rule, sites in tally.sites.items() if rule in flow for site in sites]
    return tuple((release, site.rule, *site.key) for site in found)


def flow_rules() -> tuple[str, ...]:
    """The ids of the pack's flow rules."""
    from ratchet.pack import load_packs

    return tuple(rule.id for rule in load_packs(["sglang"], DOCS).rules if rule.kind == "flow")


def gaps(found: Iterable[tuple[str, ...]], rows: Iterable[Judgement]) -> tuple[str, ...]:
    """A sentence for each site that nobody judged, and for each judgement of what is no site."""
    known, there = {row.key for row in rows}, set(found)
    return (
        *(f"not judged: {' | '.join(key)}" for key in sorted(there - known)),
        *(f"no site any more: {' | '.join(key)}" for key in sorted(known - there)),
    )


def page(found: Sequence[tuple[str, ...]], rows: Sequence[Judgement]) -> str:
    """The page: numbers first, then each finding with its reason."""
    times = Counter(found)
    lines = [INTRODUCTION, "", "| rule | release | sites | real | false |", "|---|---|---|---|---|"]
    for rule in flow_rules():
        for release in RELEASES:
            numbers = Counter[str]()
            for row in rows:
                if (row.rule, row.release) == (rule, release):
                    numbers[row.verdict] += times[row.key]
            lines.append(
                f"| `{rule}` | {release} | {numbers.total()} | {numbers['real']} | {numbers['false']} |"
            )
    totals = Counter[str]()
    for row in rows:
        totals[row.verdict] += times[row.key]
    lines.append(f"| all | | {totals.total()} | {totals['real']} | {totals['false']} |")
    for rule in flow_rules():
        told = list(_told(rule, rows, times))
        if told:
            lines += ["", f"## {rule}", "", *told]
    return "\n".join(lines) + "\n"


def _told(rule: str, rows: Sequence[Judgement], times: Counter[tuple[str, ...]]) -> Iterator[str]:
    for row in rows:
        if row.rule == rule:
            number = f" ({times[row.key]} times)" if times[row.key] > 1 else ""
            scope = f" in `{row.scope}`" if row.scope else ""
            where = f"`{row.path}`{scope}: `{row.code}`{number}"
            yield f"- {row.release}, **{row.verdict}**: {where}. {row.reason}"


def main() -> None:
    """Write the page; a gap between sites and judgements ends the run."""
    trees = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS.parent / ".cache" / "sglang"
    found = [key for release in RELEASES for key in sites(trees, release)]
    missing = gaps(found, judgements())
    if missing:
        raise SystemExit("\n".join(missing))
    PAGE.write_text(page(found, judgements()), encoding="utf-8")


if __name__ == "__main__":
    main()
