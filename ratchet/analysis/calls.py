"""Evaluates calls, and stores: what they read, write and change on records and namespaces."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ratchet.analysis.builtins import Builtins
from ratchet.analysis.spelling import spell, spell_call, spell_target
from ratchet.analysis.values import (
    NOTHING,
    OTHER,
    UNKNOWN,
    Bag,
    Class,
    Context,
    Dict,
    Element,
    Function,
    Getter,
    Instance,
    Method,
    Plain,
    Record,
    Symbol,
    Value,
    View,
    join,
    join_all,
    only,
    pick,
    without_dicts,
)
from ratchet.model import COMPUTED, Operation, Via

if TYPE_CHECKING:
    from ratchet.analysis.expressions import Expressions

# Methods of Python's own containers that change them in place; any other method reads.
MUTATING = frozenset(
    "add append appendleft clear difference_update discard extend extendleft insert intersection_update "
    "move_to_end pop popitem popleft remove reverse rotate setdefault sort subtract "
    "symmetric_difference_update update __setitem__ __delitem__ __setattr__ __delattr__ __iadd__".split()
)
# Methods of a mapping view that touch every field, or one that they name.
_VIEW_ONE: dict[str, Operation] = {
    "get": "read",
    "__getitem__": "read",
    "pop": "delete",
    "setdefault": "write",
    "__setitem__": "write",
}


class Calls:
    """The part of the evaluation that deals with calls and stores."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.state = expressions.state
        self.emitter = expressions.emitter
        self.builtins = Builtins(expressions, self)

    @property
    def scope(self) -> str:
        """The qualified name of the scope at hand."""
        return self.expressions.scope.name

    def call(self, node: ast.Call) -> Value:
        """What a call returns."""
        func = node.func
        if isinstance(func, ast.Attribute):
            if isinstance(func.value, ast.Name) and func.value.id == "object":
                handled = self.builtins.object_protocol(node, func.attr)
                if handled is not None:
                    return handled
            base = self.expressions.value(func.value)
            tracked = frozenset(
                a for a in base if isinstance(a, (Record, Bag, Context, View, Element, Method))
            )
            result = self._on_tracked(node, func, base, tracked) if tracked else NOTHING
            others = base - tracked - {Plain.NONE}
            if self._on_dict(node, func.attr, base) or (tracked and not others):
                return result or UNKNOWN
            others = (
                others or UNKNOWN
            )  # a name that is nothing yet: what it is called with counts all the same
            form = self.expressions.attributes.form_of(func.value)
            given = self._callee(node, self.expressions.attributes.attribute_of(others, func.attr, form))
            # What a method of a written text gives is no record, whatever it is called.
            return OTHER if isinstance(func.value, (ast.Constant, ast.JoinedStr)) else join(result, given)
        name = func.id if isinstance(func, ast.Name) else ""
        if name and self.expressions.scope.look_up(name) is None:
            handled = self.builtins.call(node, name)
            if handled is not None:
                return handled
        return self._callee(node, self.expressions.value(func))

    def arguments(self, node: ast.Call) -> None:
        """Evaluate the arguments of a call that hands them on."""
        for argument in node.args:
            self.expressions.part(argument)
        for keyword in node.keywords:
            self.expressions.part(keyword.value)

    # What is called

    def _callee(self, node: ast.Call, callee: Value) -> Value:
        for symbol in pick(callee, Symbol):
            handled = self.builtins.call(node, symbol.name)
            if handled is not None:
                return handled
        methods = pick(callee, Method)
        if methods:
            return self._method(node, methods[0])
        self.arguments(node)
        return join_all(self._result(node, atom) for atom in callee if atom is not Plain.NONE) or UNKNOWN

    def _result(self, node: ast.Call, atom: object) -> Value:
        if isinstance(atom, Getter):
            return self.yielded(atom)
        if isinstance(atom, Function):
            return self.state.result_of(atom.name) or UNKNOWN
        if isinstance(atom, Class):
            object_id = self.state.record_class(atom.name)
            constructed = (
                only(Record(object_id, "constructed", "constructed", "constructed")) if object_id else None
            )
            return constructed or only(Instance(atom.name))
        if isinstance(atom, Symbol):
            return only(Instance(atom.name)) if _names_a_class(atom.name) else UNKNOWN
        if isinstance(atom, Element):
            return UNKNOWN
        if atom is Plain.UNKNOWN and _names_a_class(spell(node.func)):
            return OTHER
        return OTHER if atom is Plain.OTHER else UNKNOWN

    def yielded(self, getter: Getter) -> Value:
        """What calling an accessor, a constructor or the record's class returns."""
        if getter.kind == "record":
            return only(Record(getter.target, "global", "accessor", "accessor"))
        if getter.kind == "bag":
            return only(Bag(getter.target, "accessor", "accessor"))
        if getter.kind == "context":
            return only(Context(getter.target))
        return only(Record(getter.target, "constructed", "constructed", "constructed"))

    # Methods of tracked things

    def _on_tracked(self, node: ast.Call, func: ast.Attribute, base: Value, tracked: Value) -> Value:
        if func.attr in MUTATING:
            self.mutate(tracked)
        views = pick(tracked, View)
        if views:
            return self._on_view(node, func.attr, views, base)
        owners = frozenset(atom for atom in tracked if isinstance(atom, (Record, Bag)))
        if owners:
            return self._on_owner(node, func, base, owners)
        if pick(tracked, Context):
            return self._on_context(node, func, pick(tracked, Context))
        self.arguments(node)
        return UNKNOWN

    def _on_owner(self, node: ast.Call, func: ast.Attribute, base: Value, owners: Value) -> Value:
        handled = self.builtins.dunder(node, func, base)
        if handled is not None:
            return handled
        scoped = [bag for bag in pick(owners, Bag) if self.state.tracked.bags.get(bag.path) == func.attr]
        if scoped:
            self._write_keywords(node, frozenset(scoped), "scoped", None)
            return OTHER
        if self._is_leaf(owners, func.attr):
            self.emitter.emit(func, "read", base, func.attr, self.scope)
        else:
            self.emitter.emit(node, "call", base, func.attr, self.scope, code=spell_call(node))
        overriding = [record for record in pick(owners, Record) if self._override(record) == func.attr]
        if overriding:
            source = self.state.tracked.objects[overriding[0].object].override_source
            self._write_keywords(node, base, "write", source)
            return OTHER
        self.arguments(node)
        return UNKNOWN

    def _method(self, node: ast.Call, method: Method) -> Value:
        """A bound method under another name is called."""
        owner = only(method.owner)
        if isinstance(node.func, ast.Call) and method.emission is not None:
            # `getattr(record, "method")(...)` is the call, not a read beside it.
            self.emitter.drop(method.emission)
        self.emitter.emit(node, "call", owner, method.name, self.scope, code=spell_call(node))
        if isinstance(method.owner, Record) and self._override(method.owner) == method.name:
            source = self.state.tracked.objects[method.owner.object].override_source
            self._write_keywords(node, owner, "write", source)
        else:
            self.arguments(node)
        return UNKNOWN

    def _override(self, record: Record) -> str | None:
        return self.state.tracked.objects[record.object].override

    def _is_leaf(self, owners: Value, name: str) -> bool:
        """Whether what is called is a field's value and not a method."""
        schema = self.state.tracked.schema
        bags = pick(owners, Bag)
        if bags:
            return any(schema.namespace_of(name) == bag.path for bag in bags)
        return name in schema.fields

    def _on_context(self, node: ast.Call, func: ast.Attribute, contexts: list[Context]) -> Value:
        context = self.state.tracked.contexts[contexts[0].accessor]
        if func.attr == context.override:
            self._write_keywords(node, None, "write", context.override_source)
            return OTHER
        self.arguments(node)
        return UNKNOWN

    def _write_keywords(
        self, node: ast.Call, base: Value | None, operation: Operation, source: str | None
    ) -> None:
        """The writes of an override call; without a base, each field belongs to the bag of the schema."""
        names: list[str] = []
        for keyword in node.keywords:
            if keyword.arg is None:
                known, is_open = self.expanded(keyword.value)
                names += [*known, *([COMPUTED] if is_open else [])]
            elif keyword.arg != source:
                names.append(keyword.arg)
        for name in dict.fromkeys(names):
            owner = base if base is not None else self._bag_of(name)
            code = f"{spell(node.func)}({name})"
            self.emitter.emit(node, operation, owner, name, self.scope, "override", code)
        for argument in node.args:
            self.expressions.part(argument)
        for keyword in node.keywords:
            if keyword.arg is not None:
                self.expressions.part(keyword.value)

    def _bag_of(self, name: str) -> Value:
        path = self.state.tracked.schema.namespace_of(name) or ""
        return only(Bag(path, "accessor", "accessor"))

    def expanded(self, node: ast.expr) -> tuple[list[str], bool]:
        """The keys that `**node` brings, and whether it may bring others."""
        value = self.expressions.value(node)
        self.expressions.escape(node, without_dicts(value))
        if isinstance(node, ast.Name):
            self.state.want(node.id)
        return self.state.dicts.keys_of(value)

    def _on_dict(self, node: ast.Call, method: str, base: Value) -> bool:
        """A method of a dict that adds keys to it; whether that is all that is called."""
        dicts = frozenset(pick(base, Dict))
        if not dicts or method not in ("update", "setdefault", "__setitem__"):
            return False
        if method == "update":
            for source in (*node.args, *(item.value for item in node.keywords if item.arg is None)):
                self.state.dicts.add(dicts, *self.expanded(source))
        else:
            names = self.expressions.constant(node.args[0]) if node.args else []
            self.state.dicts.add(dicts, names or [], names is None)
            for argument in node.args[1:]:
                self.expressions.part(argument)
        named = [item for item in node.keywords if item.arg is not None]
        self.state.dicts.add(dicts, [item.arg or "" for item in named], False)
        for item in named:
            self.expressions.part(item.value)
        return len(dicts) == len(base - {Plain.NONE})

    # Mapping views

    def view_access(
        self, node: ast.expr, operation: Operation, views: list[View], base: Value, key: ast.expr
    ) -> Value:
        """An item of a mapping view is an access to the field that it names."""
        names = self.expressions.constant(key)
        found: set[Element] = set()
        for view in views:
            if operation != "read" and not view.live:
                continue
            owner = only(view.record) | (base - frozenset(views))
            for name in self.expressions.computed(names):
                emission = self.emitter.emit(node, operation, owner, name, self.scope, "mapping")
                found |= {Element(emission)} if emission is not None else set()
        return frozenset(found) or UNKNOWN

    def _on_view(self, node: ast.Call, method: str, views: list[View], base: Value) -> Value:
        one = _VIEW_ONE.get(method)
        live = [view for view in views if view.live]
        owner = frozenset(view.record for view in views) | (base - frozenset(views))
        if one is not None and node.args:
            found = self.view_access(node, one, views, base, node.args[0])
            for argument in node.args[1:]:
                self.expressions.part(argument)
            return found
        elif method == "update" and live:
            self._write_view(node, owner)
            return OTHER
        elif method in ("clear", "popitem") and live:
            self.emitter.emit(node, "delete", owner, COMPUTED, self.scope, "mapping")
        elif method == "copy":
            return frozenset(View(view.record, live=False) for view in views)
        elif method in ("items", "values", "keys", "__iter__"):
            self.emitter.emit(node, "read", owner, COMPUTED, self.scope, "mapping")
        self.arguments(node)
        return UNKNOWN

    def _write_view(self, node: ast.Call, owner: Value) -> None:
        names = [keyword.arg for keyword in node.keywords if keyword.arg is not None]
        expansions = [keyword.value for keyword in node.keywords if keyword.arg is None]
        for source in (*node.args, *expansions):
            known, is_open = self.expanded(source)
            names += [*known, *([COMPUTED] if is_open else [])]
        for name in dict.fromkeys(names):
            code = f"{spell(node.func)}({name})"
            self.emitter.emit(node, "write", owner, name, self.scope, "mapping", code)
        for keyword in node.keywords:
            self.expressions.part(keyword.value)

    # Stores

    def store(self, target: ast.expr, value: Value, operation: Operation = "write") -> None:
        """A store into, or a deletion of, an attribute or an item."""
        if isinstance(target, ast.Attribute):
            self._store_attribute(target, value, operation)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, operation)

    def _store_attribute(self, target: ast.Attribute, value: Value, operation: Operation) -> None:
        base = self.expressions.value(target.value)
        self.emitter.emit(target, operation, base, target.attr, self.scope)
        self.mutate(base)
        if operation == "delete":
            return
        self.park_on(base, target.attr, value)

    def park_on(self, base: Value, attribute: str, value: Value) -> None:
        """A store into an attribute of an object that is not tracked itself."""
        for atom in base:
            if isinstance(atom, (Instance, Class)):
                self.state.park(atom.name, attribute, value)
            elif isinstance(atom, (Symbol, Plain)):
                self.state.park_loosely(attribute, value)

    def _store_item(self, target: ast.Subscript, operation: Operation) -> None:
        base = self.expressions.value(target.value)
        views = pick(base, View)
        if views:
            self.view_access(target, operation, views, base, target.slice)
            return
        self.mutate(base)
        dicts = frozenset(pick(base, Dict))
        names = self.expressions.constant(target.slice) if dicts else None
        self.expressions.part(target.slice)
        if dicts and operation == "write":
            self.state.dicts.add(dicts, names or [], names is None)

    def is_tracked(self, node: ast.expr) -> bool:
        """Whether an expression is a record or a bag."""
        return any(isinstance(atom, (Record, Bag)) for atom in self.expressions.value(node))

    def mutate(self, base: Value) -> None:
        """A change in place of what a field holds."""
        for element in pick(base, Element):
            if element.emission.operation == "read":
                element.emission.operation = "mutate"

    def field_access(
        self,
        node: ast.Call,
        operation: Operation,
        owner: Value,
        names: list[str] | None,
        via: Via = "builtin",
    ) -> None:
        """An access whose field is given as a string."""
        code = None if operation == "read" else spell_target(node)
        for name in self.expressions.computed(names):
            self.emitter.emit(node, operation, owner, name, self.scope, via, code)


def _names_a_class(name: str) -> bool:
    last = name.rpartition(".")[2].lstrip("_")
    return last[:1].isupper() and any(letter.islower() for letter in last)
