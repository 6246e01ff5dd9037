"""The forms of code around two ends that decide whether they part: loops, handlers, lambdas, copies."""

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

FORMS = Path(__file__).with_name("forms.toml")
CASES = [
    pytest.param(case, id=case["name"]) for case in tomllib.loads(FORMS.read_text(encoding="utf-8"))["case"]
]


@pytest.mark.parametrize("case", CASES)
def test_only_what_is_marked_is_found(case: dict[str, Any], tmp_path: Path) -> None:
    files = split(case["tree"])
    assert found(tally_of(plant(tmp_path / "sglang", files))) == marks(files)
