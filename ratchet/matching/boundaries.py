"""The boundaries of a pack, made ready to ask whether something lies in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import name_filter, path_filter, scope_filter
from ratchet.model import Exemption


@dataclass(frozen=True, slots=True)
class Boundary:
    """A boundary, made ready to ask; None stands for "any"."""

    entry: Exemption
    paths: Callable[[str], bool] | None
    scopes: Callable[[str], bool] | None
    fields: Callable[[str], bool] | None

    def holds(self, path: str, scope: str, field: str | None) -> bool:
        """Whether an access to a field, in this scope of the file at a path, lies in it."""
        if self.paths is not None and not self.paths(path):
            return False
        if self.scopes is not None and not self.scopes(scope):
            return False
        return self.fields is None or (field is not None and self.fields(field))


def boundaries_of(entries: Iterable[Exemption], engine: str | None) -> tuple[Boundary, ...]:
    """Those of the entries that apply to an engine version, ready to ask."""
    return tuple(_ready(entry) for entry in entries if engine_applies(entry.engines, engine))


def _ready(entry: Exemption) -> Boundary:
    return Boundary(
        entry,
        path_filter(entry.paths) if entry.paths else None,
        scope_filter(entry.scopes) if entry.scopes else None,
        name_filter(entry.fields) if entry.fields else None,
    )
