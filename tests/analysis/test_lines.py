"""Where statements begin and end, decorators included."""

from __future__ import annotations

import ast

import pytest

from ratchet.analysis.lines import first_line, holds_line

STATEMENTS = {
    "plain": ("\nx = (\n    1\n)\n", 2, 4),
    "a-function": ("def f():\n    pass\n", 1, 2),
    "a-decorated-function": ("\n@a\n@b(\n    1\n)\ndef f():\n    pass\n", 2, 7),
    "a-decorated-coroutine": ("@a\nasync def f():\n    pass\n", 1, 3),
    "a-decorated-class": ("@a\n\nclass C:\n    pass\n", 1, 4),
}


@pytest.mark.parametrize(("code", "first", "last"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_begins_with_its_decorators(code: str, first: int, last: int) -> None:
    statement = ast.parse(code).body[0]
    assert first_line(statement) == first
    held = [line for line in range(last + 3) if holds_line(statement, [line])]
    assert held == list(range(first, last + 1))


@pytest.mark.parametrize(
    ("lines", "held"),
    [([], False), ([1, 9], False), ([1, 4, 9], True), ([1, 2], True)],
    ids=["none", "around", "one-inside", "the-first"],
)
def test_one_of_some_lines(lines: list[int], held: bool) -> None:
    assert holds_line(ast.parse("\n@a\ndef f():\n    pass\n").body[0], lines) == held


def test_what_stands_nowhere() -> None:
    assert first_line(ast.Load()) == 0
