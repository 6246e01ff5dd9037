"""Evaluates expressions to values, and emits the accesses that they make on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from ratchet.analysis.calls import Calls
from ratchet.analysis.scopes import Scope
from ratchet.analysis.state import State, constant_names
from ratchet.analysis.values import (
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Bag,
    Class,
    Context,
    Element,
    Getter,
    Instance,
    Items,
    Keys,
    Method,
    Module,
    Plain,
    Record,
    Symbol,
    Text,
    Value,
    View,
    aliased,
    join,
    join_all,
    only,
    pick,
    seen_through,
)
from ratchet.model import COMPUTED, Form

_BUILTIN_VALUES = frozenset(
    "abs all any bool bytes dict enumerate float frozenset int len list map max min open range repr reversed "
    "round set sorted str sum tuple zip type isinstance issubclass hasattr print format id hash".split()
)


class Expressions:
    """The evaluation of expressions in the scope at hand. `value` binds, `use` hands on: it emits escapes."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.emitter = state.emitter
        self.scope: Scope = state.scope("module", "", None, 0)
        self.calls = Calls(self)
        self._evaluators: dict[type[ast.expr], Callable[..., Value]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self.calls.call,
            ast.NamedExpr: self._named,
            ast.IfExp: self._if,
            ast.BoolOp: self._bool,
            ast.Compare: self._compare,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.JoinedStr: self._joined,
            ast.FormattedValue: self._formatted,
            ast.List: self._display,
            ast.Tuple: self._display,
            ast.Set: self._display,
            ast.Dict: self._dict,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Lambda: self._lambda,
            ast.Await: self._await,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield,
            ast.Starred: self._starred,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
        }

    def value(self, node: ast.expr) -> Value:
        """What an expression stands for."""
        evaluate = self._evaluators.get(type(node))
        return evaluate(node) if evaluate else UNKNOWN

    def use(self, node: ast.expr) -> Value:
        """The value of an expression that leaves the analysis: a record or bag in it escapes."""
        value = self.value(node)
        self.escape(node, value)
        return value

    def part(self, node: ast.expr) -> Value:
        """Like `use`, for a part of a larger expression, skipped where no line of it is interesting."""
        if not self.state.hits.within(node.lineno, node.end_lineno or node.lineno):
            return UNKNOWN
        return self.use(node)

    def escape(self, node: ast.expr, value: Value) -> None:
        """Emit the escapes of a value at a node."""
        escaping = [atom for atom in value if isinstance(atom, (Record, Bag, Getter, View, Method))]
        if not escaping:
            return
        handed = join_all(self._handed(atom) for atom in escaping)
        doubts = frozenset(atom for atom in value if atom not in escaping)
        self.emitter.emit(node, "escape", handed | doubts, None, self.scope.name, "value")

    def _handed(self, atom: Record | Bag | Getter | View | Method) -> Value:
        if isinstance(atom, View):
            return only(atom.record)
        if isinstance(atom, Getter):
            return self.calls.yielded(atom) if atom.kind in ("record", "bag") else NOTHING
        return NOTHING if isinstance(atom, Method) else only(atom)

    # Names and attributes

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, str):
            return only(Text((node.value,)))
        return NONE if node.value is None else OTHER

    def _name(self, node: ast.Name) -> Value:
        found = self.scope.look_up(node.id)
        if found is not None:
            return found
        object_id = self.state.tracked.conventional_name(node.id)
        if object_id is not None:
            return only(Record(object_id, "supplied", "alias", "alias"))
        return OTHER if node.id in _BUILTIN_VALUES else UNKNOWN

    def constant(self, node: ast.expr) -> list[str] | None:
        """The strings that an expression may be, None where it is computed."""
        value = self.value(node)
        if isinstance(node, ast.Name) and value == UNKNOWN:
            self.state.want(node.id)
        return constant_names(value)

    def _attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
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
        value = self.scope.look_up(node.id)
        return node.id in ("self", "cls") or (value is not None and value == self.calls.receiver(self.scope))

    def _read(self, node: ast.Attribute, base: Value, owners: Value) -> Value:
        """An attribute of a record or bag: a read, unless it leads to a nested bag or to a mapping view."""
        result = NOTHING
        for bag in pick(owners, Bag):
            if self.state.tracked.live(bag.path, node.attr):
                result = join(result, only(Bag(f"{bag.path}.{node.attr}", bag.form, bag.root)))
                base -= {bag}
        records = pick(owners, Record)
        if node.attr == "__dict__":
            return join_all(only(View(record, live=True)) for record in records) or OTHER
        if node.attr == "__class__" and records:
            return join_all(only(Getter("class", record.object)) for record in records)
        emission = self.emitter.emit(node, "read", base, node.attr, self.scope.name)
        return join(result, only(Element(emission))) if emission else result

    def attribute_of(self, base: Value, name: str, form: Form) -> Value:
        """What an attribute of something that is neither record nor bag stands for."""
        return join_all(self._attribute_of_atom(atom, base, name, form) for atom in base)

    def _attribute_of_atom(self, atom: object, base: Value, name: str, form: Form) -> Value:
        state = self.state
        if isinstance(atom, Module):
            return state.dotted(f"{atom.name}.{name}")
        if isinstance(atom, Context):
            return self._slot(atom, name)
        if isinstance(atom, Element):
            return only(atom)
        if isinstance(atom, Getter):
            return self._of_getter(atom, name)
        if isinstance(atom, Symbol):
            found = state.dotted(f"{atom.name}.{name}")
            conventional = state.tracked.conventional_attribute(name)
            if (
                conventional is None
                or found != only(Symbol(f"{atom.name}.{name}"))
                or self._is_module(atom, name)
            ):
                return found
            return self._unknown_attribute(name, form)
        if isinstance(atom, (Class, Instance)):
            found = state.attribute(atom.name, name, form)
            return found or self._unknown_attribute(name, form)
        return self._unknown_attribute(name, form) if isinstance(atom, Plain) else UNKNOWN

    def _is_module(self, symbol: Symbol, name: str) -> bool:
        return f"{symbol.name}.{name}" in self.state.modules

    def _unknown_attribute(self, name: str, form: Form) -> Value:
        state = self.state
        loose = seen_through(state.loose.get(name, NOTHING), form)
        object_id = state.tracked.conventional_attribute(name)
        if object_id is not None:
            return join(loose, only(Record(object_id, "supplied", form, form)))
        return loose or UNKNOWN

    def _slot(self, atom: Context, name: str) -> Value:
        for slot, object_id in self.state.tracked.contexts[atom.accessor].slots:
            if slot == name:
                return only(Record(object_id, "global", "accessor", "accessor"))
        return OTHER

    def _of_getter(self, atom: Getter, name: str) -> Value:
        """A class method that constructs, such as `.from_cli_args`."""
        if atom.kind != "class":
            return OTHER
        constructors = self.state.tracked.objects[atom.target].constructors
        return only(Getter("constructor", atom.target)) if f".{name}" in constructors else OTHER

    # Operators

    def _named(self, node: ast.NamedExpr) -> Value:
        value = self.plain(self.value(node.value))
        if isinstance(node.target, ast.Name):
            self.state.bind(self.scope.function(), node.target.id, aliased(value))
        return value

    def plain(self, value: Value) -> Value:
        """The value as a name holds it: what a field holds is followed no further."""
        elements = pick(value, Element)
        return value if not elements else (value - frozenset(elements)) | UNKNOWN

    def _if(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        return join(self.value(node.body), self.value(node.orelse))

    def _bool(self, node: ast.BoolOp) -> Value:
        values = [self.value(operand) for operand in node.values]
        if isinstance(node.op, ast.And):
            # A record is true, so that `record and x` is x.
            values[:-1] = [self._without_tracked(value) for value in values[:-1]]
        return join_all(values)

    def _without_tracked(self, value: Value) -> Value:
        return frozenset(atom for atom in value if not isinstance(atom, (Record, Bag, Getter, View)))

    def _compare(self, node: ast.Compare) -> Value:
        for operand in (node.left, *node.comparators):
            self.value(operand)
        return OTHER

    def _unary(self, node: ast.UnaryOp) -> Value:
        self.value(node.operand)
        return OTHER

    def _binary(self, node: ast.BinOp) -> Value:
        # Sums of many terms nest to the left: a loop, not a recursion.
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            self.part(left.right)
            left = left.left
        return self._union(node) if isinstance(node.op, ast.BitOr) else self._operand(left)

    def _operand(self, left: ast.expr) -> Value:
        self.part(left)
        return OTHER

    def _union(self, node: ast.BinOp) -> Value:
        """`a | b` merges dicts, whose keys an override may be given."""
        left, right = self.use(node.left), self.value(node.right)
        keys = [*pick(left, Keys), *pick(right, Keys)]
        if not keys:
            return OTHER
        known = len(pick(left, Keys)) == len(left) and len(pick(right, Keys)) == len(right)
        names = tuple(sorted({name for item in keys for name in item.names}))
        return only(Keys(names, open=not known or any(item.open for item in keys)))

    def _joined(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            self.value(part)
        return OTHER

    def _formatted(self, node: ast.FormattedValue) -> Value:
        self.use(node.value)
        if node.format_spec is not None:
            self.value(node.format_spec)
        return OTHER

    # Containers and comprehensions

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        return only(Items(self._items([self.part_or_text(element) for element in node.elts])))

    def part_or_text(self, node: ast.expr) -> Value:
        """A part of a display; string constants count even on lines of no interest."""
        return self._constant(node) if isinstance(node, ast.Constant) else self.part(node)

    def _items(self, values: list[Value]) -> Value:
        """The elements together; string constants keep their order."""
        names = [constant_names(value) for value in values]
        if names and all(name is not None for name in names):
            return only(Text(tuple(dict.fromkeys(name for some in names for name in some or ()))))
        return join_all(self.plain(self._without_tracked(value)) for value in values)

    def elements(self, node: ast.expr) -> Value:
        """What a loop over an expression binds; the elements of a literal do not escape by being looped over."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = [self.value(element) for element in node.elts]
            names = [constant_names(value) for value in values]
            if names and all(name is not None for name in names):
                return self._items(values)
            return join_all(self.plain(value) for value in values) or UNKNOWN
        value = self.use(node)
        if isinstance(node, ast.Name) and value == UNKNOWN:
            self.state.want(node.id)
        items = pick(value, Items)
        return join_all(item.value for item in items) if len(items) == len(value) and items else UNKNOWN

    def _dict(self, node: ast.Dict) -> Value:
        names: list[str] = []
        is_open = False
        for key, item in zip(node.keys, node.values, strict=True):
            if key is None:
                found, more = self.calls.expanded(item)
            else:
                constant = self.constant(key)
                self.escape(key, self.value(key)) if constant is None else None
                found, more = constant or [], constant is None
                self.part(item)
            names += found
            is_open = is_open or more
        return only(Keys(tuple(dict.fromkeys(names)), is_open))

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        outer = self.scope
        first = self.elements(node.generators[0].iter)
        line = node.lineno * 10_000 + node.col_offset
        self.scope = self.state.scope("comprehension", outer.name, outer, -line - 1)
        for index, generator in enumerate(node.generators):
            items = first if index == 0 else self.elements(generator.iter)
            self.bind_target(generator.target, items)
            for condition in generator.ifs:
                self.value(condition)
        if isinstance(node, ast.DictComp):
            self.use(node.key)
            self.use(node.value)
            result = only(Keys((), open=True))
        else:
            result = only(Items(self._without_tracked(self.plain(self.use(node.elt)))))
        self.scope = outer
        return result

    def bind_target(self, target: ast.expr, value: Value) -> None:
        """Bind the names of a loop or comprehension target."""
        if isinstance(target, ast.Name):
            self.state.bind(self.scope, target.id, aliased(value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.bind_target(element, UNKNOWN)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, OTHER)
        else:
            self.calls.store(target, value)

    def _lambda(self, node: ast.Lambda) -> Value:
        self.defaults(node.args)
        self.state.deferred.append((node, self.scope))
        return OTHER

    def defaults(self, arguments: ast.arguments) -> list[Value]:
        """Evaluate the default values of parameters, where they stand."""
        given: Iterable[ast.expr | None] = (*arguments.defaults, *arguments.kw_defaults)
        return [self.value(default) for default in given if default is not None]

    def _await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Value:
        if node.value is not None:
            self.use(node.value)
        return UNKNOWN

    def _starred(self, node: ast.Starred) -> Value:
        self.use(node.value)
        return OTHER

    def _subscript(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        views = pick(base, View)
        if views:
            self.calls.view_access(node, "read", views, base, node.slice)
            return UNKNOWN
        self.part(node.slice)
        elements = frozenset(atom for atom in base if isinstance(atom, Element))
        return elements or UNKNOWN

    def _slice(self, node: ast.Slice) -> Value:
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                self.part(bound)
        return OTHER

    def computed(self, names: list[str] | None) -> list[str]:
        """Field names, or the mark of a computed one."""
        return [COMPUTED] if names is None else names
