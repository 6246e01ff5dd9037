"""What code can run from a function on: calls, methods, values handed on; and what cannot be followed."""

from __future__ import annotations

import pytest

from ratchet.reach import Node, Reach, Root, Traversal
from tests.reach.small import names, program, reached

CALLS = {
    "a-function": ("def used(): ...\ndef other(): ...\ndef start(): used()", {"used"}),
    "nested": ("def start():\n    def inner(): far()\n    inner()\ndef far(): ...", {"start.inner", "far"}),
    "a-nested-one-that-nobody-calls": ("def start():\n    def inner(): far()\ndef far(): ...", set()),
    "a-callback": ("def used(): ...\ndef start(): sorted([], key=used)", {"used"}),
    "in-a-lambda": ("def used(): ...\ndef start(): sorted([], key=lambda item: used())", {"used"}),
    "partial": ("from functools import partial\ndef used(): ...\ndef start(): partial(used, 1)()", {"used"}),
    "an-alias": ("def used(): ...\ndef start():\n    run = used\n    run()", {"used"}),
    "either": (
        "def one(): ...\ndef two(): ...\ndef start(x):\n    run = one if x else two\n    run()",
        {"one", "two"},
    ),
    "a-table": (
        "def one(): ...\ndef two(): ...\nTABLE = {'a': one, 'b': two}\ndef start(x): TABLE[x]()",
        {"one", "two"},
    ),
    "a-decorator": (
        "def wrap(f):\n    def inner(): return f()\n    return inner\n@wrap\n"
        "def used(): ...\ndef start(): used()",
        {"used", "wrap", "wrap.inner"},
    ),
    "registered": (
        "import web\napp = web.App()\n@app.get('/')\ndef page(): ...\ndef start(): web.run(app)",
        {"page"},
    ),
    "shadowed-by-a-parameter": ("def used(): ...\ndef start(used): used()", set()),
    "of-another-library": ("from json import loads\ndef start(): loads('1')", set()),
    "only-a-test-of-types": (
        "class Kind:\n    def __init__(self): ...\ndef start(x): isinstance(x, Kind)",
        set(),
    ),
    "a-literal-name": (
        "class Kind:\n    def used(self): ...\ndef start():\n    kind = Kind()\n    getattr(kind, 'used')()",
        {"Kind", "Kind.used"},
    ),
}


@pytest.mark.parametrize(("code", "expected"), CALLS.values(), ids=CALLS)
def test_calls(code: str, expected: set[str]) -> None:
    assert names(reached(code)) == expected


BASE = "class Base:\n    def run(self): self.step()\n    def step(self): ...\n"
CLASSES = {
    "a-constructor": (
        "class K:\n    def __init__(self): used()\ndef used(): ...\ndef start(): K()",
        {"K", "K.__init__", "used"},
    ),
    "self": (
        "class K:\n    def run(self): self.step()\n    def step(self): ...\ndef start(): K().run()",
        {"K", "K.run", "K.step"},
    ),
    "an-override": (
        BASE + "class D(Base):\n    def step(self): used()\ndef used(): ...\ndef start(): D().run()",
        {"Base", "D", "Base.run", "Base.step", "D.step", "used"},
    ),
    "an-override-that-nobody-makes": (
        BASE + "class D(Base):\n    def step(self): used()\ndef used(): ...\ndef start(): Base().run()",
        {"Base", "Base.run", "Base.step"},
    ),
    "super": (
        BASE + "class D(Base):\n    def step(self): super().step()\ndef start(): D().step()",
        {"Base", "D", "D.step", "Base.step"},
    ),
    "a-mixin": (
        "class M:\n    def run(self): self.step()\nclass D(M):\n    def step(self): ...\n"
        "def start(): D().run()",
        {"M", "D", "M.run", "D.step"},
    ),
    "a-property": (
        "class K:\n    @property\n    def size(self): return used()\ndef used(): ...\n"
        "def start(k: K): k.size",
        {"K.size", "used"},
    ),
    "parked-on-self": (
        "class W:\n    def go(self): ...\nclass K:\n    def __init__(self): self.w = W()\n"
        "    def run(self): self.w.go()\ndef start(): K().run()",
        {"K", "K.__init__", "K.run", "W", "W.go"},
    ),
    "annotated": ("class K:\n    def run(self): ...\ndef start(k: 'K | None'): k.run()", {"K.run"}),
    "elements": (
        "class K:\n    def run(self): ...\ndef start(many: list[K]):\n"
        "    for one in many:\n        one.run()",
        {"K.run"},
    ),
    "a-factory": (
        "class K:\n    def run(self): ...\ndef make(): return K()\ndef start(): make().run()",
        {"K", "K.run", "make"},
    ),
    "a-callable-object": (
        "class K:\n    def __call__(self): ...\ndef start():\n    k = K()\n    k()",
        {"K", "K.__call__"},
    ),
    "a-block": (
        "class K:\n    def __enter__(self): ...\n    def __exit__(self, *e): ...\n"
        "def start():\n    with K(): ...",
        {"K", "K.__enter__", "K.__exit__"},
    ),
}


@pytest.mark.parametrize(("code", "expected"), CLASSES.values(), ids=CLASSES)
def test_classes(code: str, expected: set[str]) -> None:
    assert names(reached(code)) == expected


