"""Each bug of the migration is found where it stood, and is gone in what replaced it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.flow.trees import found, marks, plant, split, tally_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SEEDS = Path(__file__).with_name("seeds.toml")
CASES = [
    pytest.param(case, id=case["name"]) for case in tomllib.loads(SEEDS.read_text(encoding="utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("moment", ["before", "after"])
def test_seed(case: dict[str, Any], moment: str, tmp_path: Path) -> None:
    files = split(case[moment])
    expected = marks(files)
    assert bool(expected) == (moment == "before")
    tree = plant(tmp_path / "sglang", files)
    assert found(tally_of(tree, engine=case.get("engine"))) == expected


@pytest.mark.parametrize("case", CASES)
def test_a_part_is_judged_with_what_the_whole_tree_says(case: dict[str, Any], tmp_path: Path) -> None:
    files = split(case["before"])
    tree = plant(tmp_path / "sglang", files)
    for cache in (None, tmp_path / "cold", tmp_path / "warm"):
        if cache == tmp_path / "warm":
            tally_of(tree, cache=cache)
        parts = [found(tally_of(tree, path, cache)) for path in files]
        assert set().union(*parts) == marks(files)
