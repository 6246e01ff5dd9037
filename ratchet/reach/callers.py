"""Who calls a function, or hands it on; and what a function is handed, where only its calls tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ratchet.model import Problem
from ratchet.reach.facts import MAIN
from ratchet.reach.forms import chain_of, forms_of
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Value, Values

_MAKING = ("__init__", "__new__", "__post_init__")
_NONE = frozenset((Value("outside", "", "literal"),))
"""What `None` is, and any other literal: no code of the tree."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


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
        self._trees: dict[str, ast.Module | Problem] = {}

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
                if any(form in _names(function) for function in self._functions(Node(node.path, scope))):
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
        definition = next(iter(self._functions(function)), None)
        for caller in dict.fromkeys(
            where for where, _, called in callers(self._program, self._values, function) if called
        ):
            for call in self._calls(caller, _called(function)):
                nobody = False
                argument = _argument(call, definition, name, "." in function.scope) if definition else None
                for form in forms_of(argument) if argument is not None else ():
                    yield self.of(caller, form)
                if argument is None:
                    yield frozenset(), False
        if nobody:
            yield frozenset(), False

    def _calls(self, caller: Node, wanted: Node) -> Iterator[ast.Call]:
        tree = self._tree(caller.path)
        if isinstance(tree, Problem):
            return
        word = wanted.scope.rpartition(".")[2]
        inside: list[ast.AST] = [*self._functions(caller)] or [tree]
        for node in (node for part in inside for node in ast.walk(part)):
            if isinstance(node, ast.Call):
                chain = chain_of(node.func)
                if chain.rpartition(".")[2] == word and _means(self._values, caller, chain, wanted):
                    yield node

    def _functions(self, node: Node) -> list[Function]:
        """The definitions of a function, by its qualified name."""
        tree = self._tree(node.path)
        if isinstance(tree, Problem) or node.scope in ("", MAIN):
            return []
        inside: list[ast.AST] = [tree]
        for name in node.scope.split("."):
            inside = [found for part in inside for found in _defined(part, name)]
        return [found for found in inside if isinstance(found, Function)]

    def _tree(self, path: str) -> ast.Module | Problem:
        found = self._trees.get(path)
        if found is None:
            found = self._trees[path] = self._program.tree(path)
        return found


def _defined(part: ast.AST, name: str) -> Iterator[ast.AST]:
    """What a block itself defines under a name."""
    for child in ast.iter_child_nodes(part):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if child.name == name:
                yield child
        elif not isinstance(child, ast.expr):
            yield from _defined(child, name)


def _names(function: Function) -> list[str]:
    given = function.args
    return [item.arg for item in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _argument(call: ast.Call, function: Function, name: str, is_method: bool) -> ast.expr | None:
    """What a call hands to a parameter, by its name or its place; None where that cannot be told."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    plain = [item.arg for item in (*function.args.posonlyargs, *function.args.args)]
    marks = {chain_of(mark) for mark in function.decorator_list}
    if is_method and "staticmethod" not in marks:
        plain = plain[1:]
    place = plain.index(name) if name in plain else len(call.args)
    before = call.args[: place + 1]
    if place >= len(call.args) or any(isinstance(item, ast.Starred) for item in before):
        return None
    return before[-1]