FILES = {
    "imported": (
        {"a.py": "from shop.b import used\ndef start(): used()", "b.py": "def used(): ..."},
        {"b.py:used"},
    ),
    "renamed": (
        {"a.py": "from .b import used as u\ndef start(): u()", "b.py": "def used(): ..."},
        {"b.py:used"},
    ),
    "a-module": (
        {"a.py": "import shop.b\ndef start(): shop.b.used()", "b.py": "def used(): ..."},
        {"b.py:used"},
    ),
    "in-the-function": (
        {"a.py": "def start():\n    from shop import b\n    b.used()", "b.py": "def used(): ..."},
        {"b.py:used"},
    ),
    "re-exported": (
        {
            "a.py": "from shop.b import used\ndef start(): used()",
            "b/__init__.py": "from .c import used",
            "b/c.py": "def used(): ...",
        },
        {"b/c.py:used"},
    ),
    "a-star": (
        {"a.py": "from shop.b import *\ndef start(): used()", "b.py": "def used(): ..."},
        {"b.py:used"},
    ),
    "inherited": (
        {
            "a.py": (
                "from shop.b import Base\nclass D(Base):\n    def step(self): ...\ndef start(): D().run()"
            ),
            "b.py": "class Base:\n    def run(self): self.step()",
        },
        {"D", "D.step", "b.py:Base", "b.py:Base.run"},
    ),
    "by-a-literal-name": (
        {
            "a.py": "import importlib\ndef start(): importlib.import_module('shop.b').used()",
            "b.py": "def used(): ...",
        },
        {"b.py:used"},
    ),
    "a-circle": (
        {
            "a.py": "from shop.b import f\ndef start(): f()",
            "b.py": "from shop.a import start\ndef f(): start()",
        },
        {"b.py:f"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), FILES.values(), ids=FILES)
def test_files(files: dict[str, str], expected: set[str]) -> None:
    assert names(reached(files)) == expected


def test_a_method_of_an_unknown_object_is_possible_where_its_class_is_made() -> None:
    code = (
        "class K:\n    def step(self): ...\nclass Never:\n    def step(self): ...\n"
        "def start(x):\n    K()\n    x.step()"
    )
    found = reached(code)
    assert names(found) == {"K"}
    assert names(found, sure=False) == {"K.step"}


def test_a_framework_may_call_the_methods_of_a_class_that_derives_from_its_own() -> None:
    found = reached("import torch\nclass K(torch.Module):\n    def forward(self): ...\ndef start(): K()")
    assert names(found) == {"K"}
    assert names(found, sure=False) == {"K.forward"}


UNRESOLVED = {
    "a-dynamic-import": ("import importlib\ndef start(x): importlib.import_module(x)", "dynamic"),
    "code-as-text": ("def start(x): exec(x)", "dynamic"),
    "a-table-of-others": ("def start(table): table['x']()", "table"),
    "a-computed-name": ("def start(x, name): getattr(x, name)()", "computed"),
    "no-name-at-all": ("def start(x): (x.find() or x.seek())()", "callable"),
    "a-local": ("def start(x):\n    found = x.find()\n    found()", "callable"),
}


@pytest.mark.parametrize(("code", "why"), UNRESOLVED.values(), ids=UNRESOLVED)
def test_what_cannot_be_followed_is_told(code: str, why: str) -> None:
    assert [(found.why, found.node.scope) for found in reached(code).unresolved] == [(why, "start")]


FOLLOWED = {
    "a-builtin": "def start(): len([])",
    "another-library": "import os\ndef start(): os.getcwd()",
    "a-parameter": "def start(callback): callback()",
    "a-builtin-that-is-handed-a-generator": "def start(x): sorted(item.size or 1 for item in x)",
    "a-builtin-that-is-handed-a-list": "def start(x): tuple([item for item in x])",
}


@pytest.mark.parametrize("code", FOLLOWED.values(), ids=FOLLOWED)
def test_what_can_be_followed_is_not_told(code: str) -> None:
    assert reached(code).unresolved == ()


MANY = """
class Base:
    def run(self): self.step()
    def step(self): near()
class Derived(Base):
    def step(self): far(lambda: TABLE[0]())
TABLE = [one, two]
def one(): unknown().step()
def two(): ...
def near(): two()
def far(item): item()
def start(x):
    Derived().run()
    x()
    x.step()
"""


def test_what_was_walked_before_changes_no_answer() -> None:
    made, roots = program({"a.py": MANY}), [Root(Node("a.py", "start"))]

    def until(walk: Traversal, count: int) -> Reach:
        left = iter(range(count))
        return walk.until(lambda node, step: next(left, None) is None)

    walked = Traversal(*made, roots)
    whole = walked.whole()
    assert whole == Traversal(*made, roots).whole()
    counts = range(len(whole.steps) + 2)
    fresh = [until(Traversal(*made, roots), count) for count in counts]
    assert [list(found.steps) for found in fresh] == [list(until(walked, count).steps) for count in counts]
    assert fresh == [until(walked, count) for count in counts]
    assert [found.complete for found in fresh] == [False] * len(whole.steps) + [True] * 2


def test_the_way_is_the_shortest() -> None:
    code = (
        "def start():\n    far()\n    near()\ndef far(): near2()\ndef near2(): goal()\n"
        "def near(): goal()\ndef goal(): ..."
    )
    way = reached(code).chain(Node("a.py", "goal"))
    assert [(node.scope, line) for node, line in way] == [("start", 3), ("near", 6), ("goal", 0)]
