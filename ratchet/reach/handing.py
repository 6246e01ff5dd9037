"""What a file says about what is handed to functions: their parameters, and the arguments of calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ratchet.frozen import dataclass
from ratchet.reach.facts import MAIN
from ratchet.reach.forms import chain_of, forms_of
from ratchet.reach.outline import Function


@dataclass(frozen=True, slots=True)
class Parameters:
    """The names of a function's parameters, and of those the ones that a call may fill by position."""

    names: tuple[str, ...]
    positional: tuple[str, ...]
    is_static: bool


@dataclass(frozen=True, slots=True)
class Arguments:
    """A call: the chain of what is called, and the forms of what it hands over; None for a starred one."""

    chain: str
    positional: tuple[tuple[str, ...] | None, ...]
    keywords: tuple[tuple[str | None, tuple[str, ...]], ...]

    def handed(self, name: str, function: Parameters, is_method: bool) -> tuple[str, ...] | None:
        """The forms of what goes to a parameter, by its name or its place; None where that cannot be told."""
        for keyword, forms in self.keywords:
            if keyword == name:
                return forms
        plain = function.positional[1:] if is_method and not function.is_static else function.positional
        place = plain.index(name) if name in plain else len(self.positional)
        before = self.positional[: place + 1]
        return None if place >= len(self.positional) or None in before else before[-1]


def parameters_of(tree: ast.Module, scope: str) -> tuple[Parameters, ...]:
    """The parameters of a function by its qualified name, once for each of its definitions."""
    return tuple(map(_parameters, _functions(tree, scope)))


def arguments_of(tree: ast.Module, scope: str, word: str) -> tuple[Arguments, ...]:
    """The calls in a scope of what has a word for its last name."""
    inside: list[ast.AST] = [*_functions(tree, scope)] or [tree]
    nodes = (node for part in inside for node in ast.walk(part))
    calls = ((chain_of(node.func), node) for node in nodes if isinstance(node, ast.Call))
    return tuple(_arguments(chain, node) for chain, node in calls if chain.rpartition(".")[2] == word)


def _functions(tree: ast.Module, scope: str) -> list[Function]:
    if scope in ("", MAIN):
        return []
    inside: list[ast.AST] = [tree]
    for name in scope.split("."):
        inside = [found for part in inside for found in _defined(part, name)]
    return [found for found in inside if isinstance(found, Function)]


def _defined(part: ast.AST, name: str) -> Iterator[ast.AST]:
    """What a block itself defines under a name."""
    for child in ast.iter_child_nodes(part):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if child.name == name:
                yield child
        elif not isinstance(child, ast.expr):
            yield from _defined(child, name)


def _parameters(function: Function) -> Parameters:
    given = function.args
    positional = tuple(item.arg for item in (*given.posonlyargs, *given.args))
    marks = {chain_of(mark) for mark in function.decorator_list}
    names = (*positional, *(item.arg for item in given.kwonlyargs))
    return Parameters(names, positional, "staticmethod" in marks)


def _arguments(chain: str, call: ast.Call) -> Arguments:
    return Arguments(
        chain,
        tuple(None if isinstance(item, ast.Starred) else forms_of(item) for item in call.args),
        tuple((item.arg, forms_of(item.value)) for item in call.keywords),
    )
