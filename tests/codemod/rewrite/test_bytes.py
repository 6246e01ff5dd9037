"""A file's bytes: encodings, marks, line ends and what lies outside of the edits stay as they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ratchet.codemod.model import Outcome
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite
from ratchet.frozen import replace
from ratchet.model import Problem, Span
from ratchet.source.text import decode
from tests.codemod.rewrite.planning import EXAMPLE, STYLE, plan, result, with_writes

BEFORE = """\
import os
from sglang.srt.runtime_context import get_server_args


def f():
    sa = get_server_args()
    return sa.dp_size, "{letters}"
"""
AFTER = """\
import os
from sglang.srt.runtime_context import get_parallel


def f():
    return get_parallel().dp_size, "{letters}"
"""
BOM = b"\xef\xbb\xbf"


def outcome(data: bytes) -> Outcome:
    """What becomes of a file's bytes."""
    text = decode(data, EXAMPLE)
    assert isinstance(text, str), text
    made = rewrite(EXAMPLE, data, tuple(plan(EXAMPLE, text, with_writes)), STYLE)
    assert not isinstance(made, Problem), made
    return made


@pytest.mark.parametrize(
    ("encode", "letters"),
    [
        pytest.param(lambda text: text.encode(), "plain", id="utf-8"),
        pytest.param(lambda text: text.encode(), "é漢\U0001f600", id="wide-letters"),
        pytest.param(lambda text: BOM + text.encode(), "é", id="byte-order-mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), "é", id="crlf"),
        pytest.param(lambda text: text.replace("\n", "\r").encode(), "é", id="cr"),
        pytest.param(lambda text: text.rstrip("\n").encode(), "é", id="no-final-newline"),
        pytest.param(lambda text: (text + "\n\n\n").encode(), "é", id="more-final-newlines"),
        pytest.param(lambda text: f"# coding: latin-1\n{text}".encode("latin-1"), "éü", id="latin-1"),
        pytest.param(lambda text: f"#!/bin/x\n# coding: cp1252\n{text}".encode("cp1252"), "€", id="cp1252"),
        pytest.param(lambda text: f"# coding: utf-8\n{text}".encode(), "é", id="cookie"),
        pytest.param(lambda text: BOM + f"# coding: utf-8\n{text}".encode(), "é", id="mark-and-cookie"),
        pytest.param(lambda text: text.replace("\n\n\ndef", "\n\f\n\ndef").encode(), "é", id="form-feed"),
        pytest.param(lambda text: text.replace("    ", "\t").encode(), "é", id="tabs"),
        pytest.param(lambda text: text.replace("os\n", "os  \n").encode(), "é", id="trailing-blanks"),
        pytest.param(lambda text: (text + "\x0c# end\u2028\n").encode(), "\x85", id="separators"),
    ],
)
def test_bytes_stay(encode: Callable[[str], bytes], letters: str) -> None:
    before, after = (encode(text.replace("{letters}", letters)) for text in (BEFORE, AFTER))
    made = outcome(before)
    assert result(made.rewritten) == after
    assert made.rewritten is not None
    assert prove(made.rewritten, STYLE) == ()


def test_line_ends_of_a_mixed_file() -> None:
    text = "from sglang.srt.runtime_context import get_server_args, get_stream\r\n\r\n\r\ndef f():\r\n"
    text += "    x = get_server_args().dp_size\n    return x, get_stream\r\n"
    new = text.replace("get_server_args", "get_parallel")
    assert result(outcome(text.encode()).rewritten) == new.encode()


def test_new_lines_end_as_the_others() -> None:
    text = b"class A:\r\n    def f(self):\r\n        return self.server_args.dp_size\r\n"
    new = result(outcome(text).rewritten)
    assert new.startswith(b"from sglang.srt.runtime_context import get_parallel\r\n\r\n\r\nclass")
    assert new.count(b"\n") == new.count(b"\r\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"def f(:\n", "does not parse: invalid syntax", id="syntax"),
        pytest.param(
            b"x = '\xff'\n", "is not utf-8; save it as UTF-8, or declare its encoding (PEP 263)", id="bytes"
        ),
        pytest.param(b"# coding: nonsense\n", "declares an encoding that Python does not know", id="cookie"),
        pytest.param(b"x = 1\0\n", "holds a NUL byte, which Python does not read", id="nul"),
        pytest.param(
            BOM * 2 + b"x = 1\n", "does not parse: invalid non-printable character U+FEFF", id="two-marks"
        ),
        pytest.param(
            b"x = " + b"(" * 300 + b")" * 300, "does not parse: too many nested parentheses", id="nested"
        ),
    ],
)
def test_what_cannot_be_rewritten_is_a_problem(data: bytes, message: str) -> None:
    made = rewrite(EXAMPLE, data, (), STYLE)
    assert isinstance(made, Problem)
    assert made.message == message


def test_without_edits_nothing_changes() -> None:
    assert outcome(b"x = 1\n") == Outcome(None)


def test_a_text_that_is_nested_too_deeply() -> None:
    terms = " + ".join(["1"] * 3000)
    old = f"class A:\n    def f(self):\n        return {terms} + self.server_args.dp_size\n"
    edits = tuple(plan(EXAMPLE, old.replace(terms, "1")))
    shifted = tuple(
        replace(
            edit, span=Span(3, edit.span.column + len(terms) - 1, 3, edit.span.end_column + len(terms) - 1)
        )
        for edit in edits
    )
    made = rewrite(EXAMPLE, old.encode(), shifted, STYLE)
    assert isinstance(made, Problem)
    assert made.message.startswith("is nested too deeply to be")
