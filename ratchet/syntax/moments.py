"""When code runs: where a site stands in the syntax tree, and whether that is import time."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from ratchet.analysis.lines import holds_line
from ratchet.frozen import dataclass
from ratchet.model import Span
from ratchet.syntax.document import Document

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DECORATED = (*_FUNCTIONS, ast.ClassDef)
_SITES = (ast.Attribute, ast.Call, ast.Subscript, ast.pattern)
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A node, and all nodes around it from the module down."""

    node: ast.expr | ast.pattern
    above: tuple[ast.AST, ...]

    @property
    def statement(self) -> ast.stmt | None:
        """The innermost statement that holds the node."""
        return next((node for node in reversed(self.above) if isinstance(node, ast.stmt)), None)

    @property
    def function(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function in whose body the node runs; a default or a decorator runs around it."""
        for outer, inner in self._steps():
            # Of a function, only what stands in its body is a statement.
            if isinstance(outer, _FUNCTIONS) and isinstance(inner, ast.stmt):
                return outer
        return None

    @property
    def outermost(self) -> str:
        """The qualified name of the outermost function around the node; empty outside of functions."""
        names: list[str] = []
        for node in self.above:
            if isinstance(node, _DECORATED):
                names.append(node.name)
                if isinstance(node, _FUNCTIONS):
                    return ".".join(names)
        return ""

    def _steps(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Each node above with the one that leads to the site, from the innermost."""
        chain = (*self.above, self.node)
        for index in range(len(chain) - 1, 0, -1):
            yield chain[index - 1], chain[index]

    @property
    def deferred(self) -> bool:
        """Whether it runs when something is called, and not while the module is imported."""
        if self.function is not None:
            return True
        return any(isinstance(outer, ast.Lambda) and inner is outer.body for outer, inner in self._steps())

    @property
    def as_script(self) -> bool:
        """Whether it runs only where the module is started as a script."""
        for outer, inner in self._steps():
            if isinstance(outer, ast.If) and asks_for_main(outer.test) and in_body(outer, inner):
                return True
        return False


def in_body(outer: ast.If, inner: ast.AST) -> bool:
    """Whether a child of a condition runs where the test holds."""
    if not isinstance(inner, ast.stmt):
        return False
    last = outer.body[-1]
    return (inner.lineno, inner.col_offset) <= (last.lineno, last.col_offset)


def bound_in_try(function: ast.AST, name: str) -> bool:
    """Whether a function binds a name where it catches what the binding raises."""
    for node in ast.walk(function):
        if isinstance(node, ast.Try) and node.handlers:
            bound = (target for item in node.body if isinstance(item, ast.Assign) for target in item.targets)
            if any(isinstance(target, ast.Name) and target.id == name for target in bound):
                return True
    return False


def places_of(document: Document, spans: Collection[Span]) -> Mapping[Span, Place]:
    """Where each of these spans stands; one that the tree has no expression for is left out."""
    asked = {span.line for span in spans}
    lines = sorted(asked)
    found: dict[Span, Place] = {}
    pending: list[tuple[ast.AST, _Link | None]] = [(document.tree, None)]
    while pending:
        node, above = pending.pop()
        if isinstance(node, _SITES) and node.lineno in asked:
            span = document.lines.span(node)
            if span in spans:
                found.setdefault(span, Place(node, _chain(above)))
        inside = _Link(node, above)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt) or holds_line(child, lines):
                pending.append((child, inside))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Link:
    """A node, and the link to the one around it: chains share what is above them."""

    node: ast.AST
    above: _Link | None


def _chain(link: _Link | None) -> tuple[ast.AST, ...]:
    """The nodes of a chain from the outermost on."""
    nodes: list[ast.AST] = []
    while link is not None:
        nodes.append(link.node)
        link = link.above
    return tuple(reversed(nodes))


def imports_of(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    """The statements `from ... import` of a module, those in functions too; no expression is looked at."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom):
            yield node
        for block in _BLOCKS:
            pending.extend(getattr(node, block, ()))


def called_at_import(tree: ast.Module) -> frozenset[str]:
    """The module's own functions that its top level calls by name, or that those call; scripts left out.

    What is awaited, or made of `yield`, is not run by its call.
    """
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    called: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, _DECORATED) or (
            isinstance(statement, ast.If) and asks_for_main(statement.test)
        ):
            continue
        called |= set(_names_called(statement))
    found: set[str] = set()
    pending = called & functions.keys()
    while pending:
        name = pending.pop()
        if not _yields(functions[name]):
            found.add(name)
            inside = {other for part in functions[name].body for other in _names_called(part)}
            pending |= (inside & functions.keys()) - found
    return frozenset(found)


def _yields(function: ast.FunctionDef) -> bool:
    """Whether a function is a generator."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*_DECORATED, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
    return False


def _names_called(statement: ast.stmt) -> Iterator[str]:
    """The plain names that are called when this runs: not what functions in it will call."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))


def asks_for_main(test: ast.expr) -> bool:
    """Whether a condition is `__name__ == "__main__"`."""
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name)):
        return False
    right = test.comparators[0]
    return test.left.id == "__name__" and isinstance(right, ast.Constant) and right.value == "__main__"
