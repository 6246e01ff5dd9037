"""Types as the engine writes them, turned into types that a stub can state on its own.

The results use builtins and three imported names: `Any`, `Callable` and `Literal`. A class of the engine
becomes `Any` and is named, so that a stub needs nothing of the engine and never claims more than it knows.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass

_GENERICS = {
    "dict": ("dict", 2),
    "frozenset": ("frozenset", 1),
    "list": ("list", 1),
    "set": ("set", 1),
    "tuple": ("tuple", 0),
    "type": ("type", 1),
    "Dict": ("dict", 2),
    "FrozenSet": ("frozenset", 1),
    "List": ("list", 1),
    "Set": ("set", 1),
    "Tuple": ("tuple", 0),
    "Type": ("type", 1),
}
"""By the name that is written: the builtin, and how many parameters a bare use of it leaves unsaid."""

_PLAIN = frozenset({"bool", "bytes", "complex", "float", "int", "object", "str", "Any", "None"})


_MODULES = ("typing.", "typing_extensions.", "collections.abc.", "builtins.")


@dataclass(frozen=True, slots=True)
class StubType:
    """A type for a stub, and the names in it that became `Any`."""

    text: str
    unresolved: tuple[str, ...] = ()


def stub_type(written: str) -> StubType:
    """The type that a field's annotation, as written, has in a stub.

    Raises JudgeError where the text is no expression, or nested beyond sense.
    """
    unresolved: list[str] = []
    try:
        text = _render(_parse(written), unresolved)
    except RecursionError:
        raise JudgeError(
            f"the type {written[:40]!r}... is nested too deeply; simplify it where the field is declared"
        ) from None
    return StubType(text, tuple(dict.fromkeys(unresolved)))


def _parse(written: str) -> ast.expr:
    try:
        return ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError):
        raise JudgeError(
            f"the type {written!r} does not parse; correct it where the field is declared"
        ) from None


def _render(node: ast.expr, unresolved: list[str]) -> str:
    members = list(dict.fromkeys(_members(node, unresolved)))
    members.sort(key=lambda member: member == "None")
    return " | ".join(members)


def _members(node: ast.expr, unresolved: list[str]) -> list[str]:
    """The members of the union that a type is; of one member where it is none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left, unresolved), *_members(node.right, unresolved)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _members(_parse(node.value), unresolved)
    if isinstance(node, ast.Constant) and node.value in (None, ...):
        return ["None" if node.value is None else "..."]
    if isinstance(node, ast.Subscript):
        name = _known(node.value)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("Optional", "Union"):
            members = [member for item in items for member in _members(item, unresolved)]
            return [*members, "None"] if name == "Optional" else members
        return [_subscript(name, items, node, unresolved)]
    return [_name(node, unresolved)]


def _name(node: ast.expr, unresolved: list[str]) -> str:
    name = _known(node)
    if name in _PLAIN:
        return name
    if name == "Callable":
        return "Callable[..., Any]"
    if name in _GENERICS:
        generic, parameters = _GENERICS[name]
        return f"{generic}[{', '.join(['Any'] * parameters) or 'Any, ...'}]"
    return _unknown(node, unresolved)


def _subscript(name: str, items: Sequence[ast.expr], node: ast.Subscript, unresolved: list[str]) -> str:
    if name == "Literal" and all(map(_is_constant, items)):
        return f"Literal[{', '.join(ast.unparse(item) for item in items)}]"
    if name == "Callable" and len(items) == 2:
        return f"Callable[{_parameters(items[0], unresolved)}, {_render(items[1], unresolved)}]"
    if name in _GENERICS:
        return f"{_GENERICS[name][0]}[{', '.join(_render(item, unresolved) for item in items)}]"
    return _unknown(node.value, unresolved)


def _is_constant(node: ast.expr) -> bool:
    """Whether a literal says its value itself; a member of an enumeration names a class of the engine."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def _parameters(node: ast.expr, unresolved: list[str]) -> str:
    if isinstance(node, ast.List):
        return f"[{', '.join(_render(item, unresolved) for item in node.elts)}]"
    return "..."


def _unknown(node: ast.expr, unresolved: list[str]) -> str:
    unresolved.append(ast.unparse(node))
    return "Any"


def _known(node: ast.expr) -> str:
    """The bare name of a builtin or a typing construct; another name as it is written."""
    written = ast.unparse(node)
    for module in _MODULES:
        written = written.removeprefix(module)
    return written
