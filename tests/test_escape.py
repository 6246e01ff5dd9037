"""Fields that hold anything read back to the same text, and nothing unprintable reaches a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.escape import display_path, escape_field, unescape_field

FIELDS = [
    pytest.param("srt/utils.py", "srt/utils.py", id="plain"),
    pytest.param("with space.py", "with space.py", id="space"),
    pytest.param("naïve/数.py", "naïve/数.py", id="unicode-stays"),
    pytest.param("", "", id="empty"),
    pytest.param("a\tb", "a\\tb", id="tab"),
    pytest.param("a\nb\r", "a\\nb\\r", id="line-ends"),
    pytest.param("a\\b", "a\\\\b", id="backslash"),
    pytest.param("a\\nb", "a\\\\nb", id="backslash-n-is-no-newline"),
    pytest.param("caf\udce9.py", "caf\\udce9.py", id="byte-of-a-name"),
    pytest.param("\x1b[31m\x00", "\\x1b[31m\\x00", id="terminal-control"),
    pytest.param("a\x85b\u2028c", "a\\x85b\\u2028c", id="other-line-separators"),
    pytest.param("a\u202eb", "a\\u202eb", id="writing-direction"),
    pytest.param("#a.py", "\\x23a.py", id="hash-in-front"),
    pytest.param("a#.py", "a#.py", id="hash-inside-stays"),
]


@pytest.mark.parametrize(("text", "field"), FIELDS)
def test_field(text: str, field: str) -> None:
    assert escape_field(text) == field
    assert unescape_field(field) == text


@given(st.text(st.characters(codec=None)))
def test_field_reads_back_and_stays_on_one_line(text: str) -> None:
    field = escape_field(text)
    assert unescape_field(field) == text
    assert len(f"x{field}x".splitlines()) == 1
    assert "\t" not in field
    field.encode("utf-8")


@pytest.mark.parametrize("field", ["a\\", "\\q", "\\x1", "\\xzz", "\\u12", "\\X41", "\\\n"])
def test_refuses_escapes_that_it_does_not_write(field: str) -> None:
    with pytest.raises(ValueError, match="unknown escape"):
        unescape_field(field)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        pytest.param("srt/a b.py", "srt/a b.py", id="plain"),
        pytest.param("a\\b", "a\\b", id="backslash-stays"),
        pytest.param("naïve/数.py", "naïve/数.py", id="unicode-stays"),
        pytest.param("a\nb\t.py", "a\\nb\\t.py", id="line-end"),
        pytest.param("caf\udce9.py", "caf\\xe9.py", id="byte"),
        pytest.param("\x1b]0;x\x07", "\\x1b]0;x\\x07", id="terminal-control"),
        pytest.param("a\u202eb\ue000", "a\\u202eb\\ue000", id="hidden-characters"),
    ],
)
def test_display_path(path: str, shown: str) -> None:
    assert display_path(path) == shown
