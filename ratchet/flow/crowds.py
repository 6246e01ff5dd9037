"""Which ends of a field meet one end, without a look at each: those that are alike are asked together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from heapq import merge

from ratchet.flow.model import End
from ratchet.frozen import dataclass
from ratchet.model import Origin


@dataclass(frozen=True, slots=True)
class Kind:
    """What the ends of a crowd have in common, beside their field.

    `phase` is the place of their phase in time, `resolves` whether they run only while values are made,
    `area` whether they lie in a boundary of paths or scopes.
    """

    store: str
    namespace: str | None
    reads: bool
    writes: bool
    origin: Origin
    phase: int | None
    process: str | None
    resolves: bool
    area: bool


def is_above(end: End, other: End) -> bool:
    """Whether an end stands in an earlier line than another one of its scope."""
    return end.scope == other.scope and end.access.span.line < other.access.span.line


class Crowd:
    """Ends of one kind, added in order of path and position."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.ends: list[End] = []
        self.last: dict[tuple[str, str], End] = {}
        self._first: dict[tuple[str, str], End] = {}
        self._owners: set[tuple[str, str]] = set()

    def add(self, end: End) -> None:
        """Take in one more."""
        self.ends.append(end)
        self.last[end.scope] = end
        self._first.setdefault(end.scope, end)
        self._owners.add(end.owner)

    def runs_after(self, end: End) -> bool:
        """Whether one of them is not above `end` in its scope."""
        here = self.last.get(end.scope)
        return len(self.last) > 1 if here is not None and is_above(here, end) else True

    def runs_before(self, end: End) -> bool:
        """Whether one of them is not below `end` in its scope."""
        here = self._first.get(end.scope)
        return len(self.last) > 1 if here is not None and is_above(end, here) else True

    def has_other_owner(self, end: End) -> bool:
        """Whether one of them stands in another class or function than `end`."""
        return len(self._owners) > (end.owner in self._owners)


class Met(Collection[End]):
    """The ends in some crowds that meet an end, in order of path and position; looked for when asked."""

    def __init__(self, crowds: Iterable[Crowd] = (), meets: Callable[[End], bool] = lambda end: True) -> None:
        """`meets` tells whether an end of the crowds is one of them; of each crowd one must be."""
        self._crowds = tuple(crowds)
        self._meets = meets

    def elsewhere(self, end: End) -> Met:
        """Those of them in another class or function than `end`."""
        crowds = [crowd for crowd in self._crowds if crowd.has_other_owner(end)]
        return Met(crowds, lambda other: other.owner != end.owner and self._meets(other))

    def functions(self, most: int) -> tuple[tuple[str, str], ...]:
        """The functions that they stand in, each with its file; not more than so many.

        Where one of a scope is among them, the last is.
        """
        found: dict[tuple[str, str], None] = {}
        for end in (end for crowd in self._crowds for end in crowd.last.values() if self._meets(end)):
            found[end.path, end.function] = None
            if len(found) == most:
                break
        return tuple(found)

    def __iter__(self) -> Iterator[End]:
        return filter(self._meets, merge(*(crowd.ends for crowd in self._crowds), key=_place))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._crowds)

    def __contains__(self, item: object) -> bool:
        return any(item == end for end in self)


def _place(end: End) -> tuple[str, int, int]:
    span = end.access.span
    return (end.path, span.line, span.column)
