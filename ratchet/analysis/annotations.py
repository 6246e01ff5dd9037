"""What an annotation says of a value: the record, another class, or nothing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ratchet.analysis.values import (
    NONE,
    OTHER,
    UNKNOWN,
    Class,
    Getter,
    Instance,
    Items,
    Record,
    Symbol,
    Value,
    join,
    join_all,
    only,
    pick,
)
from ratchet.model import Form

if TYPE_CHECKING:
    from ratchet.analysis.expressions import Expressions

_TRANSPARENT = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "InitVar"}
)
_SEQUENCES = frozenset(
    "list List tuple Tuple set Set frozenset FrozenSet Sequence Iterable Iterator Collection".split()
)
_SILENT = frozenset({"Any", "object", "Final", "ClassVar", "Self"})


def annotated(expressions: Expressions, node: ast.expr, form: Form) -> Value:
    """The value of something that carries this annotation; UNKNOWN where the annotation does not tell."""
    if isinstance(node, ast.Constant):
        return _of_constant(expressions, node, form)
    if isinstance(node, ast.BinOp):
        left = annotated(expressions, node.left, form)
        return join(left, annotated(expressions, node.right, form))
    if isinstance(node, ast.Subscript):
        return _of_subscript(expressions, node, form)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _of_class(expressions, node, form)
    return UNKNOWN


def _of_constant(expressions: Expressions, node: ast.Constant, form: Form) -> Value:
    if node.value is None:
        return NONE
    if not isinstance(node.value, str):
        return UNKNOWN
    try:
        parsed = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return UNKNOWN
    return annotated(expressions, parsed, form)


def _of_subscript(expressions: Expressions, node: ast.Subscript, form: Form) -> Value:
    outer = _last_name(node.value)
    arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer in ("type", "Type"):
        records = pick(annotated(expressions, arguments[0], form), Record)
        return frozenset(Getter("class", record.object) for record in records) or OTHER
    if outer in _SEQUENCES:
        found = annotated(expressions, arguments[0], form)
        return only(Items(found)) if pick(found, Record) else OTHER
    if outer not in _TRANSPARENT:
        return OTHER
    if outer == "Annotated":
        arguments = arguments[:1]
    found = join_all(annotated(expressions, argument, form) for argument in arguments)
    return join(found, NONE) if outer == "Optional" else found


def _of_class(expressions: Expressions, node: ast.Name | ast.Attribute, form: Form) -> Value:
    name = _last_name(node)
    if name in _SILENT:
        return UNKNOWN
    value = _class_value(expressions, node)
    records = [object_id for atom in value or () if (object_id := _record_of(expressions, atom))]
    if records:
        return only(Record(min(records), "supplied", form, form))
    known = [atom.name for atom in value or () if isinstance(atom, (Class, Symbol))]
    if known:
        return only(Instance(sorted(known)[0]))
    # A name that nothing binds (an annotation in quotes whose import is left out) is taken by its bare name.
    object_id = expressions.state.tracked.class_names.get(name) if value is None else None
    return only(Record(object_id, "supplied", form, form)) if object_id else OTHER


def _class_value(expressions: Expressions, node: ast.Name | ast.Attribute) -> Value | None:
    """What the name of a class stands for; None where nothing in the file binds it."""
    if isinstance(node, ast.Name):
        return expressions.scope.look_up_type(node.id)
    base = node.value
    outer = _class_value(expressions, base) if isinstance(base, (ast.Name, ast.Attribute)) else UNKNOWN
    if outer is None or outer == UNKNOWN:
        return outer
    return expressions.attributes.attribute_of(outer, node.attr, "chain")


def _record_of(expressions: Expressions, atom: object) -> str | None:
    if isinstance(atom, Getter) and atom.kind == "class":
        return atom.target
    return expressions.state.record_class(atom.name) if isinstance(atom, Class) else None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
