"""Which accesses of a tree are reads that a role's set answers for, and by which scopes they are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ratchet.model import Access, Pack, Schema
from ratchet.reach import MAIN, Node, Program
from ratchet.roles.answers import Answers


class Reading:
    """The accesses of a tree by scope, and what they are to roles.

    `accesses` are those of each file by its path.
    """

    def __init__(
        self,
        program: Program,
        accesses: Mapping[str, Sequence[Access]],
        pack: Pack,
        schema: Schema,
        engine: str | None,
    ) -> None:
        self._program = program
        self._answers = Answers(pack, schema, engine)
        self.unrestricted = self._answers.unrestricted
        self.files = {path: tuple(found) for path, found in accesses.items() if found}
        self._by_node: dict[str, dict[str, list[Access]]] = {}

    def reads(self, node: Node) -> Iterator[tuple[str, Access]]:
        """The reads of namespaces that a scope makes, each behind the top of its namespace."""
        for access in self.at(node):
            namespace = self.namespace(access)
            if namespace is not None:
                yield namespace, access

    def at(self, node: Node) -> Sequence[Access]:
        """All accesses of a scope."""
        found = self._by_node.get(node.path)
        if found is None:
            found = self._by_node[node.path] = self._grouped(node.path)
        return found.get(node.scope, ())

    def namespace(self, access: Access) -> str | None:
        """The top of the namespace that an access reads; None where no role could be refused it."""
        return self._answers.namespace(access)

    def is_record_read(self, access: Access) -> bool:
        """Whether an access reads a field off the record, and so around the namespaces."""
        return (
            bool(access.object)
            and access.origin not in ("copy", "constructed")
            and access.operation in ("read", "mutate")
        )

    def namespaces(self) -> frozenset[str]:
        """All that the tree reads anywhere."""
        found = (access for accesses in self.files.values() for access in accesses)
        return frozenset(top for access in found if (top := self.namespace(access)))

    def _grouped(self, path: str) -> dict[str, list[Access]]:
        """The accesses of a file by scope; what runs only as a script has a scope of its own."""
        main = self._program.calls(path).main
        found: dict[str, list[Access]] = {}
        for access in self.files.get(path, ()):
            line = access.span.line
            as_script = not access.scope and any(first <= line <= last for first, last in main)
            found.setdefault(MAIN if as_script else access.scope, []).append(access)
        return found
