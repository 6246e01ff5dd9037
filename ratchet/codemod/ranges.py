"""Which ranges of a text hold an offset, and what stands in a range, without a look at all that there is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from ratchet.codemod.splice import Splice

_Item = TypeVar("_Item")


class Ranges:
    """Parts of a text, in the order in which they were added, and how they lie when they are joined."""

    def __init__(self, parts: Iterable[Splice] = ()) -> None:
        self.parts: list[Splice] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self.add(*parts)

    def add(self, *parts: Splice) -> None:
        """Take in more parts."""
        self.parts += parts
        for part in parts:
            if part.start < part.end:
                self._join(part.start, part.end)

    def _join(self, start: int, end: int) -> None:
        first, behind = bisect_left(self._ends, start), bisect_right(self._starts, end)
        if first < behind:
            start, end = min(start, self._starts[first]), max(end, self._ends[behind - 1])
        self._starts[first:behind], self._ends[first:behind] = [start], [end]

    def hold(self, offset: int) -> bool:
        """Whether a part holds the character at an offset."""
        at = bisect_right(self._starts, offset)
        return at > 0 and offset < self._ends[at - 1]


class Placed(Generic[_Item]):
    """Things at offsets of a text."""

    def __init__(self, items: Iterable[tuple[int, _Item]]) -> None:
        listed = list(enumerate(items))
        listed.sort(key=lambda entry: entry[1][0])
        self._starts = [start for _, (start, _) in listed]
        self._items = [(number, item) for number, (_, item) in listed]

    def within(self, parts: Iterable[Splice]) -> Iterator[_Item]:
        """What stands in some parts, each once, in the order in which it was given."""
        found: dict[int, _Item] = {}
        for part in parts:
            first, behind = (bisect_left(self._starts, offset) for offset in (part.start, part.end))
            found.update(self._items[first:behind])
        yield from (found[number] for number in sorted(found))
