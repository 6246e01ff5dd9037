"""The namespaces of a schema, as the classes that a stub writes for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from ratchet.frozen import dataclass
from ratchet.model import Field, Namespace, Schema
from ratchet.stubs.types import StubType, stub_type


@dataclass(frozen=True, slots=True)
class Bag:
    """A namespace: its path, its leaves with their types, its groups' paths, its scoped method's name."""

    path: str
    leaves: tuple[tuple[str, StubType], ...]
    groups: tuple[str, ...]
    scoped: str | None

    @property
    def class_name(self) -> str:
        """The class that stands for it: `ExecMoe` for `exec.moe`."""
        return "".join(part.title().replace("_", "") for part in self.path.split("."))


def bags_of(schema: Schema, namespaces: Sequence[Namespace]) -> dict[str, Bag]:
    """The bags of a schema by path, sorted, those that only hold groups among them."""
    leaves: dict[str, list[Field]] = {}
    for field in schema.fields.values():
        if field.namespace:
            leaves.setdefault(field.namespace, []).append(field)
    paths = {".".join(path.split(".")[:end]) for path in leaves for end in range(1, path.count(".") + 2)}
    scoped = {namespace.path: namespace.scoped for namespace in namespaces}
    return {
        path: Bag(
            path=path,
            leaves=_typed(leaves.get(path, ())),
            groups=tuple(sorted(inner for inner in paths if inner.rpartition(".")[0] == path)),
            scoped=scoped.get(path.partition(".")[0]),
        )
        for path in sorted(paths)
    }


def all_leaves(bags: Mapping[str, Bag]) -> list[tuple[str, StubType]]:
    """The leaves of all bags, sorted by name."""
    return sorted((leaf for bag in bags.values() for leaf in bag.leaves), key=itemgetter(0))


def _typed(fields: Iterable[Field]) -> tuple[tuple[str, StubType], ...]:
    return tuple(sorted(((field.name, stub_type(field.type)) for field in fields), key=itemgetter(0)))
