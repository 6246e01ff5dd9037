"""Collects what the walk sees; an access seen on several paths through the code is one access."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ratchet.analysis.lines import Lines
from ratchet.analysis.spelling import spell
from ratchet.analysis.tracked import Tracked
from ratchet.analysis.values import Bag, Plain, Record, Value
from ratchet.model import COMPUTED, Access, Match, Operation, Origin, Via

COPIES = "copy"
_FORMS = ("accessor", "alias", "self", "parameter", "chain", "constructed")


class Emission:
    """One access in the making: the owners that it may have, and whether it may have none of them."""

    __slots__ = ("code", "doubtful", "field", "node", "operation", "owners", "scope", "via")

    def __init__(
        self,
        node: ast.expr | ast.pattern,
        operation: Operation,
        field: str | None,
        via: Via,
        scope: str,
        code: str,
    ) -> None:
        self.node = node
        self.operation: Operation = operation
        self.field = field
        self.via: Via = via
        self.scope = scope
        self.code = code
        self.owners: set[Record | Bag] = set()
        self.doubtful = False


class Emitter:
    """The accesses and copies of one file."""

    def __init__(self, tracked: Tracked, lines: Lines) -> None:
        self._tracked = tracked
        self._lines = lines
        self._emissions: dict[tuple[object, ...], Emission] = {}
        self._copies: dict[tuple[int, int], Match] = {}
        self.muted = 0

    def clear(self) -> None:
        """Forget everything: another pass begins."""
        self._emissions.clear()
        self._copies.clear()

    def emit(
        self,
        node: ast.expr | ast.pattern,
        operation: Operation,
        value: Value,
        name: str | None,
        scope: str,
        via: Via = "attribute",
        code: str | None = None,
    ) -> Emission | None:
        """Note an access on the records and bags of a value; None where there are none, or in muted code."""
        owners = [atom for atom in value if isinstance(atom, (Record, Bag))]
        if not owners or self.muted:
            return None
        chain = operation in ("read", "mutate")
        key = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, name, chain or operation)
        found = self._emissions.get(key)
        if found is None:
            found = Emission(node, operation, name, via, scope, code or spell(node))
            self._emissions[key] = found
        found.owners.update(owners)
        # None is neutral; anything else beside the record means that it may be no record at all.
        if any(atom is not Plain.NONE and not isinstance(atom, (Record, Bag)) for atom in value):
            found.doubtful = True
        return found

    def drop(self, emission: Emission) -> None:
        """Take back an access that turned out to be a part of another one."""
        self._emissions = {key: kept for key, kept in self._emissions.items() if kept is not emission}

    def copied(self, node: ast.Call, object_id: str, scope: str) -> None:
        """Note a copy of a record."""
        if not self.muted:
            match = Match(f"{COPIES}:{object_id}", self._lines.span(node), scope, spell(node))
            self._copies[node.lineno, node.col_offset] = match

    def copies(self) -> tuple[Match, ...]:
        """The copies in order of position; `rule` names the copied object."""
        return tuple(match for _, match in sorted(self._copies.items(), key=lambda item: item[0]))

    def accesses(self) -> tuple[Access, ...]:
        """The accesses in order of position; those that start at one place in the order in which they run."""
        found = [access for emission in self._emissions.values() for access in self._finished(emission)]
        return tuple(sorted(found, key=lambda access: (access.span.line, access.span.column)))

    def _finished(self, emission: Emission) -> Iterator[Access]:
        records = [owner for owner in emission.owners if isinstance(owner, Record)]
        bags = [owner for owner in emission.owners if isinstance(owner, Bag)]
        for object_id in sorted({record.object for record in records}):
            yield self._record_access(emission, [record for record in records if record.object == object_id])
        if records:
            return
        for path in sorted({bag.path for bag in bags}):
            bag = min((bag for bag in bags if bag.path == path), key=_preference)
            yield self._access(emission, bag, "mixed" if emission.doubtful else "namespace", "", path)

    def _record_access(self, emission: Emission, records: list[Record]) -> Access:
        origins = {record.origin for record in records}
        certain = len(origins) == 1 and not emission.doubtful and len(records) == len(emission.owners)
        origin: Origin = next(iter(origins)) if certain else "mixed"
        known = emission.field not in (None, COMPUTED)
        namespace = self._tracked.schema.namespace_of(emission.field or "") if known else None
        return self._access(emission, min(records, key=_preference), origin, records[0].object, namespace)

    def _access(
        self, emission: Emission, owner: Record | Bag, origin: Origin, object_id: str, namespace: str | None
    ) -> Access:
        return Access(
            self._lines.span(emission.node),
            emission.operation,
            origin,
            owner.form,
            owner.root,
            emission.via,
            object_id,
            emission.field,
            namespace or None,
            emission.scope,
            emission.code,
        )


def _preference(owner: Record | Bag) -> tuple[int, int, str]:
    return (_FORMS.index(owner.form), _FORMS.index(owner.root), repr(owner))
