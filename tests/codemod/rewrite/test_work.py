"""The work of a rewrite grows with the sites of a file, not with their pairs: calls are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from ratchet.codemod.model import Edit
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.syntax.document import Document, read_document
from tests.codemod.rewrite.planning import CONTEXT, EXAMPLE, STYLE, plan, with_writes
from tests.counting import calls_of

FROM = f"from {CONTEXT} import get_server_args\n\n"
READ = "    a = {0}.page_size\n"
LOCAL = "    sa = get_server_args()\n"


def functions(body: str, head: str = FROM, arguments: str = "") -> Callable[[int], str]:
    """So many functions, each with a site."""
    return lambda n: head + "".join(f"def f{each}({arguments}):\n{body}\n" for each in range(n))


def one_function(body: str, first: str = "") -> Callable[[int], str]:
    """A function with so many sites."""
    return lambda n: f"{FROM}def f():\n{first}{body * n}"


RECORD = READ.format("get_server_args()")
SHAPES = {
    "reads": one_function(RECORD),
    "reads-of-a-local": one_function(READ.format("sa"), LOCAL),
    "a-local-again-and-again": one_function(LOCAL + READ.format("sa")),
    "a-local-each": functions(LOCAL + READ.format("sa")),
    "nested": lambda n: FROM + "def f():\n" + f"    def g():\n    {LOCAL}    {RECORD}" * n,
    "of-a-module": functions(
        READ.format("context.get_server_args()"), "from sglang.srt import runtime_context as context\n"
    ),
    "methods": lambda n: (
        "class A:\n    def __init__(self, server_args):\n        self.server_args = server_args\n"
        + "".join(f"    def f{each}(self):\n        return self.server_args.page_size\n" for each in range(n))
    ),
    "imported-each": functions(f"    {FROM}    return get_server_args().page_size\n", ""),
    "one-of-two": functions("    sa, b = get_server_args(), 1\n" + READ.format("sa")),
    "named-in-a-text": functions(LOCAL + READ.format("sa") + "    b = 'sa'\n"),
    "stores": functions(LOCAL + "    sa.page_size = sa.page_size\n"),
    "stores-in-one": one_function("    sa.page_size = sa.page_size\n", LOCAL),
    "bound-inside": functions(READ.format("(sa := get_server_args())")),
    "refused-bound-inside": functions(READ.format("(sa := get_server_args())") + "    return sa\n"),
    "refused-shadowed": functions(RECORD, arguments="get_memory"),
    "refused-tried": functions(
        f"    try:\n    {LOCAL}    except ValueError:\n        sa = None\n{READ.format('sa')}"
    ),
}  # fmt: skip


@pytest.mark.skipif(sys.version_info < (3, 11), reason="its profiler hands wrong values to initialisers")
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_sites_are_twice_the_work(shape: str) -> None:
    calls = []
    for number in (10, 50, 100, 200):  # the first loads what all need
        text = SHAPES[shape](number)
        edits = tuple(plan(EXAMPLE, text, with_writes))
        assert len(edits) >= number
        calls.append(calls_of(lambda text=text, edits=edits: migrate(text, edits)))  # type: ignore[misc]
    assert calls[3] - calls[2] < 2.5 * (calls[2] - calls[1])


def migrate(text: str, edits: tuple[Edit, ...]) -> None:
    document = read_document(EXAMPLE, text.encode())
    assert isinstance(document, Document)
    made = rewrite_document(document, text.encode(), edits, STYLE).rewritten
    assert made is None or prove(made, STYLE, old=document) == ()
