"""Patterns: what each finds in a piece of code, and what it leaves alone."""

from __future__ import annotations

import ast

import pytest

from ratchet.analysis.lines import Lines
from ratchet.matching.pattern import compile_pattern, holes_of, pattern_fault
from ratchet.matching.snippets import SnippetRule, find_snippets

FINDS = [
    ("call", "f()", "f()", ["f()"]),
    ("call inside a call", "f()", "g(f())", ["f()"]),
    ("one argument", "f($X)", "f(1); f(g(2))", ["f(1)", "f(g(2))"]),
    ("any arguments", "f(...)", "f(); f(1, *a); f(x=1, **k)", ["f()", "f(1, *a)", "f(x=1, **k)"]),
    ("dots before an argument", "f(..., $LAST)", "f(1); f(1, 2, 3)", ["f(1)", "f(1, 2, 3)"]),
    ("dots around an argument", "f(..., None, ...)", "f(1, None, 2)", ["f(1, None, 2)"]),
    ("keyword", "f(x=1)", "f(x=1)", ["f(x=1)"]),
    ("keyword order is free", "f(a=1, b=$B)", "f(b=2, a=1)", ["f(b=2, a=1)"]),
    ("keyword with dots before", "f(..., x=$X)", "f(1, y=2, x=3)", ["f(1, y=2, x=3)"]),
    ("keyword with dots after", "f(x=$X, ...)", "f(1, y=2, x=3)", ["f(1, y=2, x=3)"]),
    ("expansion", "f(**$MORE)", "f(**a)", ["f(**a)"]),
    ("same hole, same code", "$X == $X", "a.b == a.b", ["a.b == a.b"]),
    ("same hole across quotes", "$X + $X", "'a' + \"a\"", ["'a' + 'a'"]),
    ("anonymous holes differ", "$_ == $_", "a == b", ["a == b"]),
    ("hole as the callee", "$F(1)", "a.b(1)", ["a.b(1)"]),
    ("hole as an attribute", "x.$NAME()", "x.go()", ["x.go()"]),
    ("hole as a keyword", "f($K=1)", "f(a=1)", ["f(a=1)"]),
    ("attribute read", "$X.args", "print(self.args)", ["self.args"]),
    ("attribute store", "$X.args", "self.args = 1", ["self.args"]),
    ("subscript", "$D['key']", 'd["key"]', ["d['key']"]),
    ("number", "f(1)", "f(0x1)", ["f(1)"]),
    ("comparison", "$X is not None", "a is not None", ["a is not None"]),
    ("lambda", "lambda x: $X", "key = lambda x: 1", ["lambda x: 1"]),
    ("await", "await f(...)", "async def g():\n    await f(1)", ["await f(1)"]),
    ("inside an f-string", "f($X)", 't = f"{f(1)} and {g(2)}"', ["f(1)"]),
    ("f-string with a hole", 'f"{$X}.py"', 't = f"{name}.py"', ["f'{name}.py'"]),
    ("decorator", "cached(...)", "@cached(size=1)\ndef f(): ...", ["cached(size=1)"]),
    ("default argument", "f()", "def g(x=f()): ...", ["f()"]),
    ("over several lines", "f($A, $B)", "f(\n    1,  # one\n    2,\n)", ["f(1, 2)"]),
    ("comprehension", "[f($X) for $X in ...]", "[f(a) for a in b]", ["[f(a) for a in b]"]),
    ("string with a dollar", "f('$X')", "f('$X')", ["f('$X')"]),
    ("assignment", "$X = f(...)", "a = f(1)", ["a = f(1)"]),
    ("assignment among targets", "$X = f(...)", "a = b = f(1)", ["a = b = f(1)"]),
    ("assignment to an attribute", "$O.args = $V", "self.args = 1", ["self.args = 1"]),
    ("annotated assignment", "$X: $T = f()", "a: int = f()", ["a: int = f()"]),
    ("augmented assignment", "$X += 1", "count += 1", ["count += 1"]),
    ("deletion", "del $X.args", "del self.args", ["del self.args"]),
    ("return", "return f(...)", "def g():\n    return f(1)", ["return f(1)"]),
    ("raise", "raise Error(...)", "raise Error('a')", ["raise Error('a')"]),
    ("if with any body", "if $C:\n    ...", "if a:\n    b()\n    c()", ["if a:"]),
    ("with", "with lock($X):\n    ...", "with lock(a):\n    b()", ["with lock(a):"]),
    ("two statements", "$X = f()\ng($X)", "a = f()\ng(a)", ["a = f(); g(a)"]),
    ("statements with dots", "$X = f()\n...\ng($X)", "a = f()\nb()\nc()\ng(a)", ["a = f(); b(); c(); g(a)"]),
    ("function", "def $F(...):\n    ...", "def f(a, *, b=1):\n    pass", ["def f(a, *, b=1):"]),
    (
        "function with a first parameter",
        "def $F(self, ...):\n    ...",
        "def f(self, b): ...",
        ["def f(self, b):"],
    ),
    (
        "function with a decorator",
        "@cached\ndef $F(...):\n    ...",
        "@a\n@cached\ndef f(): ...",
        ["def f():"],
    ),
    (
        "class with a base",
        "class $C(..., Base, ...):\n    ...",
        "class A(B, Base): x = 1",
        ["class A(B, Base):"],
    ),
    ("import", "import six", "import os, six", ["import os, six"]),
    ("from-import", "from six import $NAME", "from six import moves as m", ["from six import moves as m"]),
    ("from any module", "from $M import moves", "from a.b import moves", ["from a.b import moves"]),
]

