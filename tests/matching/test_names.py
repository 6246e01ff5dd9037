"""Calls and imports of named functions: by whatever name, and of nothing else."""

from __future__ import annotations

import ast

import pytest

from ratchet.matching.local import LocalPlan
from ratchet.model import Kind, NameMatch, Rule


def rule(kind: Kind, match: NameMatch) -> Rule:
    return Rule(f"{kind}-rule", kind, match, "ratchet", "", "", "", "")


CALLS = rule("call", NameMatch(("app.lib.old", "app.pack.old")))
USES = rule("call", NameMatch(("app.lib.old",), imports=True))
IMPORTS = rule("import", NameMatch(("app.lib.old", "app.gone")))
RENAMES = rule("import", NameMatch(("app.lib.old",), renamed=True))
ANYWHERE = rule("call", NameMatch(("app.*.old",)))


def found(by: Rule, code: str, path: str = "main.py") -> list[str]:
    plan = LocalPlan([by], "app")
    matches = plan.match(path, code, plan.wants(path, code.encode()), lambda: ast.parse(code))
    return [f"{match.span.line} {match.scope or '-'} {match.code}" for match in matches]


FOUND_CALLS = [
    ("from-import", "from app.lib import old\nold()", ["2 - old()"]),
    ("renamed", "from app.lib import old as o\no()", ["2 - o()"]),
    ("module", "import app.lib\napp.lib.old()", ["2 - app.lib.old()"]),
    ("renamed module", "import app.lib as lib\nlib.old()", ["2 - lib.old()"]),
    ("module from its package", "from app import lib\nlib.old()", ["2 - lib.old()"]),
    ("renamed module from its package", "from app import lib as l\nl.old()", ["2 - l.old()"]),
    ("relative", "from .lib import old\nold()", ["2 - old()"]),
    ("relative module", "from . import lib\nlib.old()", ["2 - lib.old()"]),
    ("star", "from app.lib import *\nold()", ["2 - old()"]),
    ("re-exported name", "from app.pack import old\nold()", ["2 - old()"]),
    ("in a function", "from app.lib import old\ndef f():\n    return old()", ["3 f old()"]),
    ("local import", "def f():\n    from app.lib import old\n    old()", ["3 f old()"]),
    (
        "import in a try",
        "try:\n    from app.lib import old\nexcept ImportError:\n    old = None\nold()",
        ["5 - old()"],
    ),
    (
        "import under a condition",
        "if x:\n    from app.lib import old\nelse:\n    old = None\nold()",
        ["5 - old()"],
    ),
    ("method", "from app.lib import old\nclass A:\n    def m(self):\n        old()", ["4 A.m old()"]),
    ("class body", "from app.lib import old\nclass A:\n    x = old()", ["3 A old()"]),
    ("nested functions", "from app.lib import old\ndef f():\n    def g():\n        old()", ["4 f.g old()"]),
    ("async", "from app.lib import old\nasync def f():\n    await old()", ["3 f old()"]),
    ("lambda", "from app.lib import old\nf = lambda: old()", ["2 - old()"]),
    ("comprehension", "from app.lib import old\nx = [old() for y in z]", ["2 - old()"]),
    (
        "what a comprehension iterates over",
        "from app.lib import old\nx = [old for old in old()]",
        ["2 - old()"],
    ),
    ("decorator", "from app.lib import old\n@old\ndef f(): ...", ["2 - @old"]),
    ("decorator that is called", "from app.lib import old\n@old(1)\nclass A: ...", ["2 - old()"]),
    ("default argument", "from app.lib import old\ndef f(x=old()): ...", ["2 - old()"]),
    ("keyword names are sorted", "from app.lib import old\nold(1, b=2, a=3, **k)", ["2 - old(**, a, b)"]),
    ("argument of itself", "from app.lib import old\nold(old())", ["2 - old()", "2 - old()"]),
    ("in an f-string", "from app.lib import old\nx = f'{old()}'", ["2 - old()"]),
    ("alias", "from app.lib import old\nnew = old\nnew()", ["3 - new()"]),
    ("alias of an alias", "import app.lib as lib\nnew = lib.old\nnewer = new\nnewer()", ["4 - newer()"]),
    ("walrus", "from app.lib import old\nif (f := old):\n    f()", ["3 - f()"]),
    (
        "global of a function",
        "def f():\n    global old\n    from app.lib import old\ndef g():\n    old()",
        ["5 g old()"],
    ),
    ("before it is rebound", "from app.lib import old\nold()\nold = 1", ["2 - old()"]),
    ("rebound to itself", "from app.lib import old\nold = old\nold()", ["3 - old()"]),
    ("rebound in a branch", "from app.lib import old\nif x:\n    old = y\nold()", ["4 - old()"]),
    ("over several lines", "from app.lib import (\n    old,\n)\nold(\n    a=1,\n)", ["4 - old(a)"]),
    (
        "class attribute is no shadow",
        "from app.lib import old\nclass A:\n    old = 1\n    def m(self):\n        old()",
        ["5 A.m old()"],
    ),
    ("look-alike letters", "from app.lib import old\n\uff4f\uff4c\uff44()", ["2 - old()"]),
    (
        "with statement binds another",
        "from app.lib import old\nwith open(f) as old2:\n    old()",
        ["3 - old()"],
    ),
]

