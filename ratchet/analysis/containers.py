"""Displays and comprehensions: what they hold, what they bind, and what escapes into them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ratchet.analysis.scopes import copy, merge
from ratchet.analysis.state import constant_names
from ratchet.analysis.values import (
    OTHER,
    UNKNOWN,
    Items,
    Text,
    Value,
    aliased,
    join_all,
    only,
    pick,
    without_tracked,
)

if TYPE_CHECKING:
    from ratchet.analysis.expressions import Expressions


class Containers:
    """The displays and comprehensions of one file."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._state = expressions.state

    def display(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        """A list, tuple or set with the values of its elements."""
        return only(Items(self._items([self.part_or_text(element) for element in node.elts])))

    def part_or_text(self, node: ast.expr) -> Value:
        """A part of a display; string constants count even on lines of no interest."""
        return (
            self._expressions.literal(node)
            if isinstance(node, ast.Constant)
            else self._expressions.part(node)
        )

    def _items(self, values: list[Value]) -> Value:
        """The elements together; string constants keep their order."""
        names = [constant_names(value) for value in values]
        if names and all(name is not None for name in names):
            return only(Text(tuple(dict.fromkeys(name for some in names for name in some or ()))))
        return _flat(join_all(self._expressions.plain(without_tracked(value)) for value in values))

    def elements(self, node: ast.expr) -> Value:
        """What a loop over an expression binds; looping over a literal lets none of its elements escape."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            values = [self._expressions.value(element) for element in node.elts]
            names = [constant_names(value) for value in values]
            if names and all(name is not None for name in names):
                return self._items(values)
            return join_all(self._expressions.plain(value) for value in values) or UNKNOWN
        value = self._expressions.use(node)
        if isinstance(node, ast.Name) and value == UNKNOWN:
            self._state.want(node.id)
        items = pick(value, Items)
        return join_all(item.value for item in items) if len(items) == len(value) and items else UNKNOWN

    def dict_(self, node: ast.Dict) -> Value:
        """A dict display: the keys that it is known to have, and whether it may have more."""
        names: list[str] = []
        is_open = False
        for key, item in zip(node.keys, node.values, strict=True):
            if key is None:
                found, more = self._expressions.calls.expanded(item)
            else:
                constant = self._expressions.constant(key)
                self._expressions.escape(key, self._expressions.value(key)) if constant is None else None
                found, more = constant or [], constant is None
                self._expressions.part(item)
            names += found
            is_open = is_open or more
        return self._state.dicts.make((node.lineno, node.col_offset), names, is_open)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
        """What a comprehension makes; its targets are bound in a scope of its own."""
        outer = self._expressions.scope
        before = copy(outer.function().here)
        first = self.elements(node.generators[0].iter)
        line = node.lineno * 10_000 + node.col_offset
        self._expressions.scope = self._state.scope("comprehension", outer.name, outer, -line - 1)
        for index, generator in enumerate(node.generators):
            items = first if index == 0 else self.elements(generator.iter)
            self.bind_target(generator.target, items)
            for condition in generator.ifs:
                self._expressions.value(condition)
        if isinstance(node, ast.DictComp):
            self._expressions.use(node.key)
            self._expressions.use(node.value)
            result = self._state.dicts.make((node.lineno, node.col_offset), (), is_open=True)
        else:
            element = self._expressions.plain(self._expressions.use(node.elt))
            result = only(Items(_flat(without_tracked(element))))
        self._expressions.scope = outer
        # There may be nothing to go through: what an assignment expression bound is bound perhaps.
        if outer.function().here != before:
            outer.function().here = merge([before, outer.function().here])
        return result

    def bind_target(self, target: ast.expr, value: Value) -> None:
        """Bind the names of a loop or comprehension target."""
        if isinstance(target, ast.Name):
            self._state.bind(self._expressions.scope, target.id, aliased(value))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.bind_target(element, UNKNOWN)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, OTHER)
        else:
            self._expressions.calls.store(target, value)


def _flat(value: Value) -> Value:
    """The elements of a display; those inside of it are followed no further, or they might nest for ever."""
    inner = frozenset(pick(value, Items))
    return (value - inner) | UNKNOWN if inner else value
