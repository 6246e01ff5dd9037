"""What a pattern rule's sites become: whether its rewrite can be filled from what its patterns match."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ratchet.matching.pattern import hole_of, holes_of, is_dots, is_rest, parse_snippet
from ratchet.matching.unify import ANYTHING


def expression_of(snippet: str) -> ast.expr:
    """The expression that a snippet is. Raises SyntaxError where it is none, or several statements."""
    body = parse_snippet(snippet)
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise SyntaxError("it is no single expression")
    return body[0].value


def rewrite_fault(patterns: Iterable[str], rewrite: str) -> str | None:
    """Why a rewrite cannot stand for these patterns, as what follows "the rewrite ..."; None where it can."""
    try:
        new = expression_of(rewrite)
        olds = {pattern: expression_of(pattern) for pattern in patterns}
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"is for patterns that are one expression, and is one: {getattr(error, 'msg', error)}"
    if any(isinstance(node, ast.JoinedStr) and _has_hole(node) for node in ast.walk(new)):
        return "has a hole inside of an f-string, which cannot be filled"
    for pattern, old in olds.items():
        unknown = sorted(holes_of(rewrite) - holes_of(pattern))
        if unknown:
            return f"has the hole `${unknown[0]}`, which the pattern `{pattern}` does not have"
        if ANYTHING in holes_of(pattern):
            return f"would lose what `$_` holds in the pattern `{pattern}`: give that hole a name"
        if _dots(old) > 1 or _dots(new) > 1:
            return "and its patterns may have one `...` each"
        if _dots(new) > _dots(old):
            return f"has `...`, which the pattern `{pattern}` does not have"
    return None


def _has_hole(node: ast.AST) -> bool:
    return any(hole_of(part) for part in ast.walk(node))


def _dots(tree: ast.AST) -> int:
    return sum(is_dots(node) or is_rest(node) for node in ast.walk(tree) if not isinstance(node, ast.Expr))
