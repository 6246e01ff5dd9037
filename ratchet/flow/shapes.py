"""The ways in which the ends of a field part, as far as the accesses themselves tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.flow.again import Again
from ratchet.flow.crowds import Kind
from ratchet.flow.model import End, Finding
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.flow.written import imported_reads, message_buses, redundant_writes
from ratchet.model import Shape

Find = Callable[[Flows, Iterable[End], Sources], Iterator[Finding]]
"""Given a table, the ends that may be sites, and the files they stand in: those that are sites."""

_OWN = frozenset({"copy", "constructed"})
"""Origins of records that are not the process's own: what is written there stays there."""


def lost_writes(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes of the record's own value, of a field that is read off its namespace."""
    again = Again(flows, sources)
    for end in ends:
        if end.store == "record" and end.writes and _is_shared(end) and _is_loose(flows, end):
            wanted = _in_namespace(flows, end)
            readers = flows.readers_after(end, wanted) or again.readers(end, wanted)
            if readers:
                yield Finding(end, readers, "the namespace still has the value from before")


def stale_reads(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Reads off the record, of a field whose namespace is overridden."""
    again = Again(flows, sources)
    for end in ends:
        if end.store == "record" and end.access.operation == "read" and _is_shared(end):
            if not flows.is_overridden(end.access.field or "") or flows.is_live(end.access):
                continue
            if not _is_loose(flows, end):
                continue
            wanted = _in_namespace(flows, end)
            writers = flows.writers_before(end, wanted) or again.writers(end, wanted)
            if writers:
                yield Finding(end, writers, "the record still has the value from before")


def dead_writes(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes of a field that nothing reads afterwards, on either store."""
    again = Again(flows, sources)
    for end in ends:
        if not end.writes or flows.places.resolves(end):
            continue
        if not flows.readers_after(end) and not again.readers(end, lambda kind: not kind.resolves):
            earlier = flows.readers(end.access.field or "")
            yield Finding(end, earlier, "every reader ran before" if earlier else "nothing reads the field")


def split_functions(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Reads off the record in a function that reads the same namespace, too."""
    by_function: dict[tuple[str, str], list[End]] = {}
    for end in ends:
        if end.access.operation == "read" and end.access.scope:
            by_function.setdefault((end.path, end.function), []).append(end)
    for found in by_function.values():
        by_namespace: dict[str | None, list[End]] = {}
        for end in found:
            if end.store == "namespace":
                by_namespace.setdefault(end.access.namespace, []).append(end)
        others = {namespace: tuple(there) for namespace, there in by_namespace.items() if namespace}
        for end in found:
            namespace = end.access.namespace
            if end.store != "record" or namespace not in others:
                continue
            if _is_shared(end) and _is_loose(flows, end) and not flows.is_live(end.access):
                yield Finding(end, others[namespace], f"the function reads {namespace} from both stores")


def shared_writes(flows: Flows, ends: Iterable[End], _sources: Sources) -> Iterator[Finding]:
    """Writes on a record that was handed in, of a field that another owner reads off the same record."""
    for end in ends:
        if end.store != "record" or not end.writes or end.access.origin not in ("supplied", "mixed"):
            continue
        if flows.places.resolves(end) or flows.places.area_of(end) is not None:
            continue
        holders = flows.readers_after(end, _held_with(flows, end)).elsewhere(end)
        if holders:
            yield Finding(end, holders, "whoever else holds the record reads what is written here")


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
        elif boundary is not None and flows.is_unpublished(end, sources):
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


def _in_namespace(flows: Flows, end: End) -> Callable[[Kind], bool]:
    """Whether ends of a kind touch a field's namespace in its process, or any where none is known."""
    namespace, process = end.access.namespace, flows.places.process_of(end)

    def wanted(kind: Kind) -> bool:
        there = kind.store == "namespace" and namespace in (None, kind.namespace)
        return there and not _are_apart(process, kind.process)

    return wanted


def _held_with(flows: Flows, end: End) -> Callable[[Kind], bool]:
    """Whether ends of a kind touch records that others hold too, outside of boundaries."""
    process = flows.places.process_of(end)

    def wanted(kind: Kind) -> bool:
        there = kind.store == "record" and kind.origin not in _OWN and not kind.area
        return there and not _are_apart(process, kind.process)

    return wanted


def _are_apart(process: str | None, other: str | None) -> bool:
    """Whether code of two kinds of processes never runs in one."""
    return process is not None and other is not None and process != other


def _is_shared(end: End) -> bool:
    """Whether the record may be the process's own."""
    return end.access.origin not in _OWN


def _is_loose(flows: Flows, end: End) -> bool:
    """Whether an end lies outside of the resolution pipeline and of every boundary."""
    return not flows.places.resolves(end) and flows.places.boundary_of(end) is None
