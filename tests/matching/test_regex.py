"""Facts about regular expressions are drawn from the expression, and never claim too much."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.matching.regex import required_words, stays_on_line

WORDS = [
    (r"old\(", ("old(",)),
    (r"\bold\(", ("old(",)),
    (r"one|two", ("one", "two")),
    (r"a|b", ()),
    (r"foo|food", ("foo",)),
    (r"(?:one|two)\.go", (".go",)),
    (r"pre(?:one|two)", ("preone", "pretwo")),
    (r"a+longer", ("longer",)),
    (r"(?:needed){2}", ("needed",)),
    (r"(?x) needed # a note", ("needed",)),
    (r"(?P<name>word)\s", ("word",)),
    (r"(?<=before)word", ("word",)),
    (r"\w+", ()),
    (r"(?:word)?x*", ()),
    (r"(?i)word", ()),
    (r"(?i:word)", ()),
    (r"word|\d", ()),
    (r"[ab]", ()),
]


@pytest.mark.parametrize(("regex", "words"), WORDS)
def test_required_words(regex: str, words: tuple[str, ...]) -> None:
    assert required_words(regex) == words


PIECES = st.sampled_from(
    ["a", "b", "ab", r"\w", r"\s", ".", "[ab]", "[^a]", "(?:a|bc)", "(?:ab)?", "(a)", "b+", "a*?", r"\b"]
)


@given(st.lists(PIECES, min_size=1, max_size=5), st.text(alphabet="abc \n", max_size=12))
def test_what_is_required_is_there_and_lines_stay_whole(pieces: list[str], text: str) -> None:
    """Whatever matches holds a required word, and no line end where that is promised."""
    for regex in ("".join(pieces), "|".join(pieces)):
        words, on_line = required_words(regex), stays_on_line(regex)
        for match in re.finditer(regex, text, re.MULTILINE):
            assert not words or any(word in match[0] for word in words)
            assert not on_line or "\n" not in match[0]


@pytest.mark.parametrize(
    ("regex", "stays"),
    [
        (r"old\([^)\n]*\)", True),
        (r"^old$", True),
        (r"x(?!=)", True),
        (r"x[ \t]*=", True),
        (r".*old", True),
        (r"old\s*\(", False),
        (r"old[^)]*", False),
        (r"(?s)old.*", False),
        (r"(?s:old.*)x", False),
        (r"old\n", False),
        (r"old\W", False),
        (r"old\Z", False),
        (r"x(?=\nold)", False),
    ],
)
def test_stays_on_line(regex: str, stays: bool) -> None:
    assert stays_on_line(regex) is stays
