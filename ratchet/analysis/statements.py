"""Walks the statements of a file in the order in which they run, past those without a hit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ratchet.analysis.annotations import annotated
from ratchet.analysis.definitions import Definitions
from ratchet.analysis.expressions import Expressions
from ratchet.analysis.imports import Imports
from ratchet.analysis.patterns import Patterns
from ratchet.analysis.scopes import Environment, Scope, copy, merge
from ratchet.analysis.state import State
from ratchet.analysis.values import (
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

_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_Handler = Callable[[ast.stmt], None]


class Statements:
    """The walk over one file."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.expressions = Expressions(state)
        self.imports = Imports(state)
        self.patterns = Patterns(self.expressions)
        self.definitions = Definitions(self)
        self._loops: list[list[Environment | None]] = []
        self._handlers: dict[type[ast.stmt], Callable[..., None]] = {
            ast.FunctionDef: self.definitions.function,
            ast.AsyncFunctionDef: self.definitions.function,
            ast.ClassDef: self.definitions.class_,
            ast.Return: self._return,
            ast.Delete: self._delete,
            ast.Assign: self._assign,
            ast.AugAssign: self._augmented,
            ast.AnnAssign: self._annotated,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.If: self._if,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.Match: self._match,
            ast.Raise: self._raise,
            ast.Try: self._try,
            ast.Assert: self._assert,
            ast.Import: lambda node: self.imports.plain(self.scope, node),
            ast.ImportFrom: lambda node: self.imports.named(self.scope, node),
            ast.Global: self._global,
            ast.Nonlocal: self._nonlocal,
            ast.Expr: self._expression,
        }
        if hasattr(ast, "TryStar"):
            self._handlers[ast.TryStar] = self._try

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
        within = self.state.hits.within
        for node in body:
            first = node.lineno
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                and node.decorator_list
            ):
                first = node.decorator_list[0].lineno
            if within(first, node.end_lineno or first):
                handler = self._handlers.get(type(node))
                if handler is not None:
                    handler(node)
            elif isinstance(node, (ast.Break, ast.Continue)):
                self._leave_loop()
            if isinstance(node, _LEAVING):
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
                self.expressions.use(part)

    def _assert(self, node: ast.Assert) -> None:
        self.expressions.value(node.test)
        if node.msg is not None:
            self.expressions.use(node.msg)

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

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            owner = self.scope.enclosing(name)
            if owner is not None:
                self.scope.elsewhere[name] = owner

    # Assignments

    def _assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if len(node.targets) == 1 and _pairs_up(target, node.value):
            self._assign_pairs(target, node.value)
            return
        value = self.expressions.value(node.value)
        for target in node.targets:
            self._assign_to(target, value, node.value)

    def _assign_pairs(self, target: ast.expr, source: ast.expr) -> None:
        """`a, b = x, y` binds each by itself, after all of them are evaluated."""
        if isinstance(target, (ast.Tuple, ast.List)) and isinstance(source, (ast.Tuple, ast.List)):
            flat = list(_flatten(target, source))
            values = [self.expressions.value(item) for _, item in flat]
            for (name, item), value in zip(flat, values, strict=True):
                self._assign_to(name, value, item)

    def _assign_to(self, target: ast.expr, value: Value, source: ast.expr) -> None:
        value = self.expressions.plain(value)
        if isinstance(target, ast.Name):
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
        value = self.expressions.use(node.value)
        if isinstance(node.target, ast.Name):
            self._augment_name(node, node.target, value)
        else:
            self.expressions.calls.store(node.target, OTHER)

    def _augment_name(self, node: ast.AugAssign, target: ast.Name, value: Value) -> None:
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
        value = known if node.value is None else self.expressions.value(node.value)
        if Plain.UNKNOWN in value:
            value = (value - {Plain.UNKNOWN}) | known
        if node.value is not None:
            self._assign_to(node.target, value, node.value)
        elif isinstance(node.target, ast.Name) and self.scope.kind == "class":
            self._class_attribute(node.target.id, value)
        elif isinstance(node.target, ast.Name) and value != OTHER:
            self.state.bind(self.scope, node.target.id, value)

    # Branches and loops

    def _if(self, node: ast.If) -> None:
        chain: ast.If | None = node
        ends: list[Environment | None] = []
        while chain is not None:
            self.expressions.value(chain.test)
            before = copy(self.scope.here)
            self._branch(chain)
            ends.append(self.scope.here)
            self.scope.here = before
            # A chain of elifs is a loop, not a recursion: generated code has thousands of them.
            following = chain.orelse
            chain = following[0] if len(following) == 1 and isinstance(following[0], ast.If) else None
            if chain is None:
                self.block(following)
        self.scope.here = merge([*ends, self.scope.here])

    def _branch(self, node: ast.If) -> None:
        if not _is_type_checking(node.test):
            self.block(node.body)
            return
        # Never run, but its imports name the classes of annotations.
        self.state.emitter.muted += 1
        self.block([item for item in node.body if isinstance(item, (ast.Import, ast.ImportFrom))])
        self.state.emitter.muted -= 1

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        items = self.expressions.containers.elements(node.iter)
        self._loop(
            node.body, node.orelse, lambda: self.expressions.containers.bind_target(node.target, items)
        )

    def _while(self, node: ast.While) -> None:
        self._loop(node.body, node.orelse, lambda: self._evaluate(node.test))

    def _evaluate(self, node: ast.expr) -> None:
        self.expressions.value(node)

    def _loop(self, body: list[ast.stmt], orelse: list[ast.stmt], begin: Callable[[], None]) -> None:
        """Walk the body until what it begins with no longer changes; three rounds reach that in practice."""
        breaks: list[Environment | None] = []
        self._loops.append(breaks)
        start = copy(self.scope.here)
        for _ in range(3):
            self.scope.here = copy(start)
            begin()
            exhausted = copy(self.scope.here)
            self.block(body)
            again = merge([start, self.scope.here, *breaks])
            if again == start:
                break
            start = again
        self._loops.pop()
        self.scope.here = merge([exhausted, start])
        self.block(orelse)
        self.scope.here = merge([self.scope.here, *breaks])

    def _leave_loop(self) -> None:
        if self._loops:
            self._loops[-1].append(copy(self.scope.here))

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.expressions.use(item.context_expr)
            if item.optional_vars is not None:
                # A context manager's result is its own: a record that was handed to it has escaped.
                self.expressions.containers.bind_target(item.optional_vars, UNKNOWN)
        self.block(node.body)

    def _try(self, node: ast.Try) -> None:
        """A handler may see anything that the body bound; a finally block may see all of it."""
        before = copy(self.scope.here)
        caught: Environment = {}
        self.scope.catching.append(caught)
        self.block(node.body)
        inside = copy(self.scope.here)
        reached = merge([before, caught, inside]) if before is not None else None
        self.block(node.orelse)
        ends = [self.scope.here]
        for handler in node.handlers:
            self.scope.here = copy(reached)
            self._handler(handler)
            ends.append(self.scope.here)
        self.scope.catching.pop()
        after = merge(ends)
        self._finally(node.finalbody, after, merge([reached, caught, after]))

    def _handler(self, handler: ast.ExceptHandler) -> None:
        if handler.type is not None:
            self.expressions.value(handler.type)
        if handler.name:
            self.state.bind(self.scope, handler.name, OTHER)
        self.block(handler.body)

    def _finally(self, body: list[ast.stmt], after: Environment | None, anywhere: Environment | None) -> None:
        """Walk a finally block once for any way of getting there; what it binds holds after it."""
        if not body:
            self.scope.here = after
            return
        self.scope.here = copy(anywhere)
        self.block(body)
        if self.scope.here is None or after is None:
            self.scope.here = None
            return
        began = anywhere or {}
        changed = {name: value for name, value in self.scope.here.items() if began.get(name) != value}
        self.scope.here = {**after, **changed}

    def _match(self, node: ast.Match) -> None:
        subject = self.expressions.value(node.subject)
        ends: list[Environment | None] = []
        for case in node.cases:
            before = copy(self.scope.here)
            self.patterns.bind(case.pattern, subject)
            if case.guard is not None:
                self.expressions.value(case.guard)
            self.block(case.body)
            ends.append(self.scope.here)
            self.scope.here = before
        self.scope.here = merge([*ends, self.scope.here])


def _pairs_up(target: ast.expr, source: ast.expr) -> bool:
    """Whether a tuple target and a tuple value match element by element."""
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(source, (ast.Tuple, ast.List)):
        return False
    starred = any(isinstance(element, ast.Starred) for element in (*target.elts, *source.elts))
    return not starred and len(target.elts) == len(source.elts)


def _flatten(target: ast.Tuple | ast.List, source: ast.Tuple | ast.List) -> list[tuple[ast.expr, ast.expr]]:
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for name, item in zip(target.elts, source.elts, strict=True):
        if _pairs_up(name, item):
            assert isinstance(name, (ast.Tuple, ast.List))
            assert isinstance(item, (ast.Tuple, ast.List))
            pairs += _flatten(name, item)
        else:
            pairs.append((name, item))
    return pairs


def _element(value: Value) -> Value:
    items = pick(value, Items)
    texts = [item.value for item in items if all(isinstance(atom, Text) for atom in item.value)]
    return texts[0] if len(texts) == 1 and len(value) == 1 else UNKNOWN


def _is_type_checking(test: ast.expr) -> bool:
    if isinstance(test, ast.Attribute):
        return test.attr == "TYPE_CHECKING"
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
