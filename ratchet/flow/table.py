"""The ends of every field of a tree, joined across its files, and what serves them as a reader."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.encoding import access_row, read_access
from ratchet.flow.crowds import Crowd, Kind, Met, is_above
from ratchet.flow.model import End
from ratchet.flow.places import Places
from ratchet.flow.sources import Sources
from ratchet.model import COMPUTED, Access, Pack, Schema

_KEPT = frozenset({"read", "write", "delete", "mutate", "call"})


def _any(_kind: Kind) -> bool:
    return True


class Flows:
    """The accesses of a tree to the fields of its record, on both stores.

    An access in code whose record is another class is none. What a namespace serves live, under the name of
    a field, is no access to the field. Accesses are given by path, in order of position, for the files that
    touch a record or a namespace in any way.
    """

    def __init__(
        self, accesses: Mapping[str, Sequence[Access]], pack: Pack, schema: Schema, engine: str | None
    ) -> None:
        self.places = Places(pack, engine)
        self.schema = schema
        self._live = {(space.path, name) for space in pack.namespaces for name in space.live}
        self._classes = {
            item.id: (_file_of(item.class_name, pack.package), item.class_name.rpartition(".")[2])
            for item in pack.objects
        }
        publishing = pack.publishing
        wrappers = [name for name, _ in publishing.wrappers] if publishing else []
        names = (*publishing.functions, *wrappers) if publishing else ()
        self._publishers = tuple(f"{name.rpartition('.')[2]}(" for name in names)
        self._overrides = {item.override for item in pack.objects if item.override}
        self._paths = tuple(path for path in sorted(accesses) if not self.places.is_elsewhere(path))
        self._by_path = {path: tuple(filter(self._concerns, accesses[path])) for path in self._paths}
        self._by_field: dict[str, list[End]] = {}
        for path, found in self._by_path.items():
            for access in found:
                self._by_field.setdefault(access.field or "", []).append(End(path, access))
        self._methods = self._called_methods()
        self._overridden: frozenset[str] | None = None
        self._known_crowds: dict[str, tuple[Crowd, ...]] = {}

    def _concerns(self, access: Access) -> bool:
        if access.operation not in _KEPT or access.field is None:
            return False
        return bool(access.object) or not self.is_live(access)

    def is_live(self, access: Access) -> bool:
        """Whether an access is to a name under which its namespace serves a live value."""
        return (access.namespace or "", access.field or "") in self._live

    def is_overridden(self, field: str) -> bool:
        """Whether something writes a namespace of a field."""
        if self._overridden is None:
            ends = (end for found in self._by_field.values() for end in found)
            written = (end for end in ends if end.store == "namespace" and end.writes)
            self._overridden = frozenset(end.access.field or "" for end in written)
        return field in self._overridden

    def fields(self) -> tuple[str, ...]:
        """The names of the fields that have an end, sorted; names that the schema does not have are none."""
        return tuple(sorted(name for name in self._by_field if self.is_field(name)))

    def is_field(self, name: str) -> bool:
        """Whether a name is a field of the record; where no schema is known, any name may be."""
        return name != COMPUTED and (not self.schema.fields or name in self.schema.fields)

    def paths(self) -> tuple[str, ...]:
        """The files that touch a record or a namespace in any way, in order."""
        return self._paths

    def ends(self, field: str) -> tuple[End, ...]:
        """Every end of a field, in order of path and position."""
        return tuple(self._by_field.get(field, ()))

    def all_ends(self, paths: Iterable[str] | None = None) -> Iterator[End]:
        """The ends of all fields in some files, in all where none is named."""
        for path in self._by_path if paths is None else paths:
            for access in self._by_path.get(path, ()):
                if self.is_field(access.field or ""):
                    yield End(path, access)

    def computed(self) -> tuple[End, ...]:
        """The reads whose field is computed: any field may be meant, and usually all are."""
        return tuple(end for end in self._by_field.get(COMPUTED, ()) if end.access.operation == "read")

    def resolves(self, end: End) -> bool:
        """Whether an end runs while the values are made, and only then.

        A method of the record that code elsewhere calls may read at any time, wherever it is written.
        """
        if not self.places.resolves(end):
            return False
        return self._method_of(end) not in self._methods

    def readers_after(self, write: End, wanted: Callable[[Kind], bool] = _any) -> Met:
        """The readers of a field, on either store, that may run after a write of it.

        A reader is over where its phase is, and where it stands above the write in one function. `wanted`
        tells of which kinds they are to be.
        """
        now = self._time_of(write)
        crowds = [
            crowd
            for crowd in self._crowds(write.access.field or "")
            if crowd.kind.reads and not crowd.kind.resolves and not _is_less(crowd.kind.phase, now)
            if wanted(crowd.kind) and crowd.runs_after(write)
        ]
        return Met(crowds, lambda end: not is_above(end, write))

    def writers_before(self, read: End, wanted: Callable[[Kind], bool] = _any) -> Met:
        """The writes of a field, on either store, that a read outside of the resolution may come after."""
        now = self._time_of(read)
        crowds = [
            crowd
            for crowd in self._crowds(read.access.field or "")
            if crowd.kind.writes and not _is_less(now, crowd.kind.phase)
            if wanted(crowd.kind) and crowd.runs_before(read)
        ]
        return Met(crowds, lambda end: not is_above(read, end))

    def shares_scope(self, end: End, wanted: Callable[[Kind], bool]) -> bool:
        """Whether an end of the same field and of a kind that is `wanted` stands in the scope of an end."""
        crowds = self._crowds(end.access.field or "")
        return any(end.scope in crowd.last and wanted(crowd.kind) for crowd in crowds)

    def readers(self, field: str) -> Met:
        """The readers of a field, on either store, that do not run only while the values are made."""
        return Met(crowd for crowd in self._crowds(field) if crowd.kind.reads and not crowd.kind.resolves)

    def _crowds(self, field: str) -> Iterable[Crowd]:
        """The ends of a field, those that are alike together."""
        if field not in self._known_crowds:
            crowds: dict[Kind, Crowd] = {}
            for end in self._by_field.get(field, ()):
                kind = self.kind_of(end)
                if kind not in crowds:
                    crowds[kind] = Crowd(kind)
                crowds[kind].add(end)
            self._known_crowds[field] = tuple(crowds.values())
        return self._known_crowds[field]

    def kind_of(self, end: End) -> Kind:
        """What an end has in common with others of its field."""
        return Kind(
            end.store,
            end.access.namespace,
            end.reads,
            end.writes,
            end.access.origin,
            self._time_of(end),
            self.places.process_of(end),
            self.resolves(end),
            self.places.area_of(end) is not None,
        )

    def _time_of(self, end: End) -> int | None:
        phase = self.places.phase_of(end)
        return None if phase is None else phase[0]

    def is_unpublished(self, end: End, sources: Sources) -> bool:
        """Whether an end runs where nothing is published, as a boundary of the pack says.

        Of a file that publishes the record itself, the boundary does not say it.
        """
        area = self.places.area_of(end)
        if area is None or not area.entry.unpublished:
            return False
        return not any(sources.mentions(end.path, call) for call in self._publishers)

    # The record's own methods

    def _method_of(self, end: End) -> str:
        """The method of the record that an end lies in; empty where it lies in none."""
        home = self._classes.get(end.access.object)
        if home is None or home[0] != end.path:
            return ""
        parts = end.access.scope.split(".")
        return parts[1] if len(parts) > 1 and parts[0] == home[1] else ""

    def _called_methods(self) -> frozenset[str]:
        """The record's methods and properties that code outside of resolution calls, or that those call."""
        uses: dict[str, set[str]] = {}
        called: set[str] = set()
        for name, ends in self._by_field.items():
            if name in self.schema.fields or name in self._overrides:
                continue
            for end in ends:
                inside = self._method_of(end)
                if inside:
                    uses.setdefault(inside, set()).add(name)
                elif not self.places.resolves(end):
                    called.add(name)
        pending = list(called)
        while pending:
            fresh = uses.get(pending.pop(), set()) - called
            called |= fresh
            pending += fresh
        return frozenset(called)

    # As text

    def encode(self) -> str:
        """The table as text, for the cache: a line with its files, then one for each field."""
        lines = [_dumped(self._paths)]
        for field, ends in sorted(self._by_field.items()):
            lines.append(f"{field}\t{_dumped([(end.path, access_row(end.access)) for end in ends])}")
        return "\n".join(lines)


def decode_accesses(text: str, wanted: Callable[[str], bool]) -> dict[str, tuple[Access, ...]]:
    """The accesses that `Flows.encode` wrote to the `wanted` fields, by path, files without any included.

    ValueError or TypeError for any other text.
    """
    paths, *lines = text.split("\n")
    found: dict[str, list[Access]] = {path: [] for path in json.loads(paths)}
    for line in lines:
        field, _, ends = line.partition("\t")
        if wanted(field):
            for path, row in json.loads(ends):
                found[path].append(read_access(row))
    return {path: tuple(sorted(accesses, key=_position)) for path, accesses in found.items()}


def _is_less(time: int | None, other: int | None) -> bool:
    return time is not None and other is not None and time < other


def _dumped(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), check_circular=False)


def _position(access: Access) -> tuple[int, int]:
    return (access.span.line, access.span.column)


def _file_of(class_name: str, package: str) -> str:
    """The file of the module that a class is declared in, from the source root."""
    module = class_name.rpartition(".")[0].removeprefix(f"{package}.")
    return f"{module.replace('.', '/')}.py"
