"""Which stores an override call can stand for, and the source that it names."""

from __future__ import annotations

import ast
import re

from ratchet.codemod.model import Refusal
from ratchet.codemod.sites import PlanSite
from ratchet.model import Schema
from ratchet.syntax.moments import Place

_CHANGEABLE = re.compile(
    r"\b(?:list|dict|set|deque|bytearray|array|counter|defaultdict|ordereddict|mutable\w+)\b", re.IGNORECASE
)
"""Types whose `+=` and the like change the object itself, which others may hold, and take more than `+`."""


def refuse_write(site: PlanSite, place: Place, schema: Schema) -> Refusal | None:
    """Why a change to a field cannot become an override call, None where it can."""
    access = site.access
    if access.operation == "delete":
        return Refusal("unsupported-form", f"{access.code} is deleted, and a namespace keeps its fields")
    if access.operation == "mutate":
        return Refusal("unsupported-form", f"what {access.code} holds is changed in place")
    if isinstance(place.node, ast.Call):
        return _refuse_call(access.code, place.node, place)
    if isinstance(place.statement, ast.AugAssign) and place.statement.target is place.node:
        known = schema.fields.get(access.field or "")
        if known is not None and _CHANGEABLE.search(known.type):
            return Refusal("unsupported-form", f"what {access.code} holds ({known.type}) is changed in place")
    if _is_stored(place):
        return None
    return Refusal("not-a-statement", f"{access.code} is bound by something else than a plain assignment")


def source_of(path: str, scope: str, place: Place, source_name: str) -> str:
    """Who writes: the source that the code itself gives, else the names of the module and of the function.

    The result is the code of an expression.
    """
    node = place.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not _sets_attribute(node):
        given = next((keyword.value for keyword in node.keywords if keyword.arg == source_name), None)
        if given is None and node.args and not isinstance(node.args[0], ast.Starred):
            given = node.args[0]
        if given is not None:
            return ast.unparse(given)
    module = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    function = re.sub(r"\.?<\w+>", "", scope).rpartition(".")[2]
    return f'"{".".join(part for part in (module, function) if part)}"'


def _refuse_call(code: str, node: ast.Call, place: Place) -> Refusal | None:
    if not isinstance(place.statement, ast.Expr) or place.statement.value is not node:
        return Refusal("not-a-statement", f"{code} is a part of another expression")
    if not (isinstance(node.func, ast.Name) or _sets_attribute(node)):
        return None
    if node.keywords or any(isinstance(item, ast.Starred) for item in node.args):
        return Refusal("unsupported-form", f"{code} does not give its field and its value by position")
    if not isinstance(node.args[-2], ast.Constant):
        return Refusal("computed-name", f"{code} names its field by a variable")
    return None


def _sets_attribute(node: ast.Call) -> bool:
    """Whether it is a call of a `__setattr__`."""
    return isinstance(node.func, ast.Attribute) and node.func.attr == "__setattr__"


def _is_stored(place: Place) -> bool:
    """Whether the node is one of the targets of an assignment, by itself."""
    statement = place.statement
    if isinstance(statement, ast.Assign):
        return any(target is place.node for target in statement.targets)
    if isinstance(statement, ast.AugAssign):
        return statement.target is place.node
    return isinstance(statement, ast.AnnAssign) and statement.target is place.node and bool(statement.value)
