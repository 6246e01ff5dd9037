"""What is no bug is not counted: the kinds of false findings that the real releases held, and their like."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.flow.trees import found, plant, split, tally_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

IGNORED = Path(__file__).with_name("ignored.toml")
CASES = [
    pytest.param(case, id=case["name"]) for case in tomllib.loads(IGNORED.read_text(encoding="utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_found(case: dict[str, Any], tmp_path: Path) -> None:
    tree = plant(tmp_path / "sglang", split(case["tree"]))
    tally = tally_of(tree, engine=case.get("engine"))
    assert found(tally) == set()
    assert not tally.census.problems
