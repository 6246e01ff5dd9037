"""Where a place of a rewritten text lay before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class Shifts:
    """The changes of a text: start, end and what stands there now, in order; as `Rewritten` has them."""

    def __init__(self, changes: Sequence[tuple[int, int, str]]) -> None:
        self._changes = changes
        grown = accumulate((len(text) - (end - start) for start, end, text in changes), initial=0)
        self._starts = [start + shift for (start, _, _), shift in zip(changes, grown, strict=False)]

    def before(self, offset: int) -> tuple[int, int]:
        """Where an offset of the new text lies in the old one; the range that a change replaced, in one."""
        number = bisect_right(self._starts, offset) - 1
        if number < 0:
            return offset, offset
        start, end, text = self._changes[number]
        inside = offset - self._starts[number]
        if inside < len(text):
            return start, end
        return end + inside - len(text), end + inside - len(text)
