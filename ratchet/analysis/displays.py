"""Parameters that are lists or texts by what their own function says, whatever they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence


def plain_parameters(
    defaults: Iterable[tuple[str, ast.expr]], body: Sequence[ast.stmt] | ast.expr
) -> frozenset[str]:
    """The names of parameters whose default is written as a list, tuple, set or text.

    That is in the signature, or for a default of None in the body as `if x is None: x = []` or `x = x or []`.
    """
    given = dict(defaults)
    plain = {name for name, default in given.items() if _is_display(default)}
    unset = {name for name, default in given.items() if ast.unparse(default) == "None"} if given else set()
    if unset and not isinstance(body, ast.expr):
        plain |= unset & set(_defaulted(body))
    return frozenset(plain)


def _defaulted(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that stand for a display where they are None."""
    for statement in body:
        match statement:
            case ast.If(
                test=ast.Compare(left=ast.Name(name), ops=[ast.Is()], comparators=[ast.Constant(None)]),
                body=[ast.Assign(targets=[ast.Name(target)], value=value)],
            ) if name == target and _is_display(value):
                yield name
            case ast.Assign(
                targets=[ast.Name(target)],
                value=ast.BoolOp(op=ast.Or(), values=[ast.Name(name), value]),
            ) if name == target and _is_display(value):
                yield name


def _is_display(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes))
    return isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.JoinedStr))
