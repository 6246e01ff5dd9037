"""Evaluates expressions to values, and emits the accesses that they make on the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from ratchet.analysis.attributes import Attributes
from ratchet.analysis.calls import Calls
from ratchet.analysis.containers import Containers
from ratchet.analysis.scopes import Environment, Scope, copy, merge_in
from ratchet.analysis.state import State, constant_names
from ratchet.analysis.values import (
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Bag,
    Dict,
    Element,
    Function,
    Getter,
    Method,
    Record,
    Text,
    Value,
    View,
    aliased,
    join,
    join_all,
    only,
    pick,
    without_dicts,
    without_tracked,
)
from ratchet.model import COMPUTED

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
        self.attributes = Attributes(self)
        self.containers = Containers(self)
        self._evaluators: dict[type[ast.expr], Callable[..., Value]] = {
            ast.Constant: self.literal,
            ast.Name: self._name,
            ast.Attribute: self.attributes.attribute,
            ast.Call: self.calls.call,
            ast.NamedExpr: self._named,
            ast.IfExp: self._if,
            ast.BoolOp: self._bool,
            ast.Compare: self._compare,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.JoinedStr: self._joined,
            ast.FormattedValue: self._formatted,
            ast.List: self.containers.display,
            ast.Tuple: self.containers.display,
            ast.Set: self.containers.display,
            ast.Dict: self.containers.dict_,
            ast.ListComp: self.containers.comprehension,
            ast.SetComp: self.containers.comprehension,
            ast.GeneratorExp: self.containers.comprehension,
            ast.DictComp: self.containers.comprehension,
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
        if isinstance(node, ast.Constant) or not self.state.hits.within(
            node.lineno, node.end_lineno or node.lineno
        ):
            return UNKNOWN
        return self.use(node)

    def visit(self, node: ast.expr) -> None:
        """Evaluate an expression for the accesses in it, where a line of it is interesting."""
        if self.state.hits.within(node.lineno, node.end_lineno or node.lineno):
            self.value(node)

    def escape(self, node: ast.expr, value: Value) -> None:
        """Emit the escapes of a value at a node."""
        if value is UNKNOWN or value is OTHER:
            return
        self.state.dicts.add(value, (), is_open=True)  # whoever is handed a dict may add keys to it
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

    def literal(self, node: ast.Constant) -> Value:
        """The value of a constant."""
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
        if isinstance(node, ast.Name):
            self.state.want(node.id)
        return constant_names(value)

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
        before = copy(self.scope.function().here)
        body, after = self.value(node.body), self.scope.function().here
        self.scope.function().here = before
        value = join(body, self.value(node.orelse))
        self._meet(after)
        return value

    def _meet(self, other: Environment | None) -> None:
        """Go on with what holds here or in another branch, where an assignment expression may have run."""
        scope = self.scope.function()
        if scope.here != other:
            scope.here = merge_in(scope, [scope.here, other])

    def _perhaps(self, operands: list[ast.expr], certain: int) -> list[Value]:
        """The values of operands of which only the first few are evaluated for certain."""
        values = [self.value(operand) for operand in operands[:certain]]
        for operand in operands[certain:]:
            before = copy(self.scope.function().here)
            values.append(self.value(operand))
            self._meet(before)
        return values

    def _bool(self, node: ast.BoolOp) -> Value:
        values = self._perhaps(node.values, certain=1)
        if isinstance(node.op, ast.And):
            # A record is true, so that `record and x` is x.
            values[:-1] = [without_tracked(value) for value in values[:-1]]
        return join_all(values)

    def _compare(self, node: ast.Compare) -> Value:
        """Identity is no access; equality and membership call methods that read what they like."""
        operands = [node.left, *node.comparators]
        values = self._perhaps(operands, certain=2)
        for index, operator in enumerate(node.ops):
            pair = ((operands[index], values[index]), (operands[index + 1], values[index + 1]))
            if isinstance(operator, (ast.In, ast.NotIn)) and pick(values[index + 1], View):
                self._member(node, operands[index], values[index + 1])
            elif not isinstance(operator, (ast.Is, ast.IsNot)) and NONE not in (
                values[index],
                values[index + 1],
            ):
                for operand, value in pair:
                    self.escape(operand, value)
        return OTHER

    def _member(self, node: ast.Compare, key: ast.expr, container: Value) -> None:
        """Asking whether a mapping view has a key is what hasattr asks."""
        self.calls.view_access(node, "read", pick(container, View), container, key)

    def _unary(self, node: ast.UnaryOp) -> Value:
        self.value(node.operand)
        return OTHER

    def _binary(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.BitOr):
            return self._union(node)
        # Sums of many terms nest to the left: a loop, not a recursion.
        left: ast.expr = node
        rights: list[ast.expr] = []
        while isinstance(left, ast.BinOp):
            rights.append(left.right)
            left = left.left
        for operand in (left, *reversed(rights)):
            self.part(operand)
        return OTHER

    def _union(self, node: ast.BinOp) -> Value:
        """`a | b` merges dicts, whose keys an override may be given."""
        left, right = self.value(node.left), self.value(node.right)
        for operand, value in ((node.left, left), (node.right, right)):
            self.escape(operand, without_dicts(value))
        if not (pick(left, Dict) or pick(right, Dict)):
            return OTHER
        names, is_open = self.state.dicts.keys_of(left)
        more, more_open = self.state.dicts.keys_of(right)
        return self.state.dicts.make((node.lineno, node.col_offset), [*names, *more], is_open or more_open)

    def _joined(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            self.value(part)
        return OTHER

    def _formatted(self, node: ast.FormattedValue) -> Value:
        self.use(node.value)
        if node.format_spec is not None:
            self.value(node.format_spec)
        return OTHER

    # The rest

    def _lambda(self, node: ast.Lambda) -> Value:
        self.defaults(node.args)
        self.state.deferred.append((node, self.scope))
        return only(Function(lambda_name(self.scope, node)))

    def defaults(self, arguments: ast.arguments) -> None:
        """Evaluate the default values of parameters, where they stand; the function object keeps them."""
        given: Iterable[ast.expr | None] = (*arguments.defaults, *arguments.kw_defaults)
        for default in given:
            if default is not None:
                self.part(default)

    def _await(self, node: ast.Await) -> Value:
        """What a coroutine returns; a record itself is none."""
        value = self.value(node.value)
        if not isinstance(node.value, ast.Call):
            self.escape(node.value, value)
        return value

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
            return self.calls.view_access(node, "read", views, base, node.slice)
        self.escape(node.value, without_dicts(base))
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


def lambda_name(scope: Scope, node: ast.Lambda) -> str:
    """The dotted name of a lambda: it has none in the text, so its place tells it from others."""
    return f"{scope.dotted}.<lambda {node.lineno}:{node.col_offset}>"
