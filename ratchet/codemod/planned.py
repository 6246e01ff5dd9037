"""Whether code is what the plan says, its accessors called as the file imports them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from ratchet.codemod.model import Accessor, Edit
from ratchet.codemod.shapes import dumped

Bound = Mapping[str, Collection[str]]
"""What the names that a text imports stand for: dotted names, by what they are called in it."""


def replacement_of(edit: Edit, kind: type[ast.AST]) -> ast.AST:
    """The tree of what takes a site's place: a statement where `kind` is one, else the expression."""
    try:
        code = ast.parse(f"({edit.after}\n)", mode="eval").body
    except SyntaxError:
        return ast.parse(edit.after).body[0]
    return ast.Expr(code) if issubclass(kind, ast.stmt) else code


def is_planned(expected: ast.AST, new: ast.AST, edit: Edit, bound: Bound) -> bool:
    """Whether code is the planned one, its accessors called as the file imports them."""
    if isinstance(expected, ast.Name):
        for item in edit.accessors:
            if expected.id == item.name:
                return isinstance(new, ast.expr) and _means(new, item, bound)
    if type(expected) is not type(new):
        return False
    for name in expected._fields:
        if name == "ctx":
            continue
        one, other = getattr(expected, name, None), getattr(new, name, None)
        if isinstance(one, ast.AST) and isinstance(other, ast.AST):
            if not is_planned(one, other, edit, bound):
                return False
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            if not all(_alike(*pair, edit, bound) for pair in zip(one, other, strict=True)):
                return False
        elif dumped(one) != dumped(other):
            return False
    return True


def _alike(expected: object, new: object, edit: Edit, bound: Bound) -> bool:
    if isinstance(expected, ast.AST) and isinstance(new, ast.AST):
        return is_planned(expected, new, edit, bound)
    return expected == new


def _means(node: ast.expr, accessor: Accessor, bound: Bound) -> bool:
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.insert(0, node.attr)
        node = node.value
    names = bound.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return f"{accessor.module}.{accessor.name}" in {".".join([name, *path]) for name in names}
