"""What is said of examples that do not hold."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import pytest

from ratchet.examples import check_examples
from ratchet.model import Example, Rule, Site, Span, TextMatch


def count(example: Example, code: str) -> Sequence[Site]:
    """One site for each call of `old` on a line of its own, none in the folder `lib` or on engine 2."""
    ast.parse(code)
    lines = [number for number, line in enumerate(code.splitlines(), 1) if line == "old()"]
    path = example.path
    wanted = [] if path.startswith("lib/") or example.engine == "2" else lines
    return [
        Site(rule, path, Span(line, 1, line, 6), "", "old()") for line in wanted for rule in ("r", "other")
    ]


def failures(example: Example) -> list[str]:
    rule = Rule(
        "r", "text", TextMatch("x"), "ratchet", "", "", "", "", examples=(example,), file="mine/r.toml"
    )
    return list(check_examples(rule, count))


@pytest.mark.parametrize(
    "example",
    [
        Example(bad="old()"),
        Example(bad="\nold()\nnew()\nold()\n", sites=2),
        Example(good="new()"),
        Example(good="old()", path="lib/a.py"),
        Example(good="old()", engine="2"),
        Example(bad="old()", fixed="new()"),
        Example(bad="new()", sites=0),
    ],
)
def test_holds(example: Example) -> None:
    assert failures(example) == []


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (Example(bad="new()"), "the bad code of example 1 should hold 1 site, and none is found"),
        (
            Example(bad="old()\nold()"),
            "the bad code of example 1 should hold 1 site, and 2 are found (line 1: old(), line 2: old())",
        ),
        (
            Example(bad="old()", sites=3),
            "the bad code of example 1 should hold 3 sites, and 1 is found (line 1: old())",
        ),
        (
            Example(good="\nold()"),
            "the good code of example 1 should hold no site, and 1 is found (line 1: old())",
        ),
        (
            Example(bad="old()", fixed="old()"),
            "the fixed code of example 1 should hold no site, and 1 is found (line 1: old())",
        ),
        (
            Example(bad="old()", path="lib/a.py"),
            "the bad code of example 1 should hold 1 site, and none is found",
        ),
        (Example(good="new("), "the good code of example 1 does not parse: line 1: '(' was never closed"),
    ],
)
def test_fails(example: Example, expected: str) -> None:
    assert failures(example) == [f"mine/r.toml: {expected}"]
