"""The table of how the rules differ from the engine's own scanners: current, and without a gap."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.shipped import PACK
from tests.trees import TREES, tree_of

DOCS = Path(__file__).parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "differences.py"))
TABLE = (DOCS / "differences.tsv").read_text(encoding="utf-8").splitlines()
COLUMNS, ROWS = TABLE[1].split("\t"), [line.split("\t") for line in TABLE[2:]]


@pytest.mark.slow
def test_table_and_page_are_current() -> None:
    comparisons: list[Any] = []
    for release in MADE["RELEASES"]:
        tree_of(release)
        comparisons += MADE["compare"](MADE["read"](TREES, release))
    assert MADE["table"](comparisons).splitlines() == TABLE, "run `python docs/differences.py`"
    assert MADE["page"](comparisons) == (DOCS / "differences.md").read_text(encoding="utf-8")


def test_each_difference_has_causes_that_the_page_explains() -> None:
    causes = [cause for row in ROWS for cause in row[COLUMNS.index("cause")].split(", ")]
    assert set(causes) == set(MADE["CAUSES"])


def test_rules_of_the_table_are_rules_of_the_pack() -> None:
    assert {row[COLUMNS.index("rule")] for row in ROWS} <= {rule.id for rule in PACK.rules}


def test_no_site_stands_twice() -> None:
    seen = Counter(tuple(row) for row in ROWS)
    assert [row for row, count in seen.items() if count > 1] == []


def test_a_difference_without_a_cause_ends_the_run() -> None:
    values = ("0.5.17", "server-args-write", "text-write", "rule", "srt/tiny.py", 3, "start", "sa.port")
    with pytest.raises(SystemExit, match=r"0.5.17 srt/tiny.py:3: sa.port: .* no cause explains that"):
        MADE["Difference"](*values, cause="")
