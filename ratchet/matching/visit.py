"""A walk over a file's tree that enters only what holds an interesting line, and knows the scope it is in."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple, cast

from ratchet.analysis.lines import Hits, Lines, first_line
from ratchet.frozen import dataclass
from ratchet.model import Span

Function = ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
ScopeNode = ast.Module | ast.ClassDef | Function | ast.Lambda | Comprehension

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = frozenset({*_DEFINITIONS, ast.Lambda, *_COMPREHENSIONS})
# Fields that hold no node that anything could be found in: names, operators, contexts.
_BARE = frozenset({"attr", "ctx", "id", "level", "module", "op", "ops", "simple", "type_comment"})
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


class Visit(NamedTuple):
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
        node, place, anchor = current
        parts = _parts(node, place)
        if not parts:
            continue
        if isinstance(anchor, ast.JoinedStr) and not _PARTS_ARE_PLACED:
            children = [Visit(part, place, anchor) for part, place in parts]
        elif isinstance(node, ast.expr) and node.lineno == node.end_lineno:
            children = [Visit(part, place, part) for part, place in parts]
        else:
            children = [Visit(part, place, part) for part, place in parts if _is_interesting(part, hits)]
        children.reverse()
        stack += children


def span_of(node: ast.AST, lines: Lines) -> Span:
    """Where a node stands that has a position."""
    return lines.span(cast(ast.expr, node))


def _parts(node: ast.AST, place: Place) -> list[tuple[ast.AST, Place]]:
    """The nodes right inside a node that stands at a place, and where they stand."""
    kind = type(node)
    if kind in _SCOPES:
        if isinstance(node, _DEFINITIONS):
            return _parts_of_definition(node, place)
        if isinstance(node, ast.Lambda):
            return [*_outside(_defaults(node.args), place), (node.body, place.inside(node))]
        return _parts_of_comprehension(cast(Comprehension, node), place)
    if kind is ast.Name or kind is ast.Constant:
        return []
    found: list[tuple[ast.AST, Place]] = []
    for name in node._fields:
        if name not in _BARE:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [(item, place) for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append((value, place))
    return found


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


def _is_interesting(node: ast.AST, hits: Hits) -> bool:
    last: int | None = getattr(node, "end_lineno", None)
    if last is None:
        return True  # parts such as the items of a with statement have no position of their own
    return hits.within(first_line(node), last)
