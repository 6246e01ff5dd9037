"""Python's own functions that read, write, copy or test an object, by the names that lead to them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ratchet.analysis.annotations import annotated
from ratchet.analysis.scopes import Scope
from ratchet.analysis.values import (
    NOTHING,
    OTHER,
    UNKNOWN,
    Bag,
    Class,
    Element,
    Function,
    Getter,
    Instance,
    Method,
    Plain,
    Record,
    Value,
    View,
    join,
    join_all,
    pick,
    without_dicts,
)
from ratchet.model import Operation

if TYPE_CHECKING:
    from ratchet.analysis.calls import Calls
    from ratchet.analysis.expressions import Expressions

_TESTS = frozenset({"isinstance", "issubclass", "callable", "id", "bool"})


class Builtins:
    """The functions of the standard library that the analysis knows."""

    def __init__(self, expressions: Expressions, calls: Calls) -> None:
        self._expressions = expressions
        self._calls = calls
        self._handlers: dict[str, Callable[[ast.Call], Value]] = {
            "getattr": self._getattr,
            "hasattr": self._hasattr,
            "setattr": self._setattr,
            "delattr": self._delattr,
            "vars": self._vars,
            "type": self._type,
            "dict": self._dict,
            "super": self._super,
            "property": self._property,
            "typing.cast": self._cast,
            "typing_extensions.cast": self._cast,
            "copy.copy": self._copy,
            "copy.deepcopy": self._copy,
            "copy.replace": self._replace,
            "dataclasses.replace": self._replace,
            "msgspec.structs.replace": self._replace,
            "dataclasses.asdict": self._asdict,
            "msgspec.structs.asdict": self._asdict,
        }

    def call(self, node: ast.Call, name: str) -> Value | None:
        """What a call of a known function returns; None for any other function."""
        if name in _TESTS:
            for argument in node.args:
                self._expressions.value(argument)
            return OTHER
        handler = self._handlers.get(name)
        if handler is None or not (node.args or name in ("dict", "super")):
            return None
        return handler(node)

    def dunder(self, node: ast.Call, func: ast.Attribute, base: Value) -> Value | None:
        """The attribute protocol called by its own names: `record.__getattribute__("x")`."""
        operations: dict[str, Operation] = {
            "__getattribute__": "read",
            "__setattr__": "write",
            "__delattr__": "delete",
        }
        if func.attr in ("__copy__", "__deepcopy__"):
            return self._copied(node, base)
        operation = operations.get(func.attr)
        if operation is None or not node.args:
            return None
        self._calls.field_access(node, operation, base, self._expressions.constant(node.args[0]))
        for argument in node.args[1:]:
            self._expressions.part(argument)
        return UNKNOWN

    def object_protocol(self, node: ast.Call, name: str) -> Value | None:
        """`object.__setattr__(record, "x", 1)` and its kin."""
        if name == "__new__" and node.args:
            return self._new(node)
        handlers = {
            "__setattr__": self._setattr,
            "__getattribute__": self._getattr,
            "__delattr__": self._delattr,
        }
        handler = handlers.get(name)
        return handler(node) if handler is not None and len(node.args) >= 2 else None

    def _new(self, node: ast.Call) -> Value:
        """An object of a class that nobody has initialised is one all the same."""
        getters = pick(self._expressions.value(node.args[0]), Getter)
        made = (self._calls.yielded(getter) for getter in getters if getter.kind == "class")
        return join_all(made) or UNKNOWN

    # Attributes by name

    def _owner(self, node: ast.Call) -> tuple[Value, Value]:
        """The value of the first argument, and the records and bags in it."""
        value = self._expressions.value(node.args[0])
        return value, frozenset(atom for atom in value if isinstance(atom, (Record, Bag)))

    def _rest(self, node: ast.Call, first: int) -> None:
        for argument in node.args[first:]:
            self._expressions.part(argument)
        for keyword in node.keywords:
            self._expressions.part(keyword.value)

    def _getattr(self, node: ast.Call) -> Value:
        value, owners = self._owner(node)
        if len(node.args) < 2:
            return UNKNOWN
        names = self._expressions.constant(node.args[1])
        result = self._getattr_owned(node, value, owners, names) if owners else NOTHING
        others = value - owners - {Plain.NONE}
        if others and names is not None:
            form = self._expressions.attributes.form_of(node.args[0])
            found = (self._expressions.attributes.attribute_of(others, name, form) for name in names)
            result = join(result, join_all(found))
        if len(node.args) > 2:
            default = self._expressions.value(node.args[2])
            result = join(result, default)
        return result or UNKNOWN

    def _getattr_owned(self, node: ast.Call, value: Value, owners: Value, names: list[str] | None) -> Value:
        nested = [
            Bag(f"{bag.path}.{name}", bag.form, bag.root)
            for bag in pick(owners, Bag)
            for name in names or ()
            if self._expressions.state.tracked.live(bag.path, name)
        ]
        if nested:
            return frozenset(nested)
        emitter, scope = self._expressions.emitter, self._calls.scope
        emissions = [
            emitter.emit(node, "read", value, name, scope, "builtin")
            for name in self._expressions.computed(names)
        ]
        found = frozenset(Element(emission) for emission in emissions if emission is not None)
        if len(emissions) == 1 and names is not None:
            records = self._with_method(owners, names[0])
            methods = frozenset(Method(record, names[0], emissions[0]) for record in records)
            return methods or found or UNKNOWN
        return found or UNKNOWN

    def _with_method(self, owners: Value, name: str) -> list[Record]:
        """The records whose class has a method of this name that matters: the one that overrides fields."""
        objects = self._expressions.state.tracked.objects
        return [record for record in pick(owners, Record) if objects[record.object].override == name]

    def _hasattr(self, node: ast.Call) -> Value:
        value, _ = self._owner(node)
        if len(node.args) > 1:
            self._calls.field_access(node, "read", value, self._expressions.constant(node.args[1]))
        return OTHER

    def _setattr(self, node: ast.Call) -> Value:
        value, owners = self._owner(node)
        if len(node.args) < 3:
            self._rest(node, 1)
            return OTHER
        names = self._expressions.constant(node.args[1])
        stored = self._expressions.value(node.args[2])
        self._calls.field_access(node, "write", value, names)
        self._calls.mutate(value)
        if not owners and names is not None:
            for name in names:
                self._calls.park_on(value, name, stored)
        elif any(isinstance(atom, (Record, Bag)) for atom in stored):
            self._expressions.escape(node.args[2], stored)
        return OTHER

    def _delattr(self, node: ast.Call) -> Value:
        value, _ = self._owner(node)
        if len(node.args) > 1:
            self._calls.field_access(node, "delete", value, self._expressions.constant(node.args[1]))
        self._calls.mutate(value)
        return OTHER

    # The whole object

    def _vars(self, node: ast.Call) -> Value:
        value, owners = self._owner(node)
        records = pick(owners, Record)
        if not records:
            self._expressions.escape(node.args[0], value)
            return OTHER
        return frozenset(View(record, live=True) for record in records) | (value - owners - {Plain.NONE})

    def _asdict(self, node: ast.Call) -> Value:
        _, owners = self._owner(node)
        self._rest(node, 1)
        records = pick(owners, Record)
        return frozenset(View(record, live=False) for record in records) or OTHER

    def _type(self, node: ast.Call) -> Value:
        value, owners = self._owner(node)
        self._rest(node, 1)
        records = frozenset(Getter("class", record.object) for record in pick(owners, Record))
        return records | frozenset(Class(instance.name) for instance in pick(value, Instance)) or OTHER

    def _property(self, node: ast.Call) -> Value:
        """What an attribute holds that is made of a function by hand."""
        functions = pick(self._expressions.value(node.args[0]), Function)
        self._rest(node, 1)
        found = join_all(self._expressions.state.result_of(function.name) for function in functions)
        return found if functions else UNKNOWN

    def _super(self, node: ast.Call) -> Value:
        """`super()` is an object of the bases, to whose methods it leads."""
        for argument in node.args:
            self._expressions.value(argument)
        scope: Scope | None = self._expressions.scope
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        bases = self._expressions.state.bases_of(scope.dotted) if scope is not None else ()
        return frozenset(Instance(base) for base in bases) or UNKNOWN

    def _cast(self, node: ast.Call) -> Value:
        if len(node.args) < 2:
            return UNKNOWN
        value = self._expressions.value(node.args[1])
        known = annotated(self._expressions, node.args[0], "alias")
        return (value - {Plain.UNKNOWN}) | known if Plain.UNKNOWN in value else value

    def _copy(self, node: ast.Call) -> Value:
        value, owners = self._owner(node)
        if not owners:
            self._expressions.escape(node.args[0], value)
        self._rest(node, 1)
        return self._copied(node, value)

    def _copied(self, node: ast.Call, value: Value) -> Value:
        """The copy of each record in a value; other parts of it stay what they are."""
        records = pick(value, Record)
        for record in records:
            self._expressions.emitter.copied(node, record.object, self._calls.scope)
        copies = frozenset(Record(record.object, "copy", "alias", "alias") for record in records)
        return self._expressions.plain(value - frozenset(records)) | copies or UNKNOWN

    def _replace(self, node: ast.Call) -> Value:
        value, _ = self._owner(node)
        result = self._copied(node, value)
        copies = frozenset(pick(result, Record))
        names: list[str] = []
        for keyword in node.keywords:
            if keyword.arg is None:
                known, is_open = self._calls.expanded(keyword.value)
                names += [*known, *(["*"] if is_open else [])]
            else:
                names.append(keyword.arg)
                self._expressions.part(keyword.value)
        if copies:
            for name in dict.fromkeys(names):
                self._calls.field_access(node, "write", copies, [name], "replace")
        return result

    def _dict(self, node: ast.Call) -> Value:
        """A dict whose keys are known, from another one, a mapping view, or keywords."""
        names: list[str] = []
        is_open = False
        for argument in node.args:
            value = self._expressions.value(argument)
            views = pick(value, View)
            if views and not node.keywords:
                return frozenset(View(view.record, live=False) for view in views)
            self._expressions.escape(argument, without_dicts(value))
            known, more = self._expressions.state.dicts.keys_of(value)
            names += known
            is_open = is_open or more
        for keyword in node.keywords:
            if keyword.arg is None:
                known, more = self._calls.expanded(keyword.value)
                names += known
                is_open = is_open or more
            else:
                names.append(keyword.arg)
                self._expressions.part(keyword.value)
        return self._expressions.state.dicts.make((node.lineno, node.col_offset), names, is_open)
