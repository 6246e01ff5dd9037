"""Words without which a text cannot hold what is looked for: they are far cheaper to find than to parse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Needs = tuple[tuple[str, ...], ...]
"""Clauses, of each of which one word must be in a text for something to be found there."""

_STEM = 10


def may_hold(needs: Needs, text: str) -> bool:
    """Whether a text has one word of each clause, be it inside of a longer word."""
    return all(any(word in text for word in clause) for clause in needs)


def rarest(needs: Needs) -> tuple[str, ...]:
    """The clause whose words are the longest, and so the least common; empty where there is none."""
    return max(needs, key=lambda clause: (min(map(len, clause)), -len(clause)), default=())


def has_identifier(text: str, word: str) -> bool:
    """Whether an identifier stands in a text by itself, not inside of a longer one."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not _joins(text[start - 1 : start]) and not _joins(text[end : end + 1]):
            return True
        start = text.find(word, end)
    return False


def stems(words: Iterable[str]) -> list[str]:
    """A few texts, one of which each of the words contains, so that fewer searches do."""
    chosen: list[str] = []
    left = set(words)
    while left:
        counts = Counter(part for word in left for part in _parts(word))
        stem = max(counts, key=lambda part: (counts[part], part))
        chosen.append(stem)
        left = {word for word in left if stem not in word}
    return chosen


def _parts(word: str) -> set[str]:
    return {word[start : start + _STEM] for start in range(max(1, len(word) - _STEM + 1))}


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
