"""The committed report of what the flow rules find on real releases: complete, current, and mostly right."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

import pytest

from tests.trees import TREES, tree_of

DOCS = Path(__file__).parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "flow_findings.py"))
ROWS = MADE["judgements"]()


@pytest.mark.slow
def test_every_site_is_judged_and_the_page_is_current() -> None:
    found = []
    for release in MADE["RELEASES"]:
        tree_of(release)
        found += MADE["sites"](TREES, release)
    assert MADE["gaps"](found, ROWS) == ()
    assert MADE["page"](found, ROWS) == (DOCS / "flow-findings.md").read_text(encoding="utf-8")


def test_fewer_than_one_in_five_is_false_of_each_rule() -> None:
    verdicts = Counter((row.rule, row.verdict) for row in ROWS)
    for rule in {row.rule for row in ROWS}:
        false = verdicts[rule, "false"]
        assert 5 * false < false + verdicts[rule, "real"], rule


def test_no_site_is_judged_twice() -> None:
    seen = Counter(row.key for row in ROWS)
    assert [key for key, number in seen.items() if number > 1] == []


def test_gaps_are_told() -> None:
    judged, unknown = ROWS[0], ("0.5.17", "lost-write", "a.py", "f", "x")
    assert MADE["gaps"]([judged.key, unknown], [judged]) == (f"not judged: {' | '.join(unknown)}",)
    assert MADE["gaps"]([], [judged]) == (f"no site any more: {' | '.join(judged.key)}",)
