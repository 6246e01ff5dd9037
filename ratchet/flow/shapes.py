"""The ways in which the ends of a field part, as far as the accesses themselves tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.flow.model import End, Finding
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.flow.written import imported_reads, message_buses, redundant_writes
from ratchet.model import Shape

Find = Callable[[Flows, Iterable[End], Sources], Iterator[Finding]]
"""Given a table, the ends that may be sites, and the files they stand in: those that are sites."""

_OWN = frozenset({"copy", "constructed"})
"""Origins of records that are not the process's own: what is written there stays there."""


def lost_writes(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Writes of the record's own value, of a field that is read off its namespace."""
    for end in ends:
        if end.store == "record" and end.writes and _is_shared(end) and _is_loose(flows, end):
            readers = [
                other
                for other in _others(flows, end, "namespace")
                if other.reads and _is_heard(flows, end, other)
            ]
            if readers:
                yield Finding(end, tuple(readers), "the namespace still has the value from before")


def stale_reads(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Reads off the record, of a field whose namespace is overridden."""
    for end in ends:
        if end.store == "record" and end.access.operation == "read" and _is_shared(end):
            if not _is_loose(flows, end) or flows.is_live(end.access):
                continue
            writers = [
                other
                for other in _others(flows, end, "namespace")
                if other.writes and _is_heard(flows, other, end)
            ]
            if writers:
                yield Finding(end, tuple(writers), "the record still has the value from before")


def dead_writes(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Writes of a field that nothing reads afterwards, on either store."""
    for end in ends:
        if not end.writes or flows.places.resolves(end):
            continue
        if not flows.readers_after(end):
            readers = [other for other in flows.ends(end.access.field or "") if other.reads]
            earlier = tuple(other for other in readers if not flows.resolves(other))
            yield Finding(end, earlier, "every reader ran before" if earlier else "nothing reads the field")


def split_functions(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Reads off the record in a function that reads the same namespace, too."""
    by_function: dict[tuple[str, str], list[End]] = {}
    for end in ends:
        if end.access.operation == "read" and end.access.scope:
            by_function.setdefault((end.path, end.function), []).append(end)
    for found in by_function.values():
        for end in found:
            if end.store != "record" or not _is_shared(end) or not _is_loose(flows, end):
                continue
            namespace = end.access.namespace
            others = [other for other in found if other.store == "namespace" and _path(other) == namespace]
            if namespace and others and not flows.is_live(end.access):
                yield Finding(end, tuple(others), f"the function reads {namespace} from both stores")


def shared_writes(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Writes on a record that was handed in, of a field that another owner reads off the same record."""
    for end in ends:
        if end.store != "record" or not end.writes or end.access.origin != "supplied":
            continue
        if flows.places.resolves(end) or flows.places.area_of(end) is not None:
            continue
        holders = [
            other
            for other in flows.ends(end.access.field or "")
            if other.reads
            and other.store == "record"
            and _is_shared(other)
            and _owner(other) != _owner(end)
            and _is_heard(flows, end, other)
            and not flows.resolves(other)
            and flows.places.area_of(other) is None
        ]
        if holders:
            yield Finding(end, tuple(holders), "whoever else holds the record reads what is written here")


def unpublished_reads(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Reads of a namespace while a module is imported, or in code of which the pack says that nothing is
    published where it runs."""
    reads = tuple(ends)
    yield from imported_reads(flows, reads, sources)
    for end in reads:
        if end.store != "namespace" or not end.reads:
            continue
        phase = flows.places.phase_of(end)
        boundary = flows.places.area_of(end)
        if phase is not None and phase[1].moment != "after publish":
            yield Finding(end, (), f"it runs before anything is published: {phase[1].name}")
        elif boundary is not None and boundary.entry.unpublished:
            yield Finding(end, (), f"nothing is published where it runs: {boundary.entry.reason}")


SHAPES: Mapping[Shape, Find] = {
    "lost-write": lost_writes,
    "stale-read": stale_reads,
    "dead-write": dead_writes,
    "redundant-write": redundant_writes,
    "split-function": split_functions,
    "shared-write": shared_writes,
    "message-bus": message_buses,
    "unpublished-read": unpublished_reads,
}


def _others(flows: Flows, end: End, store: str) -> list[End]:
    """The ends of the same field on the other store; where its namespace is known, only there."""
    namespace = end.access.namespace
    return [
        other
        for other in flows.ends(end.access.field or "")
        if other.store == store and namespace in (None, other.access.namespace)
    ]


def _is_shared(end: End) -> bool:
    """Whether the record may be the process's own."""
    return end.access.origin not in _OWN


def _is_loose(flows: Flows, end: End) -> bool:
    """Whether an end lies outside of the resolution pipeline and of every boundary."""
    return not flows.places.resolves(end) and flows.places.boundary_of(end) is None


def _is_heard(flows: Flows, write: End, read: End) -> bool:
    """Whether a value that is written may be there when a field is read: in the same process, and later."""
    return not flows.places.are_apart(write, read) and not flows.is_over(read, write)


def _path(end: End) -> str:
    return end.access.namespace or ""


def _owner(end: End) -> tuple[str, str]:
    """The class, or the function outside of classes, that an end stands in."""
    return end.path, end.access.scope.partition(".")[0]
