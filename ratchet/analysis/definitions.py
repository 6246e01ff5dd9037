"""Functions and classes: their parameters, bodies, returns and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ratchet.analysis.annotations import annotated
from ratchet.analysis.displays import plain_parameters
from ratchet.analysis.expressions import lambda_name
from ratchet.analysis.lines import first_line
from ratchet.analysis.scopes import Scope
from ratchet.analysis.state import ClassInfo
from ratchet.analysis.values import (
    NOTHING,
    OTHER,
    UNKNOWN,
    Class,
    Function,
    Getter,
    Instance,
    Plain,
    Record,
    Symbol,
    Value,
    join,
    only,
    pick,
)

if TYPE_CHECKING:
    from ratchet.analysis.statements import Statements

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})


class Definitions:
    """The definitions of one file."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self._expressions = statements.expressions
        self._state = statements.state

    def function(self, node: _FunctionNode) -> None:
        """A definition: decorators and defaults run here, the body later."""
        scope = self._expressions.scope
        if self._has_interesting_header(node):
            for decorator in node.decorator_list:
                self._expressions.value(decorator)
            self._expressions.defaults(node.args)
        dotted = f"{scope.dotted}.{node.name}"
        self._state.bind(scope, node.name, self._state.tracked.getters.get(dotted) or only(Function(dotted)))
        if node.returns is not None and self._state.hits.within(node.returns.lineno, node.returns.lineno):
            self._state.promise(dotted, annotated(self._expressions, node.returns, "alias"))
        info = self._state.classes.get(scope.dotted) if scope.kind == "class" else None
        if info is not None:
            (info.properties if self._is_property(node) else info.methods).add(node.name)
        self._state.deferred.append((node, scope))

    def _is_property(self, node: _FunctionNode) -> bool:
        return any(_dotted(decorator) in _PROPERTIES for decorator in node.decorator_list)

    def body(self, node: _FunctionNode | ast.Lambda, parent: Scope) -> None:
        """The body of a function or lambda, in a scope of its own."""
        if isinstance(node, ast.Lambda):
            scope = self._scope(parent.name, node, parent)
            scope.dotted = lambda_name(parent, node)
            self._parameters(node, scope, None, interesting=True)
            self.returned(scope, self._expressions.use(node.body))
            return
        name = f"{parent.name}.{node.name}" if parent.name else node.name
        scope = self._scope(name, node, self._with_type_parameters(node, parent))
        scope.dotted = f"{parent.dotted}.{node.name}"
        self._parameters(node, scope, self._receiver(node, parent), self._has_interesting_header(node))
        self._statements.block(node.body)
        self._other_returns(node, scope)

    def _with_type_parameters(self, node: _FunctionNode | ast.ClassDef, outer: Scope) -> Scope:
        """The scope around a function or class: one of its own where it has type parameters (PEP 695)."""
        parameters = getattr(node, "type_params", ())
        if not parameters:
            return outer
        scope = self._state.scope("function", outer.name, outer, -node.lineno)
        scope.dotted = outer.dotted
        for parameter in parameters:
            scope.bind(parameter.name, OTHER)
            bound = getattr(parameter, "bound", None)
            if bound is not None:
                scope.types[parameter.name] = self._expressions.value(bound)
        return scope

    def _other_returns(self, node: _FunctionNode, scope: Scope) -> None:
        """What a function returns on lines of no interest puts what it returns elsewhere in doubt."""
        is_property = self._is_property(node) and self._state.tracked.conventional_attribute(node.name)
        if not (is_property or self._state.result_of(scope.dotted)):
            return
        for statement in _returns(node):
            if statement.value is not None and not self._state.hits.within(
                statement.lineno, statement.end_lineno or statement.lineno
            ):
                self.returned(scope, self._expressions.value(statement.value))

    def _scope(self, name: str, node: _FunctionNode | ast.Lambda, parent: Scope) -> Scope:
        line = (
            node.lineno if not isinstance(node, ast.Lambda) else -(node.lineno * 10_000 + node.col_offset) - 1
        )
        scope = self._state.scope("function", name, parent, line)
        self._expressions.scope = scope
        return scope

    def _receiver(self, node: _FunctionNode, parent: Scope) -> Value | None:
        """What the first parameter of a method stands for."""
        if parent.kind != "class" or any(_dotted(item) == "staticmethod" for item in node.decorator_list):
            return None
        is_class = any(_dotted(item) == "classmethod" for item in node.decorator_list)
        object_id = self._state.record_class(parent.dotted)
        if is_class or node.name == "__new__":
            return only(Getter("class", object_id)) if object_id else only(Class(parent.dotted))
        if object_id:
            return only(Record(object_id, "constructed", "self", "self"))
        return only(Instance(parent.dotted))

    def _has_interesting_header(self, node: _FunctionNode) -> bool:
        """Whether a line of the definition before its body is of interest; else it names nothing tracked."""
        return self._state.hits.within(first_line(node), max(node.lineno, node.body[0].lineno - 1))

    def _parameters(
        self, node: _FunctionNode | ast.Lambda, scope: Scope, receiver: Value | None, interesting: bool
    ) -> None:
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        if receiver is not None and positional:
            self._receive(positional[0].arg, scope, receiver)
        if not interesting:
            return
        defaults = dict(
            zip([argument.arg for argument in positional][::-1], arguments.defaults[::-1], strict=False)
        )
        defaults.update(
            (argument.arg, default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        )
        named = [
            (name, default)
            for name, default in defaults.items()
            if self._state.tracked.conventional_name(name) is not None
        ]
        plain = plain_parameters(named, node.body) if named else ()
        for argument in (*positional[receiver is not None :], *arguments.kwonlyargs):
            self._parameter(argument, defaults.get(argument.arg), scope, argument.arg in plain)
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                self._state.bind(scope, rest.arg, OTHER)

    def _receive(self, name: str, scope: Scope, receiver: Value) -> None:
        scope.bind(name, receiver)
        scope.receiver = name
        if name not in self._state.words and self._state.interesting(receiver):
            self._state.want(name)

    def _parameter(self, argument: ast.arg, default: ast.expr | None, scope: Scope, plain: bool) -> None:
        unsaid = OTHER if plain else UNKNOWN
        value = self._annotated(argument.annotation, scope) if argument.annotation else unsaid
        if Plain.UNKNOWN in value:
            object_id = self._state.tracked.conventional_name(argument.arg)
            value = self._state.by_convention(value, object_id, "parameter")
        if default is not None and self._state.hits.within(
            default.lineno, default.end_lineno or default.lineno
        ):
            value = join(value, self._default(default, scope))
        self._state.bind(scope, argument.arg, value)

    def _annotated(self, annotation: ast.expr, scope: Scope) -> Value:
        inner, self._expressions.scope = self._expressions.scope, scope.parent or scope
        value = annotated(self._expressions, annotation, "parameter")
        self._expressions.scope = inner
        return value

    def _default(self, default: ast.expr, scope: Scope) -> Value:
        """A default that holds a record adds an origin; any other leaves the parameter what it is."""
        inner, self._expressions.scope = self._expressions.scope, scope.parent or scope
        value = self._expressions.value(default)
        self._expressions.scope = inner
        return frozenset(atom for atom in value if isinstance(atom, (Record, Getter)))

    def returned(self, scope: Scope, value: Value) -> None:
        """Note what the function of a scope returns."""
        self._state.returned(scope.dotted, self._expressions.plain(value))

    def class_(self, node: ast.ClassDef) -> None:
        """A class: its body runs where it stands."""
        outer = self._expressions.scope
        for decorator in node.decorator_list:
            self._expressions.value(decorator)
        bases = [self._expressions.value(_plain_base(base)) for base in node.bases]
        for keyword in node.keywords:
            self._expressions.part(keyword.value)
        name = f"{outer.name}.{node.name}" if outer.name else node.name
        scope = self._state.scope("class", name, self._with_type_parameters(node, outer), node.lineno)
        scope.dotted = f"{outer.dotted}.{node.name}"
        self._declare(scope, bases)
        if self._state.record_class(scope.dotted) is not None:
            self._want_receivers(node)
        self._expressions.scope = scope
        self._statements.block(node.body)
        self._expressions.scope = outer
        object_id = self._state.record_class(scope.dotted)
        value = only(Getter("class", object_id)) if object_id else only(Class(scope.dotted))
        self._state.bind(outer, node.name, value)
        if outer.kind == "class":
            self._state.park(outer.dotted, node.name, value)

    def _want_receivers(self, node: ast.ClassDef) -> None:
        """In the record's own methods each line with `self` is of interest."""
        for item in node.body:
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for argument in (item.args.posonlyargs + item.args.args)[:1]:
                    self._state.want(argument.arg)

    def _declare(self, scope: Scope, bases: list[Value]) -> None:
        info = self._state.classes.setdefault(scope.dotted, ClassInfo())
        getter = self._state.tracked.getters.get(scope.dotted, NOTHING)
        getters = [atom for value in (getter, *bases) for atom in pick(value, Getter)]
        records = [atom.target for atom in getters if atom.kind == "class"]
        info.record = records[0] if records else None
        named = (atom.name for value in bases for atom in value if isinstance(atom, (Class, Symbol)))
        info.bases = tuple(dict.fromkeys(named))
        for base in info.bases:
            self._state.derive(base, scope.dotted)


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """The return statements of a function itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            yield from _returns(child)


def _plain_base(base: ast.expr) -> ast.expr:
    """The class itself, without what its type parameters are."""
    return base.value if isinstance(base, ast.Subscript) else base


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else node.attr
    return node.id if isinstance(node, ast.Name) else ""
