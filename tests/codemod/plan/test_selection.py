"""What is selected: namespaces with their groups, fields and paths; and how namespaces are spelled."""

from __future__ import annotations

import pytest

from ratchet.codemod.model import Accessor
from ratchet.codemod.sites import Selection
from ratchet.codemod.spelling import Speller, Spelling
from tests.codemod.plan.shop import PACK, code, plan, told

TREE = {
    "a.py": code("def f():\n    s = get_settings()\n    return s.timeout, s.theme, s.accent, s.region\n"),
    "ab/c.py": code("def f():\n    return get_settings().timeout\n"),
    "ab.py": code("def f():\n    return get_settings().retries\n"),
}
TIMEOUT, THEME, ACCENT = (
    "s.timeout -> get_net().timeout",
    "s.theme -> get_ui().theme",
    "s.accent -> get_ui().colors.accent",
)
REGION = "s.region: no-namespace"
OTHERS = ["get_settings().retries -> get_net().retries", "get_settings().timeout -> get_net().timeout"]

SELECTIONS = {
    "everything": (Selection(), [TIMEOUT, THEME, ACCENT, REGION, *OTHERS]),
    "a namespace": (Selection(("net",)), [TIMEOUT, *OTHERS]),
    "a namespace with its groups": (Selection(("ui",)), [THEME, ACCENT]),
    "a group": (Selection(("ui.colors",)), [ACCENT]),
    "two namespaces": (Selection(("ui.colors", "net")), [TIMEOUT, ACCENT, *OTHERS]),
    "a field": (Selection(fields=("theme",)), [THEME]),
    "a field of another namespace": (Selection(("net",), ("theme",)), []),
    "a field without a namespace": (Selection(fields=("region",)), [REGION]),
    "a name that begins alike": (Selection(("u",)), []),
    "a file": (Selection(("net",), paths=("a.py",)), [TIMEOUT]),
    "a folder": (Selection(paths=("ab",)), [OTHERS[1]]),
    "a folder that is not there": (Selection(paths=("b",)), []),
}


@pytest.mark.parametrize(("selection", "expected"), SELECTIONS.values(), ids=SELECTIONS)
def test_selections(selection: Selection, expected: list[str]) -> None:
    assert told(plan(TREE, selection)) == expected


SPELLINGS = {
    "top": ("net", None, Spelling("get_net().x", Accessor("shop.context", "get_net"))),
    "group": ("ui.colors", None, Spelling("get_ui().colors.x", Accessor("shop.context", "get_ui"))),
    "older engine": ("ui.colors", "1.9", Spelling("ui_bag().colors.x", Accessor("shop.old", "ui_bag"))),
    "newer engine": ("ui", "2.0", Spelling("get_ui().x", Accessor("shop.context", "get_ui"))),
    "unknown group": ("ui.sounds", None, None),
    "unknown namespace": ("blog", None, None),
    "a name that begins alike": ("network", None, None),
}


@pytest.mark.parametrize(("namespace", "engine", "expected"), SPELLINGS.values(), ids=SPELLINGS)
def test_spellings(namespace: str, engine: str | None, expected: Spelling | None) -> None:
    assert Speller(PACK, engine).read(namespace, "x") == expected


def test_the_spelling_of_the_engine_is_planned() -> None:
    edits = plan(TREE, Selection(("ui.colors",)), engine="1.0").edits
    assert [(edit.after, edit.accessor.module) for edit in edits] == [("ui_bag().colors.accent", "shop.old")]


@pytest.mark.parametrize(
    ("namespace", "field", "live"),
    [("net", "port", True), ("net", "timeout", False), ("ui", "port", False), (None, "port", False)],
)
def test_live_names(namespace: str | None, field: str, live: bool) -> None:
    assert Speller(PACK, None).live(namespace, field) is live
