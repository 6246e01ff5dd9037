"""What the comparison of two trees asks of single statements and expressions."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeGuard

from ratchet.model import Span
from ratchet.syntax.document import Document


def text(document: Document, node: ast.stmt) -> str:
    """A statement's text, its decorators included."""
    return document.text[begin(document, node) : document.end(node)]


def begin(document: Document, node: ast.stmt) -> int:
    """Where a statement begins, its decorators included: behind the sign of the first one."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return document.start(decorators[0]) if decorators else document.start(node)


def lines_of(node: ast.stmt, lines: Sequence[int]) -> Sequence[int]:
    """Those of some lines, which are in order, on which a statement stands."""
    return lines[bisect_left(lines, node.lineno) : bisect_right(lines, node.end_lineno or 0)]


def is_below_head(block: Sequence[ast.stmt], at: int) -> bool:
    """Whether a statement before the one at an index stands below a docstring and imports of the future."""
    first = block[0].value if block and isinstance(block[0], ast.Expr) else None
    is_docstring = isinstance(first, ast.Constant) and isinstance(first.value, str)
    future = any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in block[at:])
    return not future and (at > 0 or not is_docstring)


def is_one_import(old: ast.stmt, new: ast.stmt) -> TypeGuard[ast.Import | ast.ImportFrom]:
    """Whether two statements are imports of one kind, and of one module where they name it."""
    if isinstance(old, ast.ImportFrom) and isinstance(new, ast.ImportFrom):
        return same_source(old, new)
    return isinstance(old, ast.Import) and isinstance(new, ast.Import)


def same_source(old: ast.ImportFrom, new: ast.ImportFrom) -> bool:
    """Whether two from-imports name one module in one way."""
    return (old.module, old.level) == (new.module, new.level)


def is_changed_import(old: ast.stmt, new: ast.stmt | None, rest: Sequence[ast.stmt]) -> bool:
    """Whether `new` is what became of an import, and not of another one of its module in the `rest`."""
    if isinstance(old, ast.Import) and isinstance(new, ast.Import):
        return bool(_names(old) & _names(new))
    if not (isinstance(old, ast.ImportFrom) and isinstance(new, ast.ImportFrom) and same_source(old, new)):
        return False
    others = [node for node in rest if isinstance(node, ast.ImportFrom) and same_source(node, new)]
    return bool(_names(old) & _names(new)) or not any(_names(node) & _names(new) for node in others)


def _names(node: ast.Import | ast.ImportFrom) -> set[tuple[str, str | None]]:
    return {(alias.name, alias.asname) for alias in node.names}


_SIMPLE = (
    ast.Expr,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Return,
    ast.Raise,
    ast.Import,
    ast.ImportFrom,
)


def imports_in(body: Sequence[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements of a block and of those inside of it."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        if isinstance(node, _SIMPLE):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from imports_in(getattr(node, name, ()))
        for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from imports_in(branch.body)


def is_chain(node: ast.AST | None) -> bool:
    """Whether an expression is made of names, attributes, constants, bare calls and choices of these."""
    if isinstance(node, ast.Attribute):
        return is_chain(node.value)
    if isinstance(node, ast.Call):
        cast = isinstance(node.func, ast.Name) and node.func.id == "cast"
        return not node.keywords and (cast or not node.args) and is_chain(node.func)
    if isinstance(node, ast.IfExp | ast.BoolOp | ast.Compare):
        parts = (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr))
        return all(is_chain(part) for part in parts)
    return isinstance(node, ast.Name | ast.Constant)


def pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """The targets and values of an assignment of a tuple to a tuple; nothing for another one."""
    target, value = node.targets[0], node.value
    if len(node.targets) == 1 and isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return []


Goes = Callable[[ast.expr | ast.keyword | ast.arg, ast.AST], bool]


def without_dropped(node: ast.Call | ast.arguments, goes: Goes) -> ast.Call | ast.arguments:
    """A call or a signature without the arguments or parameters that go, those with their defaults."""
    if isinstance(node, ast.Call):
        words = [word for word in node.keywords if not goes(word, word)]
        return ast.Call(node.func, [part for part in node.args if not goes(part, part)], words)
    by_place = [*node.posonlyargs, *node.args]
    missing = len(by_place) - len(node.defaults)
    given = dict(zip(map(id, by_place[missing:]), node.defaults, strict=True))
    words_given = dict(zip(map(id, node.kwonlyargs), node.kw_defaults, strict=True))
    gone = {id(part) for part in by_place if goes(part, given.get(id(part), part))}
    gone |= {id(part) for part in node.kwonlyargs if goes(part, words_given[id(part)] or part)}
    return ast.arguments(
        [part for part in node.posonlyargs if id(part) not in gone],
        [part for part in node.args if id(part) not in gone],
        node.vararg,
        [part for part in node.kwonlyargs if id(part) not in gone],
        [value for key, value in words_given.items() if key not in gone],
        node.kwarg,
        [value for key, value in given.items() if key not in gone],
    )


def dumped(value: object) -> object:
    """A field of a node, without positions, for comparison."""
    if isinstance(value, ast.AST):
        return ast.dump(value)
    return [dumped(part) for part in value] if isinstance(value, list) else value


def not_held(inner: Iterable[Span], outer: Iterable[Span]) -> Iterator[Span]:
    """The spans that lie in none of some others, in order."""
    around = sorted(((span.line, span.column), (span.end_line, span.end_column)) for span in outer)
    farthest = list(accumulate((end for _, end in around), max))
    for span in sorted(inner, key=lambda span: (span.line, span.column)):
        at = bisect_right(around, (span.line, span.column), key=lambda pair: pair[0])
        if not at or farthest[at - 1] < (span.end_line, span.end_column):
            yield span


def holds(outer: Span, inner: Span) -> bool:
    """Whether a span lies in another one."""
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end
