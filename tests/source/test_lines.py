"""The lines of files, for what shows code."""

from __future__ import annotations

import pytest

from ratchet.source.lines import line_reader
from ratchet.source.overlay import Empty, Overlay


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"a\nb\n", ["a", "b", ""], id="unix"),
        pytest.param(b"a\r\nb", ["a", "b"], id="windows"),
        pytest.param(b"a\rb", ["a", "b"], id="old-mac"),
        pytest.param(b"a\x0cb\x0bc\n", ["a\x0cb\x0bc", ""], id="no-ends"),
        pytest.param(b"# coding: klingon\n", [], id="not-decoded"),
    ],
)
def test_lines_are_those_that_the_analysis_counts(data: bytes, lines: list[str]) -> None:
    assert list(line_reader(Overlay(Empty(), {"a.py": data}))("a.py")) == lines