IGNORED_CALLS = [
    ("another module", "from app.other import old\nold()"),
    ("another package", "from lib import old\nold()"),
    ("relative to somewhere else", "from ..lib import old\nold()"),
    ("method of that name", "x.old()"),
    ("attribute of self", "class A:\n    def m(self):\n        self.old()"),
    ("no import at all", "old()"),
    ("only imported", "from app.lib import old"),
    ("only named", "from app.lib import old\nx = old"),
    ("handed on", "from app.lib import old\nf(old)"),
    ("attribute of it", "from app.lib import old\nold.cache()"),
    ("comment and text", "from app.lib import old\n# old()\nx = 'old()'"),
    ("longer name", "from app.lib import older\nolder()"),
    ("parameter", "from app.lib import old\ndef f(old):\n    old()"),
    ("keyword-only parameter", "from app.lib import old\ndef f(*, old):\n    old()"),
    ("lambda's parameter", "from app.lib import old\nf = lambda old: old()"),
    ("rebound", "from app.lib import old\nold = f\nold()"),
    ("redefined", "from app.lib import old\ndef old(): ...\nold()"),
    ("rebound in a function", "from app.lib import old\ndef f():\n    old = g\n    old()"),
    ("rebound by a loop", "from app.lib import old\ndef f():\n    for old in x:\n        old()"),
    ("rebound by a with", "from app.lib import old\ndef f():\n    with x as old:\n        old()"),
    (
        "rebound by an except",
        "from app.lib import old\ndef f():\n    try: ...\n    except E as old:\n        old()",
    ),
    (
        "rebound by a match",
        "from app.lib import old\ndef f(x):\n    match x:\n        case [old]:\n            old()",
    ),
    ("rebound by an unpacking", "from app.lib import old\na, (old, *b) = c\nold()"),
    ("rebound by an import", "from app.lib import old\nfrom app.other import old\nold()"),
    ("comprehension's own", "from app.lib import old\nx = [old() for old in y]"),
    ("local import elsewhere", "def f():\n    from app.lib import old\ndef g():\n    old()"),
    (
        "class attribute of that name",
        "class A:\n    from app.lib import old\n    def m(self):\n        old()",
    ),
    ("deleted", "from app.lib import old\ndel old\nold()"),
    ("module rebound", "import app.lib as lib\nlib = x\nlib.old()"),
    ("star of another module", "from app.other import *\nold()"),
    ("own function before the star", "from app.lib import *\ndef old(): ...\nold()"),
]


@pytest.mark.parametrize(
    ("code", "expected"), [case[1:] for case in FOUND_CALLS], ids=[c[0] for c in FOUND_CALLS]
)
def test_finds_calls(code: str, expected: list[str]) -> None:
    assert found(CALLS, code) == expected


