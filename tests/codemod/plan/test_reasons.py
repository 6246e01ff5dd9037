"""The table of reasons: complete, documented, and each example stays for its reason."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import get_args

import pytest

from ratchet.codemod.model import Plan, Reason
from ratchet.codemod.reasons import REASONS, Explained, explained
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.sites import Selection
from ratchet.codemod.style import Style
from ratchet.model import Problem
from tests.codemod.parameters_of import moved
from tests.codemod.plan.shop import PACK, plan

DOCS = Path(__file__).parents[3] / "docs"
OF_PARAMETERS: Reason = "unresolved-call-site"
OF_RUNS = {"unproved", "type-error"}
"""Reasons of what becomes of a parameter, which is no site, and of what a run finds in rewritten files."""


def test_every_reason_is_explained_once() -> None:
    assert sorted(item.code for item in REASONS) == sorted(get_args(Reason))


def test_a_reason_is_found_by_its_code() -> None:
    assert explained("fork").code == "fork"


def test_the_page_is_current() -> None:
    render = runpy.run_path(str(DOCS / "reasons.py"))["render"]
    assert (DOCS / "reasons.md").read_text(encoding="utf-8") == render(), "run `python docs/reasons.py`"


def planned(item: Explained) -> Plan:
    asked = Selection(writes="writes" in item.asked, parameters="parameters" in item.asked)
    return plan({item.path: item.example}, asked)


def reasons_found(item: Explained) -> set[str]:
    """The reasons for which sites of an example stay, those of the rewriter too."""
    found = planned(item)
    style = Style(PACK.package, would_cycle=lambda _module, _other: item.code == "import-cycle")
    outcome = rewrite(item.path, item.example.encode(), found.edits, style)
    assert not isinstance(outcome, Problem)
    return {skip.reason for skip in (*found.skips, *outcome.skips)}


OF_PLANS = [item for item in REASONS if item.code not in {OF_PARAMETERS, *OF_RUNS}]


@pytest.mark.parametrize("item", OF_PLANS, ids=lambda item: item.code)
def test_the_example_stays_for_its_reason(item: Explained) -> None:
    assert item.code in reasons_found(item)


def test_the_example_of_a_parameter_stays_for_its_reason() -> None:
    item = explained(OF_PARAMETERS)
    _, (parameter,) = moved({item.path: item.example})
    assert parameter.kept is not None
    assert (parameter.kept.reason, parameter.drops) == (OF_PARAMETERS, ())


def test_the_examples_of_runs_are_tried_too() -> None:
    tried = (Path(__file__).parents[1] / "write" / "test_later_reasons.py").read_text(encoding="utf-8")
    assert [code for code in sorted(OF_RUNS) if f'explained("{code}")' not in tried] == []
