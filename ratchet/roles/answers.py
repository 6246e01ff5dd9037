"""Which reads a role's set answers for."""

from __future__ import annotations

from ratchet.matching.engines import engine_applies
from ratchet.model import COMPUTED, Access, Pack, Schema

_WRITES = ("write", "delete")


class Answers:
    """What accesses are to the sets of roles, in an engine version."""

    def __init__(self, pack: Pack, schema: Schema, engine: str | None) -> None:
        self._schema = schema
        self._live = {space.path: frozenset(space.live) for space in pack.namespaces}
        publishing = pack.publishing
        free = publishing.unrestricted if publishing else ()
        self.unrestricted = frozenset(name for name, versions in free if engine_applies(versions, engine))

    def namespace(self, access: Access) -> str | None:
        """The top of the namespace that an access reads; None where no role could be refused it."""
        if access.origin != "namespace" or access.namespace is None or access.operation in _WRITES:
            return None
        top = access.namespace.partition(".")[0]
        if top in self.unrestricted:
            return None
        # Live values are there without any publish, and belong to no set.
        if self._live.get(top) and access.field not in (None, COMPUTED):
            field = access.field or ""
            if field in self._live[top] or self._schema.namespace_of(field) is None:
                return None
        return top