@pytest.mark.parametrize("code", [case[1] for case in IGNORED_CALLS], ids=[case[0] for case in IGNORED_CALLS])
def test_ignores_other_calls(code: str) -> None:
    assert found(CALLS, code) == []


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("pkg/__init__.py", "from ..lib import old\nold()", ["2 - old()"]),
        ("pkg/mod.py", "from ..lib import old\nold()", ["2 - old()"]),
        ("pkg/deep/mod.py", "from ...lib import old\nold()", ["2 - old()"]),
        ("pkg/mod.py", "from .lib import old\nold()", []),
        ("__init__.py", "from .lib import old\nold()", ["2 - old()"]),
        ("pack/__init__.py", "from . import old\nold()", ["2 - old()"]),
        ("pack/mod.py", "from . import old\nold()", ["2 - old()"]),
        ("lib.py", "def old(): ...\ndef f():\n    old()", ["3 f old()"]),
        ("other.py", "def old(): ...\ndef f():\n    old()", []),
        ("main.py", "from .... import old\nold()", []),
    ],
)
def test_where_a_file_lies_decides_what_relative_imports_mean(
    path: str, code: str, expected: list[str]
) -> None:
    assert found(CALLS, code, path) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from app.lib import old", ["1 - from app.lib import old"]),
        ("from app.lib import a, old as b", ["1 - from app.lib import old as b"]),
        ("from .lib import old", ["1 - from .lib import old"]),
        ("from app.lib import *", ["1 - from app.lib import *"]),
        ("import app.gone", ["1 - import app.gone"]),
        ("import app.gone.deep as g", ["1 - import app.gone.deep as g"]),
        ("from app import gone", ["1 - from app import gone"]),
        ("from app.gone import a, b", ["1 - from app.gone import a", "1 - from app.gone import b"]),
        ("from app.lib import  *", ["1 - from app.lib import *"]),
        ("from app.lib import \\\n    *", ["2 - from app.lib import *"]),
        ("from app.gone import *", ["1 - from app.gone import *"]),
        ("def f():\n    from app.lib import old", ["2 f from app.lib import old"]),
        ("if T:\n    from app.lib import old", ["2 - from app.lib import old"]),
        ("from app.lib import (\n    a,\n    old,\n)", ["3 - from app.lib import old"]),
        ("import app.lib", []),
        ("from app import lib", []),
        ("from app.lib import older", []),
        ("from lib import old", []),
        ("from ..lib import old", []),
        ("from app.other import *", []),
        ("import app.gonerl", []),
        ("x = 'from app.lib import old'", []),
        ("app.lib.old()", []),
    ],
)
def test_imports(code: str, expected: list[str]) -> None:
    assert found(IMPORTS, code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from app.lib import old as o", ["1 - from app.lib import old as o"]),
        ("from app.lib import (old  # why\n    as o)", ["1 - from app.lib import old as o"]),
        ("from app.lib import old \\\n    as o", ["1 - from app.lib import old as o"]),
        ("from app.lib import old", []),
        ("from app.lib import old as old", []),
        ("from app.lib import new as old", []),
        ("from app.other import old as o", []),
        ("from app.lib import *", []),
        ("import app.lib as old", []),
    ],
)
def test_renamed_imports(code: str, expected: list[str]) -> None:
    assert found(RENAMES, code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from app.lib import old\nold()", ["1 - from app.lib import old", "2 - old()"]),
        ("from app.lib import *\nold()", ["1 - from app.lib import *", "2 - old()"]),
        ("from app import lib\nlib.old()", ["2 - lib.old()"]),
        ("from app.lib import new\nnew()", []),
    ],
)
def test_calls_and_imports(code: str, expected: list[str]) -> None:
    assert found(USES, code) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from app.a.b import old\nold()", ["2 - old()"]),
        ("from app.a import b\nb.old()", ["2 - b.old()"]),
        ("from app import old\nold()", []),
        ("from other.a import old\nold()", []),
    ],
)
def test_a_star_in_a_name_spans_dots(code: str, expected: list[str]) -> None:
    assert found(ANYWHERE, code) == expected


@pytest.mark.parametrize(
    ("engine", "expected"), [("1.0", []), ("2.0", ["old"]), ("3.0", ["old", "new"]), (None, ["old", "new"])]
)
def test_names_by_engine_version(engine: str | None, expected: list[str]) -> None:
    match = NameMatch((), versioned=((">=2", ("app.lib.old",)), (">=3", ("app.lib.new",))))
    code = "from app.lib import old, new\nold()\nnew()"
    plan = LocalPlan([rule("call", match)], "app", engine)
    matches = plan.match("main.py", code, plan.wants("main.py", code.encode()), lambda: ast.parse(code))
    assert [match.code.removesuffix("()") for match in matches] == expected
