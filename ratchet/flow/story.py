"""A field's ends as people look at them: on which store, when they run, and what keeps them there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from ratchet.flow.model import End
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.frozen import dataclass
from ratchet.model import Moment, Pack

Role = Literal["write", "read", "change"]


@dataclass(frozen=True, slots=True)
class ToldEnd:
    """An end with all that can be told of it.

    `role` is `change` for a change in place. `moment` is None where it cannot be told; `phase` and `process`
    are the pack's names, empty where none is declared; `stays` is the reason of the boundary around it.
    `rules` are those that count it.
    """

    end: End
    role: Role
    moment: Moment | None
    phase: str
    process: str
    stays: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldStory:
    """A field, and all that writes and reads it.

    `wholes` are the places that read the whole configuration, whatever its fields are called.
    """

    field: str
    namespace: str | None
    ends: tuple[ToldEnd, ...]
    wholes: tuple[str, ...] = ()

    def count(self, store: str, role: Role) -> int:
        """How many ends of a kind there are on a store, those of the resolution left out."""
        return sum(
            told.end.store == store and told.role == role and told.moment != "resolution"
            for told in self.ends
        )

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that count one of the ends, sorted."""
        return tuple(sorted({rule for told in self.ends for rule in told.rules}))


Counted = Mapping[tuple[str, str | None], frozenset[tuple[str, int]]]
"""The flow rules with a site of a field in a file, each with its line; 0 where it counts fields of files."""


def tell(flows: Flows, sources: Sources | None, field: str, counted: Counted, pack: Pack) -> FieldStory:
    """The story of a field. Without `sources` no file is read: import time and whole reads stay untold."""
    ends = tuple(_told(flows, sources, end, counted) for end in flows.ends(field) if _role(end) is not None)
    wholes = tuple(_wholes(flows, sources, pack.readbacks)) if sources is not None else ()
    return FieldStory(field, flows.schema.namespace_of(field), ends, wholes)


def _told(flows: Flows, sources: Sources | None, end: End, counted: Counted) -> ToldEnd:
    phase = flows.places.phase_of(end)
    boundary = flows.places.boundary_of(end)
    span, moment = end.access.span, moment_of(flows, sources, end)
    sites = counted.get((end.path, end.access.field), frozenset())
    read_only = {rule for rule, line in sites if not line and end.store == "record" and _role(end) == "read"}
    rules = read_only | {rule for rule, line in sites if line == span.line}
    return ToldEnd(
        end,
        _role(end) or "read",
        moment,
        phase[1].name if phase and moment else "",
        flows.places.process_of(end) or "",
        boundary.entry.reason if boundary else "",
        tuple(sorted(rules)),
    )


def _role(end: End) -> Role | None:
    if end.writes:
        return "write"
    if end.access.operation == "mutate":
        return "change"
    return "read" if end.access.operation == "read" else None


def moment_of(flows: Flows, sources: Sources | None, end: End) -> Moment | None:
    """When an end runs: at import, while the record is resolved, before or after publishing; None: untold."""
    if sources is not None and _runs_at_import(flows, sources, end):
        return "import"
    if flows.places.resolves(end):
        return "resolution" if flows.resolves(end) else None
    phase = flows.places.phase_of(end)
    if phase is not None:
        return phase[1].moment
    if sources is not None and flows.is_unpublished(end, sources):
        return "before publish"
    # A namespace has values once it is published; before, the access would raise.
    return "after publish" if end.store == "namespace" else None


def _runs_at_import(flows: Flows, sources: Sources, end: End) -> bool:
    last = end.function.rpartition(".")[2]
    if last and not last[:1].isupper():
        return False
    spans = (other.access.span for other in flows.all_ends([end.path]))
    place = sources.places(end.path, "all", spans).get(end.access.span)
    return place is not None and not place.deferred and not place.as_script


def _wholes(flows: Flows, sources: Sources, readbacks: Iterable[str]) -> Iterator[str]:
    """The reads of computed names, and the calls of what gives back the whole configuration."""
    for end in flows.computed():
        if not flows.places.resolves(end):
            yield f"{end.place}: {end.access.code}"
    for path in flows.paths():
        asked = [name for name in readbacks if sources.mentions(path, f"{name}(")]
        for name in asked:
            call = re.compile(rf"(?<!def ){re.escape(name)}\(")
            for line, text in enumerate(sources.lines(path), 1):
                yield from (f"{path}:{line}: {name}()" for _ in call.finditer(text))
