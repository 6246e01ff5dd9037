"""Dead writes, whose statements are deleted: not where their value does something."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ratchet.codemod.model import Refusal
from ratchet.codemod.survey import Found
from ratchet.syntax.document import Document

_EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Subscript)


def refuse_deletion(document: Document, found: Found) -> Refusal | None:
    """Why the statement of a dead write is not deleted; None where nothing else goes with it."""
    statement = found.place.statement
    values = _values(statement, found.node)
    if values is None:
        return Refusal("not-a-statement", "the dead write is a part of a statement that does more")
    if any(isinstance(node, _EFFECTS) for value in values for node in ast.walk(value)):
        return Refusal("not-a-statement", "the dead write's value may do something, so it is not deleted")
    if "#" in document.code(statement):
        return Refusal("comment-inside", "a comment stands inside of the dead write")
    names = {node.id for value in values for node in ast.walk(value) if isinstance(node, ast.Name)}
    alone = sorted(name for name in names if _is_only_for(found, name))
    if alone:
        return Refusal("not-a-statement", f"`{alone[0]}` is computed for nothing but the dead write")
    return None


def _values(statement: ast.stmt, node: ast.AST) -> list[ast.expr] | None:
    """What a statement computes beside the write that it is; None where it is more than one write."""
    if isinstance(statement, ast.Expr) and statement.value is node and isinstance(node, ast.Call):
        return [*node.args, *(word.value for word in node.keywords)][isinstance(node.func, ast.Name) :]
    if isinstance(statement, ast.Assign) and statement.targets == [node]:
        return [statement.value]
    if isinstance(statement, ast.AugAssign | ast.AnnAssign) and statement.target is node and statement.value:
        return [statement.value]
    return None


def _is_only_for(found: Found, name: str) -> bool:
    """Whether a function binds a name and reads it nowhere but in the statement."""
    function = found.scope.function()
    if function is None:
        return False
    inside = set(map(id, ast.walk(found.place.statement)))
    others = [node for node in _named(function.node, name) if id(node) not in inside]
    stored = any(isinstance(node.ctx, ast.Store) for node in others)
    return stored and not any(isinstance(node.ctx, ast.Load) for node in others)


def _named(node: ast.AST, name: str) -> Iterator[ast.Name]:
    return (part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name)
