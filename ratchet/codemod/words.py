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
    if not lines.ascii and not unicodedata.is_normalized("NFKC", text):
        return set(range(1, len(lines.starts) + 1))  # a letter may be another one in disguise
    found = {number for word in words for number in lines.told(word, _numbers)}
    return found | (set(lines.told("*", _stars)) if words else set())


def _stars(lines: Lines, _sign: str) -> Iterator[int]:
    return lines.numbers(match.start() for match in _STAR.finditer(lines.text))


def _numbers(lines: Lines, word: str) -> Iterator[int]:
    return lines.numbers(_whole_words(lines.text, word))


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
