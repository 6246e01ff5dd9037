"""How reads and writes of a namespace are spelled, by the pack and the engine's version."""

from __future__ import annotations

from ratchet.codemod.model import Accessor
from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.model import Namespace, Pack


@dataclass(frozen=True, slots=True)
class Spelling:
    """An expression, and the accessor that it calls."""

    code: str
    accessor: Accessor


@dataclass(frozen=True, slots=True)
class Speller:
    """Spells namespaces for one engine version; an unknown one is spelled as the pack does by default."""

    pack: Pack
    engine: str | None

    def read(self, namespace: str, field: str) -> Spelling | None:
        """The expression that reads a field off its namespace; None where the pack has no accessor for it."""
        bag = self._bag(namespace)
        return Spelling(f"{bag.code}.{field}", bag.accessor) if bag is not None else None

    def callee(self) -> Spelling | None:
        """The function that overrides published fields; None where the pack has none."""
        for context in self.pack.contexts:
            if context.override is not None:
                accessor = _accessor(context.accessor)
                return Spelling(f"{accessor.name}().{context.override}", accessor)
        return None

    def accessors(self) -> frozenset[str]:
        """The dotted names of what code calls to read namespaces, and to override them."""
        contexts = {context.accessor for context in self.pack.contexts}
        return frozenset({*map(self._named, self.pack.namespaces), *contexts})

    def live(self, namespace: str | None, field: str | None) -> bool:
        """Whether a live value shadows the field on its namespace."""
        return any(item.path == namespace and field in item.live for item in self.pack.namespaces)

    def _bag(self, namespace: str) -> Spelling | None:
        """The expression for a bag: the accessor of its top, then the groups down to it."""
        home = max(
            (item for item in self.pack.namespaces if _holds(item, namespace)),
            key=lambda item: len(item.path),
            default=None,
        )
        if home is None:
            return None
        accessor = _accessor(self._named(home))
        return Spelling(f"{accessor.name}(){namespace[len(home.path) :]}", accessor)

    def _named(self, namespace: Namespace) -> str:
        """The dotted name of a namespace's accessor in this engine version."""
        if self.engine is not None:
            for engines, accessor in namespace.spellings:
                if engine_applies(engines, self.engine):
                    return accessor
        return namespace.accessor


def _holds(item: Namespace, namespace: str) -> bool:
    """Whether a namespace is the one declared here or a group of it."""
    if namespace == item.path:
        return True
    return namespace.startswith(f"{item.path}.") and namespace[len(item.path) + 1 :] in item.groups


def _accessor(dotted: str) -> Accessor:
    module, _, name = dotted.rpartition(".")
    return Accessor(module, name)
