"""What was found on the way, of which the last can be taken back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_Item = TypeVar("_Item")


class Noted(dict[_Item, None]):
    """A set in the order in which it grew: to go back to an earlier size costs only what was added since."""

    def add(self, *items: _Item) -> None:
        """Take in some things."""
        self.take(items)

    def take(self, items: Iterable[_Item]) -> None:
        """Take in all of them."""
        for item in items:
            self.setdefault(item)

    def back_to(self, size: int) -> None:
        """Let go of what was added last, as far as there is more than so many."""
        while len(self) > size:
            self.popitem()
