"""Where an end stands by what the pack declares: its phase, and the boundaries that take it in."""

from __future__ import annotations

from collections.abc import Callable

from ratchet.flow.model import End
from ratchet.frozen import dataclass
from ratchet.matching.boundaries import Boundary, boundaries_of
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter, scope_filter
from ratchet.model import Pack, Phase


@dataclass(frozen=True, slots=True)
class _Ready:
    """A phase, made ready to ask; None stands for "any"."""

    phase: Phase
    paths: Callable[[str], bool] | None
    scopes: Callable[[str], bool] | None


class Places:
    """The declarations of a pack for an engine version, made ready to ask."""

    def __init__(self, pack: Pack, engine: str | None) -> None:
        self._boundaries = boundaries_of(pack.boundaries, engine)
        self._phases = tuple(
            _Ready(
                phase,
                path_filter(phase.paths) if phase.paths else None,
                scope_filter(phase.scopes) if phase.scopes else None,
            )
            for phase in pack.phases
            if engine_applies(phase.engines, engine)
        )
        resolution = [path for phase in pack.phases if phase.moment == "resolution" for path in phase.paths]
        makes = path_filter(resolution)
        self._elsewhere = tuple(
            path_filter([path])
            for boundary in self._boundaries
            if boundary.entry.outside
            for path in boundary.entry.paths
            if not makes(path)
        )

    def phase(self, path: str, scope: str) -> tuple[int, Phase] | None:
        """The phase in which code runs, with its place in time; None where it may run at any time."""
        for number, ready in enumerate(self._phases):
            if (ready.paths is None or ready.paths(path)) and (ready.scopes is None or ready.scopes(scope)):
                return number, ready.phase
        return None

    def phase_of(self, end: End) -> tuple[int, Phase] | None:
        """The phase in which an end runs."""
        return self.phase(end.path, end.access.scope)

    def resolves(self, path: str, scope: str) -> bool:
        """Whether the code makes the values that everyone else reads."""
        found = self.phase(path, scope)
        return found is not None and found[1].moment == "resolution"

    def is_other(self, path: str) -> bool:
        """Whether a file's records are of another class: no end of any field is there."""
        return any(holds(path) for holds in self._elsewhere)

    def boundary_of(self, end: End) -> Boundary | None:
        """The boundary that takes an end in, by its place or by its field."""
        access = end.access
        found = (each for each in self._boundaries if each.holds(end.path, access.scope, access.field))
        return next(found, None)

    def area_of(self, end: End) -> Boundary | None:
        """The boundary in whose files or scopes an end lies, whatever its field."""
        access = end.access
        return next(
            (
                each
                for each in self._boundaries
                if not each.entry.fields and each.holds(end.path, access.scope, access.field)
            ),
            None,
        )
