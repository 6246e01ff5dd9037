"""Where an end stands by what the pack declares: its phase, its process, the boundaries that take it in."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ratchet.flow.model import End
from ratchet.matching.boundaries import Boundary, boundaries_of
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter, scope_filter
from ratchet.model import Pack, Phase, Process

_Holds = Callable[[str, str], bool]


class Places:
    """The declarations of a pack for an engine version, made ready to ask."""

    def __init__(self, pack: Pack, engine: str | None) -> None:
        self._boundaries = boundaries_of(pack.boundaries, engine)
        phases = [phase for phase in pack.phases if engine_applies(phase.engines, engine)]
        self._phases = tuple((number, phase, _held(phase)) for number, phase in enumerate(phases))
        processes = [process for process in pack.processes if engine_applies(process.engines, engine)]
        self._processes = tuple((process.name, _held(process)) for process in processes)
        resolving = [phase for phase in phases if phase.moment == "resolution"]
        makes = path_filter([path for phase in resolving for path in phase.paths])
        outside = [path for each in self._boundaries if each.entry.outside for path in each.entry.paths]
        self._is_elsewhere = path_filter([path for path in outside if not makes(path)])
        self._known: dict[tuple[str, str], tuple[int, Phase] | None] = {}
        self._known_processes: dict[tuple[str, str], str | None] = {}
        self._known_areas: dict[tuple[str, str], Boundary | None] = {}

    def phase(self, path: str, scope: str) -> tuple[int, Phase] | None:
        """The phase in which code runs, with its place in time; None where it may run at any time."""
        place = (path, scope)
        if place not in self._known:
            found = ((number, phase) for number, phase, holds in self._phases if holds(path, scope))
            self._known[place] = next(found, None)
        return self._known[place]

    def phase_of(self, end: End) -> tuple[int, Phase] | None:
        """The phase in which an end runs."""
        return self.phase(end.path, end.access.scope)

    def process_of(self, end: End) -> str | None:
        """The kind of processes in which alone an end runs; None where any may run it."""
        if end.scope not in self._known_processes:
            held = (name for name, holds in self._processes if holds(*end.scope))
            self._known_processes[end.scope] = next(held, None)
        return self._known_processes[end.scope]

    def resolves(self, end: End) -> bool:
        """Whether an end stands in the code that makes the values which everyone else reads."""
        found = self.phase_of(end)
        return found is not None and found[1].moment == "resolution"

    def is_elsewhere(self, path: str) -> bool:
        """Whether a file's records are of another class: no end of any field is there."""
        return self._is_elsewhere(path)

    def boundary_of(self, end: End) -> Boundary | None:
        """The boundary that takes an end in, by its place or by its field."""
        return self._first(self._boundaries, end)

    def area_of(self, end: End) -> Boundary | None:
        """The boundary in whose files or scopes an end lies, whatever its field."""
        if end.scope not in self._known_areas:
            areas = (each for each in self._boundaries if not each.entry.fields)
            self._known_areas[end.scope] = self._first(areas, end)
        return self._known_areas[end.scope]

    def _first(self, boundaries: Iterable[Boundary], end: End) -> Boundary | None:
        access = end.access
        return next(
            (each for each in boundaries if each.holds(end.path, access.scope, access.field)),
            None,
        )


def _held(entry: Phase | Process) -> _Holds:
    """Whether an entry takes in a scope of the file at a path."""
    paths = path_filter(entry.paths) if entry.paths else None
    scopes = scope_filter(entry.scopes) if entry.scopes else None
    return lambda path, scope: (paths is None or paths(path)) and (scopes is None or scopes(scope))
