"""Where identifiers stand in a text, by the text alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ratchet.analysis.lines import Lines

_STAR = re.compile(r"import\s*\(?\s*\*")


def lines_with(lines: Lines, words: Iterable[str]) -> set[int]:
    """The numbers of the lines of a text that hold one of some words as an identifier, or a star import."""
    text = lines.text
    if not lines.ascii and unicodedata.normalize("NFKC", text) != text:
        return set(range(1, len(lines.starts) + 1))  # a letter may be another one in disguise
    stars = [match.start() for match in _STAR.finditer(text)] if words else []
    found = [offset for word in words for offset in _whole_words(text, word)]
    return set(lines.numbers(sorted([*found, *stars])))


def _whole_words(text: str, word: str) -> Iterator[int]:
    """Where an identifier stands by itself. Plain searches, one a word, beat a regular expression for all."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (_is_letter(text[start - 1 : start]) or _is_letter(text[end : end + 1])):
            yield start
        start = text.find(word, end)


def _is_letter(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
