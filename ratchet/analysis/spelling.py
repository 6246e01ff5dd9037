"""The normalised code of an expression: one line, canonical quotes and spaces."""

from __future__ import annotations

import ast


def spell(node: ast.AST) -> str:
    """The node's code. Names, attributes and calls without arguments, the most there is, take a short cut."""
    short = _short(node)
    if short is not None:
        return short
    # Python 3.10 puts a space behind a lambda without parameters, later ones do not.
    return ast.unparse(node).replace("\n", " ").replace("lambda :", "lambda:")


def _short(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _short(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        base = _short(node.func)
        return None if base is None else f"{base}()"
    return None


def spell_call(node: ast.Call) -> str:
    """A call by its callee and its sorted keyword names: `record.override(a, b)`; `**` is an expansion."""
    names = sorted(keyword.arg or "**" for keyword in node.keywords)
    return f"{spell(node.func)}({', '.join(names)})"


def spell_target(node: ast.Call) -> str:
    """A call that writes a field by its name, without the value: `setattr(record, 'x')`."""
    given = [spell(argument) for argument in node.args[:2]]
    names = sorted(keyword.arg or "**" for keyword in node.keywords)
    return f"{spell(node.func)}({', '.join([*given, *names])})"
