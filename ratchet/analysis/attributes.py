"""Attributes: reads of records and bags, and what other objects hold under a name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ratchet.analysis.scopes import Scope
from ratchet.analysis.values import (
    NOTHING,
    OTHER,
    UNKNOWN,
    Bag,
    Class,
    Context,
    Element,
    Getter,
    Instance,
    Module,
    Plain,
    Record,
    Symbol,
    Value,
    View,
    join,
    join_all,
    only,
    pick,
)
from ratchet.model import Form

if TYPE_CHECKING:
    from ratchet.analysis.expressions import Expressions


class Attributes:
    """The attributes of one file."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._state = expressions.state

    def attribute(self, node: ast.Attribute) -> Value:
        """An attribute where it is read."""
        base = self._expressions.value(node.value)
        owners = frozenset(atom for atom in base if isinstance(atom, (Record, Bag)))
        result = self._read(node, base, owners) if owners else NOTHING
        others = base - owners - {Plain.NONE}
        if others:
            result = join(result, self.attribute_of(others, node.attr, self.form_of(node.value)))
        return result or UNKNOWN

    def form_of(self, base: ast.expr) -> Form:
        """How an attribute of this base is spelled: off the instance itself, or off another object."""
        return "self" if isinstance(base, ast.Name) and self._is_first_parameter(base) else "chain"

    def _is_first_parameter(self, node: ast.Name) -> bool:
        scope: Scope | None = self._expressions.scope
        while scope is not None:
            if scope.receiver == node.id:
                return True
            scope = scope.parent
        return node.id in ("self", "cls")

    def _read(self, node: ast.Attribute, base: Value, owners: Value) -> Value:
        """An attribute of a record or bag: a read, unless it leads to a nested bag or a mapping view."""
        result = NOTHING
        for bag in pick(owners, Bag):
            if self._state.tracked.live(bag.path, node.attr):
                result = join(result, only(Bag(f"{bag.path}.{node.attr}", bag.form, bag.root)))
                base -= {bag}
        records = pick(owners, Record)
        if node.attr == "__dict__":
            return join_all(only(View(record, live=True)) for record in records) or OTHER
        if node.attr == "__class__" and records:
            return join_all(only(Getter("class", record.object)) for record in records)
        emission = self._expressions.emitter.emit(node, "read", base, node.attr, self._expressions.scope.name)
        return join(result, only(Element(emission))) if emission else result

    def attribute_of(self, base: Value, name: str, form: Form) -> Value:
        """What an attribute of something that is neither record nor bag stands for."""
        if len(base) == 1:
            return self._attribute_of_atom(next(iter(base)), name, form)
        return join_all(self._attribute_of_atom(atom, name, form) for atom in base)

    def _attribute_of_atom(self, atom: object, name: str, form: Form) -> Value:
        state = self._state
        if isinstance(atom, Module):
            return state.dotted(f"{atom.name}.{name}")
        if isinstance(atom, Context):
            return self._slot(atom, name)
        if isinstance(atom, Element):
            return only(atom)
        if isinstance(atom, Getter):
            return self._of_getter(atom, name)
        if isinstance(atom, Symbol):
            return self._of_symbol(atom, name, form)
        if isinstance(atom, (Class, Instance)):
            found = state.attribute(atom.name, name, form)
            return found or self._unknown_attribute(name, form)
        return self._unknown_attribute(name, form)

    def _of_symbol(self, symbol: Symbol, name: str, form: Form) -> Value:
        """An attribute of something imported: what the tree exports, what was parked, or a convention."""
        found = self._state.dotted(f"{symbol.name}.{name}")
        if found != only(Symbol(f"{symbol.name}.{name}")):
            return found
        if self._state.tracked.conventional_attribute(name) is None or self._is_module(symbol, name):
            return self._state.loosely(name, form) or found
        return self._unknown_attribute(name, form)

    def _is_module(self, symbol: Symbol, name: str) -> bool:
        return f"{symbol.name}.{name}" in self._state.modules

    def _unknown_attribute(self, name: str, form: Form) -> Value:
        state = self._state
        loose = state.loosely(name, form)
        object_id = state.tracked.conventional_attribute(name)
        if object_id is not None:
            return join(loose, only(Record(object_id, "supplied", form, form)))
        return loose or UNKNOWN

    def _slot(self, atom: Context, name: str) -> Value:
        for slot, object_id in self._state.tracked.contexts[atom.accessor].slots:
            if slot == name:
                return only(Record(object_id, "global", "accessor", "accessor"))
        return OTHER

    def _of_getter(self, atom: Getter, name: str) -> Value:
        """A class method that constructs, such as `.from_cli_args`."""
        if atom.kind != "class":
            return OTHER
        constructors = self._state.tracked.objects[atom.target].constructors
        return only(Getter("constructor", atom.target)) if f".{name}" in constructors else OTHER
