"""Texts put in the place of others, at offsets; everything between stays as it is."""

from __future__ import annotations

from collections.abc import Iterable

from ratchet.frozen import dataclass


class Overlap(ValueError):
    """Changes that contradict each other: no text can be made of them."""


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Replaces the characters from `start` up to `end`; nothing where both are equal: then it inserts."""

    start: int
    end: int
    text: str

    def holds(self, other: Splice) -> bool:
        """Whether another splice lies within what this one replaces, and goes with it."""
        if other.start == other.end:
            return self.start < other.start < self.end
        return self.start <= other.start and other.end <= self.end


def splice(text: str, splices: Iterable[Splice], start: int = 0, end: int | None = None) -> str:
    """Return the text from `start` up to `end`, with those splices carried out that lie in it.

    A splice within another one's range goes with it; texts inserted at one offset follow in their order.
    Splices that overlap otherwise are an Overlap: the plan contradicts itself.
    """
    end = len(text) if end is None else end
    parts, done = [], start
    for item in outermost(item for item in splices if start <= item.start and item.end <= end):
        if item.start < done:
            raise Overlap(f"two changes overlap at offset {item.start}")
        parts += [text[done : item.start], item.text]
        done = item.end
    return "".join([*parts, text[done:end]])


def outermost(splices: Iterable[Splice]) -> list[Splice]:
    """Return the splices that lie in no other one, in order and each once."""
    kept: list[Splice] = []
    for item in sorted(set(splices), key=_outside_in):
        if not kept or not kept[-1].holds(item):
            kept.append(item)
    return kept


def _outside_in(item: Splice) -> tuple[int, bool, int, str]:
    """What is inserted before a text goes before its replacement, and what holds others before them."""
    return (item.start, item.start < item.end, -item.end, item.text)
