"""Ends that meet another one of their function against the order of lines: in a loop, or in a lambda."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.flow.crowds import Kind
from ratchet.flow.model import End
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.frozen import dataclass
from ratchet.model import Span
from ratchet.syntax.moments import Place

Wanted = Callable[[Kind], bool]

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_LATE = 0
_Alike = dict[Kind, End]


@dataclass(frozen=True, slots=True)
class _Repeated:
    """The ends of a field in one scope: the loops around each, and of each kind one by its loop.

    `late` are those in a lambda, which runs when it is called; `all` one of each kind.
    """

    loops: dict[Span, tuple[int, ...]]
    by_loop: dict[int, _Alike]
    late: _Alike
    all: _Alike


class Again:
    """Asks the text of files; the ends of a field in one scope are looked at once."""

    def __init__(self, flows: Flows, sources: Sources) -> None:
        self._flows = flows
        self._sources = sources
        self._files: dict[str, dict[tuple[str, str | None], list[End]]] = {}
        self._known: dict[tuple[str, str, str | None], _Repeated] = {}

    def readers(self, write: End, wanted: Wanted) -> tuple[End, ...]:
        """A reader above a write that may run after it; none, where there is no such reader."""
        if not self._flows.shares_scope(write, lambda kind: kind.reads and wanted(kind)):
            return ()
        repeated = self._repeated(write)
        alike = (*_around(repeated, write), repeated.late)
        found = (end for ends in alike for kind, end in ends.items() if kind.reads and wanted(kind))
        return tuple(found)[:1]

    def writers(self, read: End, wanted: Wanted) -> tuple[End, ...]:
        """A write below a read that may run before it; none, where there is no such write."""
        if not self._flows.shares_scope(read, lambda kind: kind.writes and wanted(kind)):
            return ()
        alike = _around(self._repeated(read), read)
        found = (end for ends in alike for kind, end in ends.items() if kind.writes and wanted(kind))
        return tuple(found)[:1]

    def _repeated(self, end: End) -> _Repeated:
        key = (*end.scope, end.access.field)
        if key not in self._known:
            self._known[key] = self._looked_at(end.path, self._alike(end.path)[key[1:]])
        return self._known[key]

    def _alike(self, path: str) -> Mapping[tuple[str, str | None], list[End]]:
        """The ends of a file by scope and field."""
        if path not in self._files:
            found = self._files[path] = {}
            for end in self._flows.all_ends([path]):
                found.setdefault((end.access.scope, end.access.field), []).append(end)
        return self._files[path]

    def _looked_at(self, path: str, ends: Iterable[End]) -> _Repeated:
        spans = (end.access.span for end in self._flows.all_ends([path]))
        places = self._sources.places(path, "all", spans)
        found = _Repeated({}, {}, {}, {})
        for end in ends:
            kind, place = self._flows.kind_of(end), places.get(end.access.span)
            if place is None:
                continue
            found.all.setdefault(kind, end)
            found.loops[end.access.span] = tuple(_loops_around(place))
            for loop in found.loops[end.access.span]:
                found.by_loop.setdefault(loop, {}).setdefault(kind, end)
            if _is_late(place):
                found.late.setdefault(kind, end)
                found.loops[end.access.span] += (_LATE,)
        return found


def _around(repeated: _Repeated, end: End) -> Iterator[_Alike]:
    """The ends that run around an end again and again, or whenever one likes."""
    for loop in repeated.loops.get(end.access.span, ()):
        yield repeated.all if loop == _LATE else repeated.by_loop[loop]


def _steps(place: Place) -> Iterator[tuple[ast.AST, ast.AST]]:
    """The nodes around a place in its function, each with the one inside of it."""
    chain = (*place.above, place.node)
    for at in range(len(chain) - 1, 0, -1):
        if chain[at - 1] is place.function:
            return
        yield chain[at - 1], chain[at]


def _loops_around(place: Place) -> Iterator[int]:
    """The loops that run a place again and again, but for what is asked once before them."""
    for outer, inner in _steps(place):
        if isinstance(outer, _LOOPS) and inner is not getattr(outer, "iter", None):
            yield id(outer)


def _is_late(place: Place) -> bool:
    return any(isinstance(outer, ast.Lambda) and inner is outer.body for outer, inner in _steps(place))
