"""Where processes begin and publish, as far as it matters to some roles: few files are read for it."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from ratchet.model import Publishing
from ratchet.reach.entries import Finder, Publish
from ratchet.reach.facts import MAIN
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Values


class Narrow:
    """Looks up what a walk comes by: whether a scope begins a process, and under which roles it publishes.

    `quiet` are the roles that need not be found. What is asked of a scope is answered as `find_entries` does,
    but for a function that starts a process under a name that it does not have where it is defined, and for
    an imported object that is started by its `__call__`.
    """

    def __init__(
        self, program: Program, values: Values, publishing: Publishing, quiet: Collection[str]
    ) -> None:
        self._program = program
        self._publishing = publishing
        self._quiet = frozenset(quiet)
        self._finder = Finder(program, values, publishing)
        self._begun: dict[str, frozenset[Node]] = {}
        self._published: dict[str, tuple[Publish, ...]] = {}

    @cached_property
    def publishes(self) -> tuple[Publish, ...]:
        """The publishing calls of all files that may publish under another role than the quiet ones."""
        loud = (path for path in sorted(self._files) if self._is_loud(path))
        return tuple(item for path in loud for item in self._publishes(path))

    def roles(self, node: Node) -> set[str | None]:
        """The roles under which a scope publishes."""
        return {item.role for item in self._publishes(node.path) if item.node == node}

    def begins(self, node: Node) -> bool:
        """Whether a process begins with a scope."""
        if node.scope in ("", MAIN):
            return node.scope == MAIN
        name = node.scope.rpartition(".")[2]
        paths = [path for path, names in self._starting.items() if names is None or name in names]
        return node in self._declared or any(node in self._started(path) for path in paths)

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(self._finder.publishing_files())

    @cached_property
    def _declared(self) -> frozenset[Node]:
        return frozenset(process.node for process in self._finder.declared())

    @cached_property
    def _starting(self) -> dict[str, frozenset[str] | None]:
        """The files that start functions as processes, with their names; None where one has no name."""
        found: dict[str, frozenset[str] | None] = {}
        for starts in self._finder.starts():
            for path in self._program.matching(*starts):
                names = self._program.targets(path, starts[1])
                before = found.get(path, frozenset())
                found[path] = None if names is None or before is None else before | names
        return found

    def _started(self, path: str) -> frozenset[Node]:
        found = self._begun.get(path)
        if found is None:
            processes = (
                item for starts in self._finder.starts() for item in self._finder.started(path, starts[1])
            )
            found = self._begun[path] = frozenset(process.node for process in processes)
        return found

    def _publishes(self, path: str) -> tuple[Publish, ...]:
        found = self._published.get(path)
        if found is None:
            calls = self._finder.publishes_in(path) if path in self._files else ()
            found = self._published[path] = tuple(sorted(set(calls), key=lambda item: (item.node, item.line)))
        return found

    def _is_loud(self, path: str) -> bool:
        for name, role in self._publishing.wrappers:
            if role not in self._quiet and self._program.holds(path, [name.rpartition(".")[2]]):
                return True
        roles = self._program.literals(path, self._publishing.role)
        return roles is None or not roles <= self._quiet
