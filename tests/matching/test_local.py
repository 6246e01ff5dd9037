"""The plan of local rules: texts, globals, and what is left out before anything is parsed."""

from __future__ import annotations

import ast
import pickle
from dataclasses import replace

import pytest

from ratchet.matching.local import LocalPlan
from ratchet.model import AnyMatch, NameMatch, PatternMatch, Rule, TextMatch


def rule(match: TextMatch | AnyMatch | NameMatch | PatternMatch, rule_id: str = "r") -> Rule:
    kinds = {TextMatch: "text", AnyMatch: "global", NameMatch: "call", PatternMatch: "pattern"}
    return Rule(rule_id, kinds[type(match)], match, "ratchet", "", "", "", "")  # type: ignore[arg-type]


def found(by: Rule, code: str, path: str = "main.py") -> list[tuple[int, int, str, str]]:
    plan = LocalPlan([by], "app")
    matches = plan.match(path, code, plan.wants(path, code.encode()), lambda: ast.parse(code))
    return [(match.span.line, match.span.column, match.scope, match.code) for match in matches]


@pytest.mark.parametrize(
    ("regex", "unit", "text", "expected"),
    [
        (r"old\(", "match", "old(old(1))", [(1, 1, "", "old("), (1, 5, "", "old(")]),
        (r"old\(", "line", "old(old(1))\nx\nold()", [(1, 1, "", "old("), (3, 1, "", "old(")]),
        (r"old\(", "match", "# old() in a comment", [(1, 3, "", "old(")]),
        (r"old\(", "match", "this is (no Python: old(", [(1, 21, "", "old(")]),
        (r"old\s+new", "match", "é old\n\n  new", [(1, 3, "", "old new")]),
        (r"^old$", "match", "x old\nold\nold x", [(2, 1, "", "old")]),
        (r"x[ \t]*=(?!=)", "match", "x == 1\nx = 1", [(2, 1, "", "x =")]),
        (r"old(?!\()", "match", "old(\nold", [(2, 1, "", "old")]),
        (r"old", "match", "OLD o ld", []),
        (r"\bold\b", "match", "older bold", []),
        (r"x=$", "match", "x=1", []),
    ],
)
def test_texts(regex: str, unit: str, text: str, expected: list[tuple[int, int, str, str]]) -> None:
    assert found(rule(TextMatch(regex, unit)), text) == expected  # type: ignore[arg-type]


def test_a_text_ends_where_it_ends() -> None:
    plan = LocalPlan([rule(TextMatch(r"a\s+b"))], "app")
    span = plan.match("m.py", "xa\n b", plan.wants("m.py", b"xa\n b"), lambda: ast.parse(""))[0].span
    assert (span.line, span.column, span.end_line, span.end_column) == (1, 2, 2, 3)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f():\n    global a", [(2, 5, "f", "global a")]),
        ("def f():\n    global a, b", [(2, 5, "f", "global a"), (2, 5, "f", "global b")]),
        ("def f():\n    global a\n    if x:\n        global a", [(2, 5, "f", "global a")]),
        ("class A:\n    def m(self):\n        global a", [(3, 9, "A.m", "global a")]),
        ("async def f():\n    def g():\n        global a", [(3, 9, "f.g", "global a")]),
        (
            "def f():\n    global a\ndef g():\n    global a",
            [(2, 5, "f", "global a"), (4, 5, "g", "global a")],
        ),
        ("global a", []),
        ("def f():\n    nonlocal_a = 1", []),
        ("def f():\n    a = 'global a'  # global a", []),
        ("def f(global_a):\n    return global_a", []),
    ],
)
def test_globals(code: str, expected: list[tuple[int, int, str, str]]) -> None:
    assert found(rule(AnyMatch()), code) == expected


RULES = [
    rule(TextMatch(r"old_text\("), "text"),
    rule(NameMatch(("app.lib.old_call",)), "call"),
    rule(PatternMatch(("old_pattern($X)",)), "pattern"),
    rule(AnyMatch(), "global"),
]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("old_text(", True),
        ("x = old_call", True),
        ("old_pattern(1)", True),
        ("def f():\n    global x", True),
        ("x = ｏld_call", True),  # noqa: RUF001
        ("old text", False),
        ("print('new')", False),
        ("x = 'é'", False),
    ],
)
def test_wants(text: str, wanted: bool) -> None:
    assert bool(LocalPlan(RULES, "app").wants("m.py", text.encode())) is wanted


def test_a_rule_without_words_wants_every_file() -> None:
    assert LocalPlan([rule(PatternMatch(("$X == $X",)))], "app").wants("m.py", b"")
    assert found(rule(PatternMatch(("$X == $X",))), "a == a") == [(1, 1, "", "a == a")]


def test_nothing_is_parsed_for_texts_or_without_need() -> None:
    def refuse() -> ast.Module:
        raise AssertionError("parsed")

    plan = LocalPlan(RULES, "app")
    code = "old_text(1)\nglobally = 1"
    assert [match.rule for match in plan.match("m.py", code, plan.wants("m.py", code.encode()), refuse)] == [
        "text"
    ]
    elsewhere = LocalPlan([replace(RULES[2], paths=("lib",))], "app")
    assert elsewhere.match("m.py", "old_pattern(1)", elsewhere.wants("m.py", b"old_pattern(1)"), refuse) == ()


def test_what_the_parser_raises_is_passed_on() -> None:
    code = "old_pattern(1"
    plan = LocalPlan(RULES, "app")
    with pytest.raises(SyntaxError):
        plan.match("m.py", code, plan.wants("m.py", code.encode()), lambda: ast.parse(code))


def test_order_is_by_position_then_rule() -> None:
    code = "old_pattern(old_text(1))\nold_pattern(2)"
    plan = LocalPlan([*reversed(RULES), rule(PatternMatch(("old_text(...)",)), "also")], "app")
    matches = plan.match("m.py", code, plan.wants("m.py", code.encode()), lambda: ast.parse(code))
    assert [(match.span.line, match.span.column, match.rule) for match in matches] == [
        (1, 1, "pattern"),
        (1, 13, "also"),
        (1, 13, "text"),
        (2, 1, "pattern"),
    ]


def test_a_plan_travels_to_another_process() -> None:
    plan = LocalPlan(RULES, "app", "1.0")
    twin: LocalPlan = pickle.loads(pickle.dumps(plan))
    assert (twin.rules, twin.package, twin.engine, twin.needles) == (plan.rules, "app", "1.0", plan.needles)


def test_a_rule_of_other_versions_finds_nothing() -> None:
    limited = replace(RULES[0], engines=">=2")
    assert [len(LocalPlan([limited], "app", engine).needles) for engine in ("1.0", "2.0", None)] == [0, 1, 1]


def test_rules_of_other_kinds_are_left_out() -> None:
    assert LocalPlan([replace(RULES[0], kind="copy", match=AnyMatch())], "app").rules == ()
