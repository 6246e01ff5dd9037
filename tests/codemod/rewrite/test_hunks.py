"""The changed lines of a rewritten file: put in their places, they give the file as it becomes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratchet.codemod.hunks import Hunk, hunks_of
from ratchet.codemod.model import Rewritten
from ratchet.codemod.splice import Splice, splice
from tests.examples import times

CHANGES = [
    pytest.param("a\nb\nc\n", [(2, 3, "x")], [Hunk(2, ("b",), ("x",))], id="in-a-line"),
    pytest.param("a\nb\nc\n", [(2, 2, "x\n")], [Hunk(2, (), ("x",))], id="a-new-line"),
    pytest.param("a\nb\nc\n", [(2, 4, "")], [Hunk(2, ("b",), ())], id="a-line-that-goes"),
    pytest.param("a\nb\nc\n", [(1, 4, "")], [Hunk(1, ("a", "b", "c"), ("ac",))], id="lines-that-are-joined"),
    pytest.param(
        "a\nb\nc\n", [(0, 1, "x"), (4, 5, "y")], [Hunk(1, ("a",), ("x",)), Hunk(3, ("c",), ("y",))], id="two"
    ),
    pytest.param("a b\nc\n", [(0, 1, "x"), (2, 3, "y")], [Hunk(1, ("a b",), ("x y",))], id="two-in-a-line"),
    pytest.param("a\r\nb\r\n", [(3, 4, "x\r\ny")], [Hunk(2, ("b",), ("x", "y"))], id="other-line-ends"),
    pytest.param("a\nb", [(3, 3, "\nc")], [Hunk(3, (), ("c",))], id="behind-the-last-line"),
    pytest.param("a\n", [(0, 1, "a")], [], id="nothing"),
]


def rewritten(text: str, changes: list[tuple[int, int, str]], mark: bytes = b"") -> Rewritten:
    new = splice(text, [Splice(*change) for change in changes])
    return Rewritten("a.py", mark + text.encode(), mark + new.encode(), (), tuple(changes))


def lines_of(text: str) -> list[str]:
    return re.sub("\r\n?", "\n", text).removesuffix("\n").split("\n") if text else []


def put_in(text: str, hunks: tuple[Hunk, ...]) -> list[str]:
    """The lines of a text with hunks in their places."""
    lines = lines_of(text)
    for hunk in reversed(hunks):
        start = hunk.line - 1
        assert lines[start : start + len(hunk.old)] == list(hunk.old)
        lines[start : start + len(hunk.old)] = hunk.new
    return lines


@pytest.mark.parametrize(("text", "changes", "hunks"), CHANGES)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "bom"])
def test_hunks(text: str, changes: list[tuple[int, int, str]], hunks: list[Hunk], mark: bytes) -> None:
    assert list(hunks_of(rewritten(text, changes, mark))) == hunks


TEXTS = st.text("ab \n", max_size=30)


@settings(max_examples=times(80))
@given(
    plain=TEXTS,
    cuts=st.lists(st.integers(0, 30), max_size=8),
    parts=st.lists(TEXTS, min_size=4),
    end=st.sampled_from(["\n", "\r"]),
)
def test_any_changes_give_the_new_text(plain: str, cuts: list[int], parts: list[str], end: str) -> None:
    text, parts = plain.replace("\n", end), [part.replace("\n", end) for part in parts]
    at = sorted({min(cut, len(text)) for cut in cuts})
    changes = [(*pair, part) for pair, part in zip(zip(at[::2], at[1::2], strict=False), parts, strict=False)]
    file = rewritten(text, changes)
    assert put_in(text, hunks_of(file)) == lines_of(file.new.decode())


@pytest.mark.parametrize(
    ("lines", "touched"), [((1, 1), False), ((1, 2), True), ((3, 9), True), ((4, 5), False)], ids=str
)
def test_touching(lines: tuple[int, int], touched: bool) -> None:
    assert Hunk(2, ("b", "c"), ("x",)).touches(*lines) is touched
    assert not Hunk(2, (), ("x",)).touches(*lines)
