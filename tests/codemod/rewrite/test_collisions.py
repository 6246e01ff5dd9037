"""Names that collide with the accessor's, in every form in which Python binds one: refused, or still right.

Each program is run before and after: a name that stands for something else gives another number.
"""

from __future__ import annotations

import sys
import textwrap
from types import ModuleType, SimpleNamespace

import pytest

from tests.codemod.rewrite.planning import rewrite_text

RECORD, OTHER = 7, 0
HEAD = "from sglang.srt.runtime_context import get_server_args\n\n"
READ = "get_server_args().dp_size"

TAKEN = {
    "parameter": "def f(get_parallel=other): return READ",
    "positional-only": "def f(get_parallel=other, /): return READ",
    "keyword-only": "def f(*, get_parallel=other): return READ",
    "rest": "def f(*get_parallel): return READ",
    "keywords": "def f(**get_parallel): return READ",
    "of-a-lambda": "f = lambda get_parallel=other: READ",
    "local": "def f():\n    get_parallel = other\n    return READ",
    "local-further-down": "def f():\n    x = READ\n    get_parallel = other\n    return x",
    "annotated": "def f():\n    get_parallel: object\n    return READ",
    "augmented": "def f():\n    x = READ\n    if x < 0:\n        get_parallel += 1\n    return x",
    "unpacked": "def f():\n    get_parallel, x = other, 1\n    return READ",
    "starred": "def f():\n    x, *get_parallel = 1, 2\n    return READ",
    "loop": "def f():\n    for get_parallel in [other]: pass\n    return READ",
    "context": "def f():\n    with here() as get_parallel: pass\n    return READ",
    "exception": "def f():\n    try: fail()\n    except ValueError as get_parallel: pass\n    return READ",
    "exception-inside": "def f():\n    try: fail()\n    except ValueError as get_parallel: return READ",
    "import": "def f():\n    import os as get_parallel\n    return READ",
    "imported-module": "def f():\n    import get_parallel.x\n    return READ\nf = lambda: RECORD",
    "from-import": "def f():\n    from os import path as get_parallel\n    return READ",
    "function": "def f():\n    def get_parallel(): return other\n    return READ",
    "class": "def f():\n    class get_parallel: dp_size = 0\n    return READ",
    "deleted": "def f():\n    x = READ\n    if x < 0:\n        del get_parallel\n    return x",
    "comprehension": "def f(): return [READ for get_parallel in [other]][0]",
    "inner-comprehension": "def f(): return [[READ for x in [1]] for get_parallel in [other]][0][0]",
    "walrus": "def f(): return (get_parallel := other) and READ",
    "walrus-in-a-comprehension": "def f():\n    [get_parallel := other for x in [1]]\n    return READ",
    "match": "def f():\n    match 1:\n        case get_parallel: return READ",
    "match-as": "def f():\n    match 1:\n        case int() as get_parallel: return READ",
    "match-star": "def f():\n    match [1]:\n        case [*get_parallel]: return READ",
    "match-rest": "def f():\n    match {}:\n        case {**get_parallel}: return READ",
    "global": "def g():\n    global get_parallel\n    get_parallel = other\ndef f(): return g() or READ",
    "global-here": "def f():\n    global get_parallel\n    get_parallel = other\n    return READ",
    "nonlocal": (
        "def f():\n    get_parallel = None\n    def g():\n        nonlocal get_parallel\n"
        "        get_parallel = other\n        return READ\n    return g()"
    ),
    "closure": "def f():\n    get_parallel = other\n    def g(): return READ\n    return g()",
    "module": "get_parallel = other\ndef f(): return READ",
    "module-loop": "for get_parallel in [other]: pass\ndef f(): return READ",
    "module-import": "import os as get_parallel\ndef f(): return READ",
    "module-function": "def get_parallel(): return other\ndef f(): return READ",
    "module-walrus": "if (get_parallel := other): pass\ndef f(): return READ",
    "class-body": "class A:\n    get_parallel = other\n    x = READ\ndef f(): return A.x",
}
FREE = {
    "attribute-of-a-class": "class A:\n    get_parallel = other\n    def f(self): return READ\nf = A().f",
    "method": "class A:\n    def get_parallel(self): pass\n    def f(self): return READ\nf = A().f",
    "attribute": "def f():\n    x = here()\n    x.get_parallel = other\n    return READ",
    "keyword": "def f(): return dict(get_parallel=READ)['get_parallel']",
    "another-function": "def g(get_parallel): return get_parallel\ndef f(): return READ",
    "another-comprehension": "def f(): return [get_parallel for get_parallel in [READ]][0]",
    "first-iterable": "def f(): return [get_parallel for get_parallel in [READ]][0]",
    "default": "def f(get_parallel=None):\n    return None\ndef g(x=1): return READ\nf = g",
    "class-around": "class A:\n    get_parallel = 1\n    class B:\n        f = lambda _: READ\nf = A.B().f",
    "match-value": "def f():\n    match READ:\n        case Here.get_parallel: return READ",
    "text": "def f():\n    x = 'get_parallel'\n    return READ",
}  # fmt: skip
NEW = {
    "type-parameter": "def f[get_parallel](): return READ",
    "type-parameter-of-a-class": "class A[get_parallel]:\n    def f(self): return READ\nf = A().f",
    "type-alias": "def f():\n    type get_parallel = int\n    return READ",
}


def run(monkeypatch: pytest.MonkeyPatch, code: str) -> object:
    """What `f()` gives in a module in which the record and its namespace tell the same number."""
    runtime = ModuleType("sglang.srt.runtime_context")
    runtime.__dict__.update(
        get_server_args=lambda: SimpleNamespace(dp_size=RECORD),
        get_parallel=lambda: SimpleNamespace(dp_size=RECORD),
    )
    for name in ("sglang", "sglang.srt"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, runtime.__name__, runtime)
    space = {
        "other": lambda: SimpleNamespace(dp_size=OTHER),
        "here": Here,
        "Here": Here,
        "fail": fail,
        "RECORD": RECORD,
    }
    exec(compile(code, "program", "exec"), space)  # what the codemod wrote has to run
    return space["f"]()  # type: ignore[operator]


class Here:
    """A context that gives something else."""

    get_parallel = RECORD

    def __enter__(self) -> Here:
        return self

    def __exit__(self, *_: object) -> None:
        return


def fail() -> None:
    raise ValueError


def programs(*tables: dict[str, str]) -> list[object]:
    return [pytest.param(code, id=name) for table in tables for name, code in table.items()]


def program(code: str) -> str:
    return HEAD + textwrap.dedent(code).replace("READ", READ) + "\n"


needs_type_parameters = pytest.mark.skipif(sys.version_info < (3, 12), reason="no type parameters yet")


@pytest.mark.parametrize("code", programs(TAKEN))
def test_a_name_that_is_taken_keeps_the_read(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    before = program(code)
    made = rewrite_text(before)
    assert (made.rewritten, {skip.reason for skip in made.skips}) == (None, {"shadowed-name"})
    assert run(monkeypatch, before) == RECORD


@pytest.mark.parametrize("code", programs(FREE))
def test_a_name_that_is_free_is_used(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    before = program(code)
    made = rewrite_text(before)
    assert made.skips == ()
    assert made.rewritten is not None
    after = made.rewritten.new.decode()
    assert READ not in after
    assert (run(monkeypatch, before), run(monkeypatch, after)) == (RECORD, RECORD)


@needs_type_parameters
@pytest.mark.parametrize("code", programs(NEW))
def test_type_parameters(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    test_a_name_that_is_taken_keeps_the_read(monkeypatch, code)
