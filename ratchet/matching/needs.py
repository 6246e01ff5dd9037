"""Words without which a text cannot hold what is looked for: they are far cheaper to find than to parse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

Needs = tuple[tuple[str, ...], ...]
"""Clauses, of each of which one word must be in a text for something to be found there."""

_STEM = 4
Search = Callable[[bytes], Iterable[bytes]]
"""Finds the words of a group in bytes."""


def may_hold(needs: Needs, text: str) -> bool:
    """Whether a text has one word of each clause, be it inside of a longer word."""
    return all(any(word in text for word in clause) for clause in needs)


def cheapest(needs: Needs, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """The clause that takes the fewest searches, among those the longest; empty where there is none.

    A word that `is_known` is searched for in any case.
    """

    def cost(clause: tuple[str, ...]) -> tuple[int, int]:
        searched = {word[:_STEM] for word in clause if not is_known(word)}
        return (len(searched), -min(map(len, clause)))

    return min(needs, key=cost, default=())


def has_identifier(text: str, word: str) -> bool:
    """Whether an identifier stands in a text by itself, not inside of a longer one."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not _joins(text[start - 1 : start]) and not _joins(text[end : end + 1]):
            return True
        start = text.find(word, end)
    return False


def searches(words: Iterable[str]) -> tuple[Search, ...]:
    """Searches of bytes that together find which of the words are there, as few as can be.

    Words that start alike share one, which gives at each place the longest of them; those that it starts with
    stand there too.
    """
    groups: dict[bytes, list[bytes]] = {}
    for word in sorted({word.encode() for word in words}, key=lambda word: (-len(word), word)):
        groups.setdefault(word[:_STEM], []).append(word)
    return tuple(
        _single(group[0]) if len(group) == 1 else _group(stem, group) for stem, group in groups.items()
    )


def _single(word: bytes) -> Search:
    return lambda data: (word,) if word in data else ()


def _group(stem: bytes, words: Iterable[bytes]) -> Search:
    rests = b"|".join(re.escape(word[len(stem) :]) for word in words)
    search = re.compile(re.escape(stem) + b"(?:" + rests + b")").search

    def found(data: bytes) -> Iterator[bytes]:
        match = search(data)
        while match:
            yield match.group()
            match = search(data, match.start() + 1)

    return found


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"