IGNORES = [
    ("another callee", "f()", "g()"),
    ("the callee alone", "f()", "f"),
    ("an attribute of that name", "f()", "x.f()"),
    ("an argument too many", "f($X)", "f(1, 2)"),
    ("no argument", "f($X)", "f()"),
    ("a starred argument for one", "f($X)", "f(*a)"),
    ("a keyword too many", "f(x=1)", "f(x=1, y=2)"),
    ("a keyword missing", "f(..., x=1)", "f(1, y=1)"),
    ("a keyword for an argument", "f($X)", "f(x=1)"),
    ("another value", "f(x=1)", "f(x=2)"),
    ("expansion for a keyword", "f(x=1)", "f(**x)"),
    ("same hole, other code", "$X == $X", "a == b"),
    ("same hole deep inside", "f($X, g($X))", "f(1, g(2))"),
    ("same hole after dots", "f(..., $X, $X)", "f(1, 2, 1)"),
    ("order of arguments", "f(1, 2)", "f(2, 1)"),
    ("order of a comparison", "$X == None", "None == a"),
    ("true is not one", "f(1)", "f(True)"),
    ("one as a float", "f(1)", "f(1.0)"),
    ("text for a name", "f(name)", "f('name')"),
    ("bytes for text", "f('a')", "f(b'a')"),
    ("comment", "f()", "x = 1  # f()"),
    ("docstring", "f()", '"""f()"""'),
    ("name inside a longer one", "f()", "off()"),
    ("string with a hole's name", "f('$X')", "f('a')"),
    ("another f-string", 'f"{$X}.py"', 't = f"{name}.txt"'),
    ("another attribute", "$X.args", "self.kwargs"),
    ("another index", "$D['key']", "d['other']"),
    ("another operator", "$X + 1", "a - 1"),
    ("not the negation", "$X is not None", "a is None"),
    ("call for a plain assignment", "$X = f()", "f()"),
    ("annotation for none", "$X = f()", "a: int = f()"),
    ("comparison for an assignment", "$X = 1", "a == 1"),
    ("keyword for an assignment", "$X = 1", "g(x=1)"),
    ("else for none", "if $C:\n    ...", "if a:\n    b()\nelse:\n    c()"),
    ("statements with one between", "$X = f()\ng($X)", "a = f()\nb()\ng(a)"),
    ("statements of two blocks", "$X = f()\ng($X)", "if c:\n    a = f()\ng(a)"),
    ("statements with other holes", "$X = f()\n...\ng($X)", "a = f()\nb()\ng(c)"),
    ("function without the parameter", "def $F(self, ...):\n    ...", "def f(cls): ..."),
    ("function with a parameter too many", "def $F(a):\n    ...", "def f(a, b): ..."),
    ("function without the decorator", "@cached\ndef $F(...):\n    ...", "@other\ndef f(): ..."),
    ("class for a function", "def $F(...):\n    ...", "class F: ..."),
    ("async for a plain function", "def $F():\n    ...", "async def f(): ..."),
    ("class without the base", "class $C(Base):\n    ...", "class A(B): ..."),
    ("another import", "import six", "import sixteen"),
    ("import of something in it", "import six", "import six.moves"),
    ("relative for absolute", "from six import $NAME", "from .six import moves"),
    ("another module", "from six import moves", "from seven import moves"),
    ("return of something else", "return f(...)", "def g():\n    return 1"),
    ("await for none", "f(...)", "x = await_f"),
    ("deletion of a name", "del $X.args", "del args"),
]


