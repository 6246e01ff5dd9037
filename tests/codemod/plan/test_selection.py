"""What is selected: namespaces with their groups, fields and paths; and how namespaces are spelled."""

from __future__ import annotations

import pytest

from ratchet.codemod.model import Accessor
from ratchet.codemod.sites import Selection
from ratchet.codemod.spelling import Speller, Spelling
from tests.codemod.plan.shop import PACK, code, decided, plan, told

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


# Functions that are handed the record

WHOLE = {
    "all reads": (
        "def f(settings):\n    return settings.timeout, settings.retries",
        ["settings.timeout -> get_net().timeout", "settings.retries -> get_net().retries"],
    ),
    "through an alias": (
        "def f(settings):\n    s = settings\n    return s.timeout",
        ["s.timeout -> get_net().timeout"],
    ),
    "one that stays": (
        "def f(settings):\n    return settings.timeout, settings.port",
        ["settings.timeout: handed-parameter", "settings.port: live-shadowed"],
    ),
    "a method of the record": (
        "def f(settings):\n    return settings.timeout, settings.summary()",
        ["settings.timeout: handed-parameter", "settings.summary(): not-a-field"],
    ),
    "one that stays in a function inside": (
        "def f(settings):\n    def g():\n        return settings.port\n    return settings.timeout, g",
        ["settings.port: live-shadowed", "settings.timeout: handed-parameter"],
    ),
    "a function beside": (
        "def f(settings):\n    return settings.port\n\ndef g(settings):\n    return settings.timeout",
        ["settings.port: live-shadowed", "settings.timeout -> get_net().timeout"],
    ),
    "methods of one class": (
        "class A:\n    def f(self, settings):\n        return settings.port\n\n"
        "    def g(self, settings):\n        return settings.timeout",
        ["settings.port: live-shadowed", "settings.timeout -> get_net().timeout"],
    ),
    "a read of the process's record holds nothing": (
        "def f(settings):\n    return settings.timeout, get_settings().port",
        ["settings.timeout -> get_net().timeout", "get_settings().port: live-shadowed"],
    ),
    "a write that nobody asked to move": (
        "def f(settings):\n    settings.retries = 1\n    return settings.timeout",
        ["settings.retries: owner-elsewhere", "settings.timeout: handed-parameter"],
    ),
    "handed on": (
        "def f(settings):\n    g(settings)\n    return settings.timeout",
        ["settings.timeout -> get_net().timeout"],
    ),
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.values(), ids=WHOLE)
def test_whole_functions(text: str, expected: list[str]) -> None:
    assert decided(text, "parameters") == expected


def test_a_function_with_fields_that_are_not_selected_stays() -> None:
    tree = {"a.py": code("def f(settings):\n    return settings.timeout, settings.theme\n")}
    assert told(plan(tree, Selection(namespaces=("net",), parameters=True))) == [
        "settings.timeout: handed-parameter"
    ]
