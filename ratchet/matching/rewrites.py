"""What a pattern rule's sites become: whether its rewrite can be filled from what its patterns match."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ratchet.matching.pattern import hole_of, holes_of, is_dots, is_rest, parse_snippet
from ratchet.matching.unify import ANYTHING

Code = ast.expr | ast.stmt
_STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Assert, ast.Raise, ast.Return,
)  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def code_of(snippet: str) -> Code:
    """The expression that a snippet is, or the one simple statement. Raises SyntaxError for all else."""
    body = parse_snippet(snippet)
    if len(body) != 1:
        raise SyntaxError("it is not one of either")
    only = body[0]
    if isinstance(only, ast.Expr):
        return only.value
    if not isinstance(only, _STATEMENTS):
        raise SyntaxError("only assignments, `del`, `assert`, `raise` and `return` are rewritten")
    return only


def names_bound(code: ast.AST) -> frozenset[str]:
    """The names that some code assigns or deletes where it stands; what a comprehension binds is its own."""
    stored = (node for node in ast.walk(code) if isinstance(node, ast.Name))
    found = {node.id for node in stored if not isinstance(node.ctx, ast.Load)}
    kept = {node.target.id for node in ast.walk(code) if isinstance(node, ast.NamedExpr)}
    inner = {
        name.id
        for node in ast.walk(code)
        if isinstance(node, _COMPREHENSIONS)
        for generator in node.generators
        for name in ast.walk(generator.target)
        if isinstance(name, ast.Name)
    }
    return frozenset((found - inner) | kept)


def rewrite_fault(patterns: Iterable[str], rewrite: str) -> str | None:
    """Why a rewrite cannot stand for these patterns, as what follows "the rewrite ..."; None where it can."""
    try:
        new = code_of(rewrite)
        olds = {pattern: code_of(pattern) for pattern in patterns}
    except (SyntaxError, ValueError, RecursionError) as error:
        said = getattr(error, "msg", error)
        return f"is for patterns that are one expression or statement, and is one: {said}"
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(new)):
        return "has a `yield`, which makes another kind of function of the one around it"
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
        added = sorted(name for name in names_bound(new) - names_bound(old) if not hole_of(name))
        if added:
            return f"binds the name `{added[0]}`, which the pattern `{pattern}` does not bind"
    return None


def _has_hole(node: ast.AST) -> bool:
    return any(hole_of(part) for part in ast.walk(node))


def _dots(tree: ast.AST) -> int:
    return sum(is_dots(node) or is_rest(node) for node in ast.walk(tree) if not isinstance(node, ast.Expr))