def found(pattern: str, code: str, **where: str) -> list[str]:
    snippet = compile_pattern(pattern, tuple(where.items()))
    matches = find_snippets(SnippetRule("rule", (snippet,)), ast.parse(code), Lines(code))
    return [match.code for match in sorted(matches, key=lambda match: (match.span.line, match.span.column))]


@pytest.mark.parametrize(
    ("pattern", "code", "expected"), [case[1:] for case in FINDS], ids=[c[0] for c in FINDS]
)
def test_finds(pattern: str, code: str, expected: list[str]) -> None:
    assert found(pattern, code) == expected


@pytest.mark.parametrize(
    ("pattern", "code"), [case[1:] for case in IGNORES], ids=[case[0] for case in IGNORES]
)
def test_ignores(pattern: str, code: str) -> None:
    assert found(pattern, code) == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a = Mock()", ["a = Mock()"]),
        ("a = mock.Mock(1)", ["a = mock.Mock(1)"]),
        ("a = Mocker()", []),
        ("a = my.Mock.other()", []),
    ],
)
def test_where_limits_what_a_hole_holds(code: str, expected: list[str]) -> None:
    assert found("$X = $F(...)", code, F=r"(\w+\.)*Mock") == expected


@pytest.mark.parametrize(
    ("code", "scope", "span"),
    [
        ("x = f()", "", (1, 5, 1, 8)),
        ("class A:\n    def m(self):\n        f()", "A.m", (3, 9, 3, 12)),
        ("def a():\n    def b():\n        f()", "a.b", (3, 9, 3, 12)),
        ("@f()\ndef a(x=f()): ...", "", (1, 2, 1, 5)),
        ("s = 'é'; f()", "", (1, 10, 1, 13)),
        ("y = [f() for x in z]", "", (1, 6, 1, 9)),
    ],
)
def test_where_a_match_stands(code: str, scope: str, span: tuple[int, int, int, int]) -> None:
    match = next(find_snippets(SnippetRule("rule", (compile_pattern("f()"),)), ast.parse(code), Lines(code)))
    place = match.span
    assert (match.scope, place.line, place.column, place.end_line, place.end_column) == (scope, *span)


def test_two_patterns_that_meet_in_one_place_are_one_match() -> None:
    snippets = (compile_pattern("f($X)"), compile_pattern("f(1)"), compile_pattern("f(...)"))
    assert len(list(find_snippets(SnippetRule("rule", snippets), ast.parse("f(1)"), Lines("f(1)")))) == 1


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("f(", "is no Python with `$NAME` and `...` holes: '(' was never closed"),
        ("", "is no Python with `$NAME` and `...` holes: it holds no code"),
        ("# only this", "is no Python with `$NAME` and `...` holes: it holds no code"),
        ("$X", "is no Python with `$NAME` and `...` holes: it matches everything"),
        ("...", "is no Python with `$NAME` and `...` holes: it matches everything"),
        ("f($X)", None),
    ],
)
def test_faults(pattern: str, fault: str | None) -> None:
    assert pattern_fault(pattern) == fault


def test_holes() -> None:
    assert holes_of("$F($A, '$B', f'{$C}', $A)  # $D") == {"F", "A", "C"}
