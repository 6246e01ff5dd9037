"""Every rule of the shipped pack holds what its examples say."""

from __future__ import annotations

import pytest

from ratchet.examples import check_examples
from ratchet.model import Rule
from tests.rules.counting import count
from tests.shipped import PACK

RULES = [pytest.param(rule, id=rule.id) for rule in PACK.rules]


@pytest.mark.parametrize("rule", RULES)
def test_examples_hold(rule: Rule) -> None:
    assert check_examples(rule, count) == ()


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_shows_what_it_counts_and_what_it_does_not(rule: Rule) -> None:
    assert any(example.bad for example in rule.examples)
    assert any(example.good for example in rule.examples)
    assert bool(rule.codemod or rule.own_codemod) == any(example.fixed for example in rule.examples)


@pytest.mark.parametrize("rule", RULES)
def test_prose_reads_as_prose(rule: Rule) -> None:
    for text in (rule.why, rule.instead):
        assert "\n" not in text
        assert "  " not in text
        assert text.endswith(".")
    assert not rule.title.endswith(".")
    assert rule.title[0].islower() or rule.title.startswith("ServerArgs")
