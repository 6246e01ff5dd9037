"""A walk over a file's tree that enters only what holds an interesting line, and knows the scope it is in."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ratchet.analysis.lines import Hits

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
ScopeNode = ast.Module | ast.ClassDef | Function | ast.Lambda | Comprehension

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Until Python 3.12 the parts of an f-string do not know where they stand.
_PARTS_ARE_PLACED = sys.version_info >= (3, 12)


@dataclass(frozen=True, slots=True)
class Place:
    """The scopes around a node, the module first, and the qualified name of the innermost definition."""

    scopes: tuple[ScopeNode, ...]
    name: str

    def inside(self, node: ScopeNode) -> Place:
        """The place of what stands in the body of a scope that stands here."""
        name = self.name
        if isinstance(node, _DEFINITIONS):
            name = f"{name}.{node.name}" if name else node.name
        return Place((*self.scopes, node), name)


@dataclass(frozen=True, slots=True)
class Visit:
    """A node, its place, and the node that says where it stands in the text (an f-string, for its parts)."""

    node: ast.AST
    place: Place
    anchor: ast.AST


def visit(tree: ast.Module, hits: Hits) -> Iterator[Visit]:
    """The nodes that hold an interesting line, outer ones first, in the order of the text."""
    stack = [Visit(tree, Place((tree,), ""), tree)]
    while stack:
        current = stack.pop()
        yield current
        stack += [child for child in reversed(_children(current)) if _is_interesting(child, hits)]


def first_line(node: ast.AST) -> int:
    """The line where a node starts, its decorators included."""
    line: int = getattr(node, "lineno", 0)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([line, *(decorator.lineno for decorator in decorators)])


def _children(current: Visit) -> list[Visit]:
    node, place = current.node, current.place
    if isinstance(node, _DEFINITIONS):
        pairs = _parts_of_definition(node, place)
    elif isinstance(node, ast.Lambda):
        pairs = [*_outside(_defaults(node.args), place), (node.body, place.inside(node))]
    elif isinstance(node, _COMPREHENSIONS):
        pairs = _parts_of_comprehension(node, place)
    else:
        pairs = _outside(ast.iter_child_nodes(node), place)
    unplaced = isinstance(current.anchor, ast.JoinedStr) and not _PARTS_ARE_PLACED
    return [Visit(child, where, current.anchor if unplaced else child) for child, where in pairs]


def _outside(nodes: Iterable[ast.AST], place: Place) -> list[tuple[ast.AST, Place]]:
    return [(node, place) for node in nodes]


def _parts_of_definition(node: ast.ClassDef | Function, place: Place) -> list[tuple[ast.AST, Place]]:
    """What Python evaluates around a definition, and its body."""
    outer: list[ast.AST] = list(node.decorator_list)
    if isinstance(node, ast.ClassDef):
        outer += [*node.bases, *node.keywords]
    else:
        outer += [*_defaults(node.args), *_annotations(node.args), *([node.returns] if node.returns else [])]
    inner = place.inside(node)
    return [*_outside(outer, place), *_outside(node.body, inner)]


def _parts_of_comprehension(node: Comprehension, place: Place) -> list[tuple[ast.AST, Place]]:
    """What a comprehension evaluates: all in its own scope, but what it iterates over first."""
    inner = place.inside(node)
    results = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    parts = _outside(results, inner)
    for number, generator in enumerate(node.generators):
        parts.append((generator.iter, inner if number else place))
        parts += _outside([generator.target, *generator.ifs], inner)
    return parts


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default is not None]


def _annotations(arguments: ast.arguments) -> list[ast.expr]:
    return [argument.annotation for argument in parameters(arguments) if argument.annotation is not None]


def parameters(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters of a function."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return named + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def _is_interesting(found: Visit, hits: Hits) -> bool:
    last: int | None = getattr(found.node, "end_lineno", None)
    if last is None:
        # Parts such as the items of a with statement have no position of their own.
        return not isinstance(found.node, ast.expr_context)
    return found.anchor is not found.node or hits.within(first_line(found.node), last)
