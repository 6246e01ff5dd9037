"""Plans as text for the cache: the same plan comes back, and damage is told."""

from __future__ import annotations

import pytest

from ratchet.codemod.encoding import decode_plan, encode_plan
from ratchet.codemod.inspection import Finding
from ratchet.codemod.model import Accessor, Drop, Parameter, Plan, Refusal
from ratchet.codemod.prediction import Change
from ratchet.codemod.sites import Selection
from ratchet.frozen import replace
from ratchet.model import Span
from tests.codemod.plan.shop import code, plan

TEXT = """
def f(settings, **given):
    get_settings().override('x', **given)
    get_settings().timeout += 1
    return get_settings().timeout, getattr(get_settings(), 'retries', 3), settings.theme, 'größe'
"""
CHANGES = (Change("reads", 3, 1),)
DROPS = (Drop("a.py", Span(1, 7, 1, 15), "parameter", True), Drop("b.py", Span(2, 5, 2, 6), "argument"))
PARAMETERS = (
    Parameter("a.py", Span(1, 7, 1, 15), "shop.a.f", "settings", DROPS),
    Parameter("a.py", Span(9, 7, 9, 15), "shop.a.g", "settings", (), Refusal("fork", "größe")),
)
FINDINGS = {"a1": Finding(Refusal("import-time", "größe")), "a2": Finding(None, "module.f", "C.f")}


@pytest.mark.parametrize(
    "asked", [Selection(), Selection(writes=True, parameters=True)], ids=["reads", "writes"]
)
def test_the_same_plan_comes_back(asked: Selection) -> None:
    made = plan({"a.py": code(TEXT)}, asked)
    assert made.skips
    made = replace(made, parameters=PARAMETERS)
    again = decode_plan(encode_plan(made, CHANGES, FINDINGS, [["reads", "a.py"]]))
    assert again == (made, CHANGES, FINDINGS, [["reads", "a.py"]])


def test_the_edits_of_a_rule_come_back() -> None:
    (edit, *_) = plan({"a.py": code(TEXT)}, Selection(writes=True, parameters=True)).edits
    uses = (Accessor("shop.log", "get_log"), Accessor("shop.log", "größe"))
    made = Plan((replace(edit, uses=uses, kept=((1, 4), (9, 12))), replace(edit, uses=(), own_name=True)), ())
    assert decode_plan(encode_plan(made, (), {}))[0] == made


def test_an_empty_plan_comes_back() -> None:
    assert decode_plan(encode_plan(Plan((), ()), (), {})) == (Plan((), ()), (), {}, [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[1,2,3,4]",
        '[[["a","a.py",[1,1,1,2],"","read","global","f","n","b","c",["m","n"],"","",null]],[],[],[],[],[],[]]',
        '[[["a"]],[],[],[],[],[],[]]',
        "[[],[],[],[],[1],[],[]]",
        "[[],[],[],[],1,[],[]]",
        "[[],[],[],[],[],[[1]],[]]",
        "[[],[],[],[],[],[],1]",
        "{",
        "null",
    ],
)
def test_damage_is_told(text: str) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        decode_plan(text)
