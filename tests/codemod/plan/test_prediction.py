"""What a plan does to the counts of access rules."""

from __future__ import annotations

import pytest

from ratchet.codemod.plan import Subject, plan_tree
from ratchet.codemod.prediction import Change, predict
from ratchet.codemod.sites import Selection
from ratchet.model import AccessMatch, Rule
from tests.codemod.plan.shop import PACK, SCHEMA, code, scan


def rule(id: str, match: AccessMatch) -> Rule:
    return Rule(id, "access", match, "ratchet", id, "why", "instead", "")


RULES = (
    rule("overrides", AccessMatch(operations=("call",), fields=("override",))),
    rule("pairs", AccessMatch(operations=("read",), origins=("supplied",), unit="path-field")),
    rule("published-writes", AccessMatch(operations=("write",), origins=("namespace",))),
    rule("reads", AccessMatch(operations=("read",), origins=("global",))),
)

SELF = "class A:\n    def f(self):\n        return self.settings.timeout + self.settings.timeout\n"
CASES = {
    "reads": ({"a.py": "def f():\n    return get_settings().timeout\n"}, "", [Change("reads", 1, 0)]),
    "what stays elsewhere counts on": (
        {
            "a.py": "def f():\n    return get_settings().timeout\n",
            "engines/b.py": "def f():\n    return get_settings().timeout\n",
        },
        "",
        [Change("reads", 2, 1)],
    ),
    "nothing moves": ({"a.py": "def f():\n    return get_settings().port\n"}, "", []),
    "a pair goes with its last read": ({"a.py": SELF}, "", [Change("pairs", 1, 0)]),
    "a pair stays with a read": ({"a.py": SELF + "def g(settings):\n    return settings.timeout\n"}, "", []),
    "an override call": (
        {"a.py": "def f():\n    get_settings().override('x', timeout=1, retries=2)\n"},
        "writes",
        [Change("overrides", 1, 0), Change("published-writes", 0, 2)],
    ),
    "a store": (
        {"a.py": "def f():\n    get_settings().timeout = 1\n"},
        "writes",
        [Change("published-writes", 0, 1)],
    ),
}


@pytest.mark.parametrize(("files", "asked", "expected"), CASES.values(), ids=CASES)
def test_predictions(files: dict[str, str], asked: str, expected: list[Change]) -> None:
    tree, scanned = scan({path: code(text) for path, text in files.items()})
    subject = Subject(scanned.facts, PACK, SCHEMA, None, tree.source.read)
    edits = plan_tree(subject, Selection(writes=asked == "writes")).edits
    assert list(predict(RULES, PACK, SCHEMA, None, scanned.facts, edits)) == expected
