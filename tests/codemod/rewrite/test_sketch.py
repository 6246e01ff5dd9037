"""A file that was parsed in part is rewritten and proved as the whole one is."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ratchet.codemod.lockstep import Lockstep, Mismatch
from ratchet.codemod.model import Edit, Outcome
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.codemod.sketch import read_sketch
from ratchet.syntax.document import Document, read_document
from tests.codemod.rewrite.planning import EXAMPLE, STYLE, in_part, plan, with_writes
from tests.codemod.rewrite.test_cases import Case, each_case
from tests.examples import times

HEAD = "import os\n\nfrom sglang.srt.runtime_context import get_server_args\n\n\n"
READS = "def f():\n    return get_server_args().dp_size\n\n\n"
FAR = 'def far(a, b):\n    """Text."""\n    return a + b  # far\n\n\n@wrap\nclass Wrapped:\n    x = 1\n\n\n'
KEPT = (
    "class Kept:\n    @property\n    def one(self):\n        return 1\n\n    # Two.\n"
    "    def two(self):\n        return get_server_args().dp_size\n\n    def three(self): return 3\n\n\n"
)

ODD = {
    "a definition in a string at the margin": 'def g():\n    return """\ndef h(): 0\n"""\n\n\n',
    "a definition in a string in a class": 'class A:\n    x = """\n    def h(self): 0\n    """\n\n\n',
    "a string that ends where a definition seems to begin": 'x = """\ndef h(): """; y = 1\n\n\n',
    "an end in brackets": "def g(\n    a,\n):\n    return (\na\n)\n\n\n",
    "arguments of a decorator at the margin": "@wrap(\nos\n)\ndef g():\n    return 1\n\n\n",
    "a line that goes on": "x = 1 + \\\n    2\n\n\n",
    "a definition behind a line that goes on": "if os: \\\n  pass\nclass \\\nA: pass\n\n\n",
    "a definition in a branch": "if os:\n    def g():\n        return 1\nelse:\n    def g(): 2\n\n\n",
    "a class that holds nothing else": "class A:\n    def g(self):\n        return 1\n\n\n",
    "a class in a class": "class A:\n    class B:\n        def g(self): 1\n    def h(self): 2\n\n\n",
    "tabs": "class A:\n\tdef g(self):\n\t\treturn 1\n\n\n",
    "statements on one line": "def g(): a = 1; b = 2\n\n\n",
    "a form feed": "\fdef g():\n    return 1\n\n\n",
    "letters of several bytes": 'class Ä:\n    def ü(self): return "ß"\n\n    def x(self): 日本\n\n\n',
    "a comment behind": "def g():\n    return 1\n# end\n    # of it\n\n\n",
    "asynchronous": "async def g():\n    await os\n\n\nasync with os: pass\n\n\n",
}
BLOCKS = (
    READS.replace("f()", "e()"),
    FAR,
    KEPT,
    *ODD.values(),
    "x = get_server_args()\n",
    "# a comment\n",
    "x = 1\n\n\n",
)
TAMPERED = (
    "x = 1\n",
    "    x = 1\n",
    "def g(): 0\n",
    '"""',
    "\\\n",
    "    pass\n",
    "@wrap\n",
    "# far\n",
    "(",
    "",
)


def whole(text: str, edits: tuple[Edit, ...]) -> tuple[Outcome, list[str]]:
    document = read_document(EXAMPLE, text.encode())
    assert isinstance(document, Document)
    outcome = rewrite_document(document, text.encode(), edits, STYLE)
    found = prove(outcome.rewritten, STYLE, old=document) if outcome.rewritten is not None else ()
    return outcome, [problem.message for problem in found]


@each_case
def test_every_case_is_rewritten_as_the_whole_file_is(case: Case) -> None:
    text = f"{case.before.rstrip()}\n\n\n{FAR}{KEPT}"
    edits = tuple(plan(EXAMPLE, text, with_writes))
    outcome, problems, gaps = in_part(EXAMPLE, text.encode(), edits)
    assert (outcome, problems) == whole(text, edits)
    assert gaps


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_texts_are_rewritten_alike_or_not_proved(odd: str) -> None:
    text = HEAD + odd + READS + odd + KEPT + FAR
    edits = tuple(plan(EXAMPLE, text))
    outcome, problems, _ = in_part(EXAMPLE, text.encode(), edits)
    assert problems or (outcome, problems) == whole(text, edits)


def test_much_is_left_out() -> None:
    text = HEAD + FAR + READS + FAR * 3 + KEPT
    document = read_sketch(EXAMPLE, text.encode(), tuple(plan(EXAMPLE, text)))
    assert isinstance(document, Document)
    left_out = [text[start:end] for start, end in document.gaps.values()]
    one, three = KEPT.index("    @property"), KEPT.index("    def three")
    assert left_out == [FAR, FAR * 3, KEPT[one : KEPT.index("    def two")], KEPT[three:]]


@settings(max_examples=times(80))
@given(
    blocks=st.lists(st.sampled_from(BLOCKS), min_size=1, max_size=5),
    cut=st.integers(0, 1000),
    length=st.sampled_from((0, 0, 1, 4, 20)),
    put=st.sampled_from(TAMPERED),
    at_line=st.booleans(),
)
@example(blocks=[KEPT], cut=240, length=20, put="", at_line=False)
def test_no_difference_is_missed_that_the_whole_trees_show(
    blocks: list[str], cut: int, length: int, put: str, at_line: bool
) -> None:
    """Whatever the new text is: where it compares equal with a sketch, it does with the whole file."""
    text = HEAD + "".join(blocks) + READS
    assume(isinstance(read_document(EXAMPLE, text.encode()), Document))
    planned = new_text(text)
    assume(planned)
    cut %= len(planned)
    cut = planned.rfind("\n", 0, cut) + 1 if at_line else cut
    assert_seen(text, planned[:cut] + put + planned[cut + length :])


@pytest.mark.parametrize("put", TAMPERED)
def test_no_line_that_came_is_missed(put: str) -> None:
    text = HEAD + FAR + KEPT + READS
    lines = new_text(text).splitlines(keepends=True)
    for number in range(len(lines)):
        assert_seen(text, "".join([*lines[:number], put, *lines[number:]]))
        assert_seen(text, "".join([*lines[:number], put, *lines[number + 1 :]]))


def new_text(text: str) -> str:
    """A text rewritten; nothing where no edit can be made."""
    made = whole(text, tuple(plan(EXAMPLE, text)))[0].rewritten
    return made.new.decode() if made is not None else ""


def assert_seen(text: str, changed: str) -> None:
    """Whatever becomes of a text: where that compares equal with a sketch, it does with the whole file."""
    edits = tuple(plan(EXAMPLE, text))
    old, new = (read_document(EXAMPLE, one.encode()) for one in (text, changed))
    sketch = read_sketch(EXAMPLE, text.encode(), edits)
    assert isinstance(old, Document)
    assert isinstance(sketch, Document)
    if isinstance(new, Document):
        assert compared(sketch, new, edits) in (None, compared(old, new, edits))


def compared(old: Document, new: Document, edits: tuple[Edit, ...]) -> tuple[set[str], ...] | None:
    """What the comparison of two documents saw change; None where they differ in what was not planned."""
    lockstep = Lockstep(old, new, edits, STYLE)
    try:
        lockstep.compare()
    except Mismatch:
        return None
    return set(lockstep.removed), set(lockstep.unused)
