"""Walks the statements of a file in the order in which they run, past those without a hit."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence

from ratchet.analysis.annotations import annotated
from ratchet.analysis.branches import Branches
from ratchet.analysis.definitions import Definitions
from ratchet.analysis.expressions import Expressions
from ratchet.analysis.imports import Imports
from ratchet.analysis.lines import first_line
from ratchet.analysis.scopes import Scope, copy
from ratchet.analysis.state import State
from ratchet.analysis.values import (
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Items,
    Plain,
    Text,
    Value,
    aliased,
    pick,
)

_LEAVING = frozenset({ast.Return, ast.Raise, ast.Continue, ast.Break})


class Statements:
    """The walk over one file."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.expressions = Expressions(state)
        self.imports = Imports(state)
        self.definitions = Definitions(self)
        self.branches = Branches(self)
        self._handlers: dict[type[ast.stmt], Callable[..., None]] = {
            ast.FunctionDef: self.definitions.function,
            ast.AsyncFunctionDef: self.definitions.function,
            ast.ClassDef: self.definitions.class_,
            ast.Return: self._return,
            ast.Delete: self._delete,
            ast.Assign: self._assign,
            ast.AugAssign: self._augmented,
            ast.AnnAssign: self._annotated,
            ast.For: self.branches.for_,
            ast.AsyncFor: self.branches.for_,
            ast.While: self.branches.while_,
            ast.If: self.branches.if_,
            ast.With: self.branches.with_,
            ast.AsyncWith: self.branches.with_,
            ast.Match: self.branches.match,
            ast.Raise: self._raise,
            ast.Try: self.branches.try_,
            ast.Assert: self._assert,
            ast.Import: lambda node: self.imports.plain(self.scope, node),
            ast.ImportFrom: lambda node: self.imports.named(self.scope, node),
            ast.Global: self._global,
            ast.Nonlocal: self._nonlocal,
            ast.Expr: self._expression,
        }
        if hasattr(ast, "TryStar"):
            self._handlers[ast.TryStar] = self.branches.try_
        if sys.version_info >= (3, 12):
            self._handlers[ast.TypeAlias] = self._type_alias

    @property
    def scope(self) -> Scope:
        """The scope at hand."""
        return self.expressions.scope

    def walk(self, tree: ast.Module) -> None:
        """One pass over the whole file: the module's own code, then the functions, which run later."""
        self.expressions.scope = self.state.scope("module", "", None, 0)
        self.block(tree.body)
        while self.state.deferred:
            node, scope = self.state.deferred.popleft()
            self.definitions.body(node, scope)

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Walk the statements of a block."""
        following = self.state.hits.following
        # The next line of interest; what ends before it is passed over.
        ahead = 0
        for node in body:
            last = node.end_lineno or node.lineno
            if last >= ahead:
                first = first_line(node)
                if first > ahead:
                    ahead = following(first)
                if last >= ahead:
                    handler = self._handlers.get(type(node))
                    if handler is not None:
                        handler(node)
                    ahead = following(last)  # more may stand on that line
            kind = type(node)
            if kind in _LEAVING:
                if kind is ast.Break or kind is ast.Continue:
                    self.branches.leave_loop()
                self.scope.here = None

    # Simple statements

    def _expression(self, node: ast.Expr) -> None:
        self.expressions.value(node.value)

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.definitions.returned(self.scope, self.expressions.use(node.value))

    def _raise(self, node: ast.Raise) -> None:
        for part in (node.exc, node.cause):
            if part is not None:
                self.expressions.part(part)

    def _assert(self, node: ast.Assert) -> None:
        self.expressions.visit(node.test)
        if node.msg is not None:
            # Where the message is made, the function ends.
            before = copy(self.scope.here)
            self.expressions.use(node.msg)
            self.scope.here = before

    if sys.version_info >= (3, 12):

        def _type_alias(self, node: ast.TypeAlias) -> None:
            self._assign_to(node.name, OTHER, node.name)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._delete_target(target)

    def _delete_target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            if self.scope.here is not None:
                self.scope.here.pop(target.id, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self._delete_target(element)
        else:
            self.expressions.calls.store(target, NOTHING, "delete")

    def _global(self, node: ast.Global) -> None:
        for name in node.names:
            self.scope.elsewhere[name] = self.scope.module()
            self.scope.ever.pop(name, None)

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            owner = self.scope.enclosing(name)
            if owner is not None:
                self.scope.elsewhere[name] = owner
                self.scope.ever.pop(name, None)

    # Assignments

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        pairs = _pairs(target, node.value) if len(node.targets) == 1 else None
        if pairs is not None:
            self._assign_pairs(pairs)
            return
        value = self.expressions.value(node.value)
        for target in node.targets:
            self._assign_to(target, value, node.value)

    def _assign_pairs(self, pairs: list[tuple[ast.expr, ast.expr]]) -> None:
        """`a, b = x, y` binds each by itself, after all of them are evaluated."""
        values = [self.expressions.value(item) for _, item in pairs]
        for (name, item), value in zip(pairs, values, strict=True):
            self._assign_to(name, value, item)

    def _assign_to(self, target: ast.expr, value: Value, source: ast.expr) -> None:
        value = self.expressions.plain(value)
        if isinstance(target, ast.Name):
            if isinstance(source, ast.Name) and self.state.tracked.conventional_name(target.id):
                # What the other name is bound to decides whether the convention applies.
                self.state.want(source.id)
            self.state.bind(self.scope, target.id, aliased(value))
            self._class_attribute(target.id, value)
        elif isinstance(target, ast.Subscript):
            self.expressions.calls.store(target, value)
            self.expressions.escape(source, value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.expressions.escape(source, value)
            for element in target.elts:
                self._assign_to(element, _element(value), source)
        elif isinstance(target, ast.Starred):
            self._assign_to(target.value, OTHER, source)
        else:
            self.expressions.calls.store(target, value)
            self._stored_in_tracked(target, value, source)

    def _stored_in_tracked(self, target: ast.expr, value: Value, source: ast.expr) -> None:
        """A record that is stored into a field of a record has left what is followed."""
        if isinstance(target, ast.Attribute) and self.expressions.calls.is_tracked(target.value):
            self.expressions.escape(source, value)

    def _class_attribute(self, name: str, value: Value) -> None:
        if self.scope.kind == "class":
            self.state.park(self.scope.dotted, name, value)

    def _augmented(self, node: ast.AugAssign) -> None:
        self.expressions.use(node.value)
        if isinstance(node.target, ast.Name):
            self._augment_name(node, node.target)
        else:
            self.expressions.calls.store(node.target, OTHER)

    def _augment_name(self, node: ast.AugAssign, target: ast.Name) -> None:
        """`updates |= {...}` adds keys to a dict; anything else makes something that is not tracked."""
        merged = ast.BinOp(ast.Name(target.id, ast.Load()), node.op, node.value)
        ast.copy_location(merged, node)
        ast.copy_location(merged.left, target)
        is_merge = isinstance(node.op, ast.BitOr)
        self.state.bind(self.scope, target.id, self.expressions.value(merged) if is_merge else OTHER)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is None and not isinstance(node.target, ast.Name):
            return
        known = annotated(
            self.expressions, node.annotation, "self" if self.scope.kind == "class" else "alias"
        )
        if isinstance(node.target, ast.Name):
            owner = self.scope.elsewhere.get(node.target.id, self.scope)
            self.state.declare(owner, node.target.id, known)
            if node.value is None and self.scope.kind != "class":
                owner.ever.setdefault(node.target.id, NOTHING)
        value = NONE if node.value is None else self.expressions.value(node.value)
        if Plain.UNKNOWN in value:
            value = (value - {Plain.UNKNOWN}) | known
        if isinstance(node.target, ast.Name) and value == NONE:
            # A field of a class that begins as None is given its value by whoever makes the object.
            self._class_attribute(node.target.id, known)
        if node.value is not None:
            self._assign_to(node.target, value, node.value)


def _pairs(target: ast.expr, source: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """The names and values that match one by one in `a, b = x, y`; None where they do not all match."""
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(source, (ast.Tuple, ast.List)):
        return None
    if any(isinstance(item, ast.Starred) for item in source.elts):
        return None
    names: list[ast.expr] = list(target.elts)
    stars = [index for index, name in enumerate(names) if isinstance(name, ast.Starred)]
    if stars and len(names) <= len(source.elts) + 1:
        # What a starred name takes is a list of its own.
        taken = len(source.elts) - len(names) + 1
        rest = ast.List(source.elts[stars[0] : stars[0] + taken], ast.Load())
        ast.copy_location(rest, source)
        values = [*source.elts[: stars[0]], rest, *source.elts[stars[0] + taken :]]
    else:
        values = list(source.elts)
    if len(names) != len(values):
        return None
    return [
        pair
        for name, value in zip(names, values, strict=True)
        for pair in _pairs(name, value) or [(name, value)]
    ]


def _element(value: Value) -> Value:
    items = pick(value, Items)
    texts = [item.value for item in items if all(isinstance(atom, Text) for atom in item.value)]
    return texts[0] if len(texts) == 1 and len(value) == 1 else UNKNOWN
