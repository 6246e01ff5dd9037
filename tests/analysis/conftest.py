"""The one way in which the tests of this folder call the analysis."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.analysis import cases

Analyse = Callable[..., list[str]]


@pytest.fixture(scope="session")
def analyse() -> Analyse:
    """Takes code, and the path that it stands at, to the lines of the contract."""

    def lines(code: str, path: str = cases.EXAMPLE) -> list[str]:
        return [cases.render(access) for access in cases.accesses(code, path)]

    return lines
