"""Statements with branches: what holds where the ways through them meet again."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from ratchet.analysis.patterns import Patterns
from ratchet.analysis.scopes import Environment, Scope, copy, merge_in
from ratchet.analysis.values import OTHER, UNKNOWN, Getter, Symbol, Value, pick

if TYPE_CHECKING:
    from ratchet.analysis.statements import Statements

_MAX_ROUNDS = 100
_TYPE_CHECKING = frozenset({Symbol("typing.TYPE_CHECKING"), Symbol("typing_extensions.TYPE_CHECKING")})


class Branches:
    """The branching statements of one file."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._expressions = statements.expressions
        self._state = statements.state
        self._patterns = Patterns(statements.expressions)
        self._loops: list[list[Environment | None]] = []

    @property
    def _scope(self) -> Scope:
        return self._expressions.scope

    def if_(self, node: ast.If) -> None:
        """An if statement with its elifs."""
        chain: ast.If | None = node
        ends: list[Environment | None] = []
        while chain is not None:
            self._expressions.visit(chain.test)
            checking = self._is_type_checking(chain.test)
            before = copy(self._scope.here)
            if checking is True:
                self._types_only(chain.body)
            else:
                self._narrow(chain.test)
                self._statements.block(chain.body)
                ends.append(self._scope.here)
            self._scope.here = before
            if checking is False:
                self._types_only(chain.orelse)
                self._scope.here = None
                break
            # A chain of elifs is a loop, not a recursion: generated code has thousands of them.
            following = chain.orelse
            chain = following[0] if len(following) == 1 and isinstance(following[0], ast.If) else None
            if chain is None:
                self._statements.block(following)
        self._scope.here = self._merge([*ends, self._scope.here])

    def _narrow(self, test: ast.expr) -> None:
        """In the branch of an instance test, what was unknown is what was tested for."""
        if not (isinstance(test, ast.Call) and isinstance(test.func, ast.Name)):
            return
        if test.func.id == "isinstance" and len(test.args) == 2 and isinstance(test.args[0], ast.Name):
            self._narrow_name(test.args[0], self._expressions.value(test.args[1]))

    def _narrow_name(self, name: ast.Name, classes: Value) -> None:
        records = [getter.target for getter in pick(classes, Getter) if getter.kind == "class"]
        if records and self._scope.here is not None:
            # Not a binding: the name stays whose it is.
            value = self._state.by_convention(self._expressions.value(name), records[0], "alias")
            self._scope.here[name.id] = value
            self._state.want(name.id)

    def _types_only(self, body: list[ast.stmt]) -> None:
        """A block that never runs; its imports name the classes of annotations."""
        for node in body:
            if isinstance(node, ast.Import):
                self._statements.imports.plain(self._scope, node, types=True)
            elif isinstance(node, ast.ImportFrom):
                self._statements.imports.named(self._scope, node, types=True)

    def _is_type_checking(self, test: ast.expr) -> bool | None:
        """Whether a condition holds for type checkers only (True) or at run time only (False)."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._is_type_checking(test.operand)
            return None if inner is None else not inner
        if not isinstance(test, (ast.Name, ast.Attribute)):
            return None
        value = self._expressions.value(test)
        if any(isinstance(atom, Symbol) for atom in value):
            return True if value <= _TYPE_CHECKING else None
        name = test.attr if isinstance(test, ast.Attribute) else test.id
        return True if name == "TYPE_CHECKING" else None

    def for_(self, node: ast.For | ast.AsyncFor) -> None:
        """A for loop."""
        items = self._expressions.containers.elements(node.iter)
        self._loop(
            node.body, node.orelse, lambda: self._expressions.containers.bind_target(node.target, items)
        )

    def while_(self, node: ast.While) -> None:
        """A while loop."""
        self._loop(node.body, node.orelse, lambda: self._expressions.visit(node.test))

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt], begin: Callable[[], None]) -> None:
        """Walk the body until what it begins with no longer changes."""
        breaks: list[Environment | None] = []
        self._loops.append(breaks)
        start = copy(self._scope.here)
        for _ in range(_MAX_ROUNDS):
            self._scope.here = copy(start)
            begin()
            exhausted = copy(self._scope.here)
            self._statements.block(body)
            again = self._merge([start, self._scope.here, *breaks])
            if again == start:
                break
            start = again
        self._loops.pop()
        self._scope.here = self._merge([exhausted, start])
        self._statements.block(orelse)
        self._scope.here = self._merge([self._scope.here, *breaks])

    def leave_loop(self) -> None:
        """A break or continue: what holds here may hold after the loop."""
        if self._loops:
            self._loops[-1].append(copy(self._scope.here))

    def with_(self, node: ast.With | ast.AsyncWith) -> None:
        """A with statement."""
        for item in node.items:
            self._expressions.part(item.context_expr)
            if item.optional_vars is not None:
                # A context manager's result is its own: a record that was handed to it has escaped.
                self._expressions.containers.bind_target(item.optional_vars, UNKNOWN)
        before = copy(self._scope.here)
        caught: Environment = {}
        self._scope.catching.append(caught)
        self._statements.block(node.body)
        self._scope.catching.pop()
        if caught and before is not None:
            # A context manager may go on after an exception from anywhere in the body.
            self._scope.here = self._merge([before, caught, self._scope.here])

    def _merge(self, environments: list[Environment | None]) -> Environment | None:
        return merge_in(self._scope, environments)

    def try_(self, node: ast.Try) -> None:
        """A handler may see anything that the body bound; a finally block may see all of it."""
        before = copy(self._scope.here)
        caught: Environment = {}
        self._scope.catching.append(caught)
        self._statements.block(node.body)
        inside = copy(self._scope.here)
        reached = self._merge([before, caught, inside]) if before is not None else None
        self._statements.block(node.orelse)
        ends = [self._scope.here]
        for handler in node.handlers:
            self._scope.here = copy(reached)
            self._handler(handler)
            ends.append(self._scope.here)
        self._scope.catching.pop()
        after = self._merge(ends)
        self._finally(node.finalbody, after, self._merge([reached, caught, after]))

    def _handler(self, handler: ast.ExceptHandler) -> None:
        if handler.type is not None:
            self._expressions.visit(handler.type)
        if handler.name:
            self._state.bind(self._scope, handler.name, OTHER)
        self._statements.block(handler.body)

    def _finally(self, body: list[ast.stmt], after: Environment | None, anywhere: Environment | None) -> None:
        """Walk a finally block once for any way of getting there; what it binds holds after it."""
        if not body:
            self._scope.here = after
            return
        self._scope.here = copy(anywhere)
        self._statements.block(body)
        if self._scope.here is None or after is None:
            self._scope.here = None
            return
        began = anywhere or {}
        changed = {name: value for name, value in self._scope.here.items() if began.get(name) != value}
        self._scope.here = {**after, **changed}

    def match(self, node: ast.Match) -> None:
        """A match statement."""
        subject = self._expressions.value(node.subject)
        ends: list[Environment | None] = []
        for case in node.cases:
            before = copy(self._scope.here)
            self._patterns.bind(case.pattern, subject)
            if isinstance(node.subject, ast.Name) and isinstance(case.pattern, ast.MatchClass):
                self._narrow_name(node.subject, self._expressions.value(case.pattern.cls))
            if case.guard is not None:
                self._expressions.visit(case.guard)
            self._statements.block(case.body)
            ends.append(self._scope.here)
            self._scope.here = before
        self._scope.here = self._merge([*ends, self._scope.here])
