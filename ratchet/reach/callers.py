"""Who calls a function, or hands it on; and what a function is handed, where only its calls tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ratchet.reach.handing import Arguments
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Value, Values

_MAKING = ("__init__", "__new__", "__post_init__")
_NONE = frozenset((Value("outside", "", "literal"),))
"""What `None` is, and any other literal: no code of the tree."""


def callers(program: Program, values: Values, node: Node) -> Iterator[tuple[Node, int, bool]]:
    """The scopes that call a function (or make its class), each with the first line where it does, and True.

    Where none does, those that hand it on as a value, with False.
    """
    wanted = _called(node)
    word = wanted.scope.rpartition(".")[2]
    calling: list[tuple[Node, int, bool]] = []
    handing: list[tuple[Node, int, bool]] = []
    for path in _naming(program, wanted, word):
        for scope, facts in program.around(path, re.escape(word)):
            here = Node(path, scope)
            for use in facts.uses:
                if word in use.chain and _means(values, here, use.chain, wanted):
                    (calling if use.called else handing).append((here, use.line, use.called))
    yield from calling or handing


def _called(node: Node) -> Node:
    """What a call names to run a function: the function, or the class that it makes."""
    owner, _, name = node.scope.rpartition(".")
    return Node(node.path, owner) if name in _MAKING else node


def _naming(program: Program, wanted: Node, word: str) -> Iterator[str]:
    """The files that may name a scope: its own, and those that name its class, or import from its module."""
    owner = wanted.scope.rpartition(".")[0].rpartition(".")[2]
    if owner:
        found = {*program.holding(owner, word)}
    else:
        parts = wanted.path.removesuffix(".py").removesuffix("/__init__").split("/")
        around = "/".join([*parts[:-1], "__init__.py"])
        exported = parts[-2:-1] if program.holds(around, [word]) else []
        found = {path for part in (parts[-1], *exported) for path in program.importing(part, word)}
    yield from sorted(found | {wanted.path})


def _means(values: Values, here: Node, chain: str, wanted: Node) -> bool:
    found = values.of(*here, chain).values
    return any(value.kind in ("function", "class") and value.node == wanted for value in found)


class Handed:
    """Follows parameters, and attributes that hold them, to the arguments of the calls."""

    def __init__(self, program: Program, values: Values) -> None:
        self._program = program
        self._values = values
        self._known: dict[tuple[Node, str], tuple[frozenset[Value], bool]] = {}

    def of(self, node: Node, form: str) -> tuple[frozenset[Value], bool]:
        """What a form of a scope may stand for, and whether all calls that decide it tell."""
        found = self._known.get((node, form))
        if found is None:
            self._known[node, form] = frozenset(), True  # what leads back to itself adds nothing
            found = self._known[node, form] = self._followed(node, form)
        return found

    def _followed(self, node: Node, form: str) -> tuple[frozenset[Value], bool]:
        values = self._values.of(*node, form).values
        plain = frozenset(value for value in values if value.kind != "outside")
        if plain or values == _NONE:
            return plain, True
        sources = [*self._sources(node, form)]
        found: set[Value] = set()
        complete = bool(sources)
        for function, name in sources:
            for handed, told in self._arguments(function, name):
                found |= handed
                complete &= told
        return frozenset(found), complete

    def _sources(self, node: Node, form: str) -> Iterator[tuple[Node, str]]:
        """The parameters that a form stands for, each with its function."""
        owner, _, attribute = form.partition(".")
        if not attribute:
            scope = node.scope
            while scope:
                if any(form in function.names for function in self._program.parameters(node.path, scope)):
                    yield Node(node.path, scope), form
                    return
                scope = scope.rpartition(".")[0]
        elif attribute.isidentifier() and self._program.scope(*node).names.get(owner) == ("$",):
            holder = Node(node.path, node.scope.rpartition(".")[0])
            for ancestor in self._values.ancestors(holder):
                calls = self._program.calls(ancestor.path)
                for method, held in calls.attributes(ancestor.scope, attribute):
                    if held.isidentifier():
                        yield from self._sources(Node(ancestor.path, method), held)

    def _arguments(self, function: Node, name: str) -> Iterator[tuple[frozenset[Value], bool]]:
        """What each call of a function hands to a parameter, and whether that can be told."""
        nobody = True
        definition = next(iter(self._program.parameters(*function)), None)
        for caller in dict.fromkeys(
            where for where, _, called in callers(self._program, self._values, function) if called
        ):
            for call in self._calls(caller, _called(function)):
                nobody = False
                forms = call.handed(name, definition, "." in function.scope) if definition else None
                for form in forms or ():
                    yield self.of(caller, form)
                if forms is None:
                    yield frozenset(), False
        if nobody:
            yield frozenset(), False

    def _calls(self, caller: Node, wanted: Node) -> Iterator[Arguments]:
        word = wanted.scope.rpartition(".")[2]
        for call in self._program.arguments(*caller, word):
            if _means(self._values, caller, call.chain, wanted):
                yield call
