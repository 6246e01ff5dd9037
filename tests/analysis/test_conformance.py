"""The contract of the analysis, case by case, as it was handed to the project."""

from __future__ import annotations

import pytest

from tests.analysis.cases import HERE, Case, load
from tests.analysis.conftest import Analyse

CASES = list(load(HERE / "conformance.toml"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_contract(case: Case, analyse: Analyse) -> None:
    assert analyse(case.code) == list(case.accesses)
