"""Where processes begin and publish, as far as it matters to some roles: few files are read for it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

from ratchet.model import Publishing
from ratchet.reach.calls import stores
from ratchet.reach.entries import Finder, Publish
from ratchet.reach.facts import MAIN
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Values

_NAME = re.compile(r"[\s\\]*((?:\w+\.)*\w+)\s*[,)]")
_LITERAL = re.compile(r"[\s\\]*([\"'])(\w+)\1\s*[,)]")


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
                text = self._program.text(path)
                names = _targets(text, starts[1]) if isinstance(text, str) else None
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
        text = self._program.text(path)
        if not isinstance(text, str):
            return True
        for name, role in self._publishing.wrappers:
            if role not in self._quiet and name.rpartition(".")[2] in text:
                return True
        for match in re.finditer(rf"{re.escape(self._publishing.role)}[\s\\]*=(?!=)", text):
            literal = _LITERAL.match(text, match.end())
            if literal is None or literal[2] not in self._quiet:
                return True
        return False


def _targets(text: str, starts: str) -> frozenset[str] | None:
    """The names of the functions that a text starts as processes; None where one of them is no plain name."""
    found = set()
    for match in re.finditer(starts, text):
        target = _NAME.match(text, match.end())
        if target is None or not _is_own(text, *target[1].rpartition(".")[::2]):
            return None
        found.add(target[1].rpartition(".")[2])
    return frozenset(found)


def _is_own(text: str, owner: str, name: str) -> bool:
    """Whether a name is what a function is defined as: the text does not give it to something else."""
    if owner:
        return name not in stores(text)
    word = re.escape(name)
    if re.search(rf"\b{word}\s*=(?!=)|\bas\s+{word}\b|\bfor\s+{word}\b", text):
        return False
    return bool(
        re.search(
            rf"\bdef\s+{word}\b|\bimport\b[^\n]*\b{word}\b|^\s+{word},?\s*(?:#.*)?$", text, re.MULTILINE
        )
    )
