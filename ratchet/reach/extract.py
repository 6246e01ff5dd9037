"""The walk over one file that finds its scopes; the bodies of functions wait until they are asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from ratchet.analysis.imports import absolute
from ratchet.analysis.lines import first_line
from ratchet.frozen import dataclass
from ratchet.reach.facts import END, MAIN, Keyed, Keywords, ScopeKind
from ratchet.reach.forms import (
    CONTAINER,
    IMPORT,
    INSTANCE,
    LITERAL,
    UNKNOWN,
    annotated,
    chain_of,
    forms_of,
    passes_on,
)
from ratchet.reach.outline import Function, Outline
from ratchet.reach.scopes import OpenScope, below, class_around, root_of, useful
from ratchet.syntax.moments import asks_for_main

_TESTS_OF_TYPES = ("isinstance", "issubclass")
_NOTHING = (ast.Constant, ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)
_ITERATED = f"{UNKNOWN}[]"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A function that waits: the line of its `def`, and its first (with decorators) and last line.

    `marks` are the chains of its decorators and of those of earlier definitions of its name, `node` is its
    definition; None where the outline leaves it out.
    """

    line: int
    first: int
    last: int
    marks: tuple[str, ...]
    node: Function | None


class Walk:
    """A pass over a module that leaves out functions.

    `waiting` are those, by the name of their scope; `body` walks one. A function that declares a name global
    (`shared` are the lines that may) is walked at once, as what it binds is the module's.
    """

    def __init__(
        self,
        outline: Outline,
        tree: ast.Module,
        module: str,
        is_package: bool,
        keywords: Keywords,
        shared: Sequence[int],
    ) -> None:
        """`tree` is that of the outline's text."""
        self._outline = outline
        self._module = module
        self._is_package = is_package
        self._role = keywords.role
        self._starters = dict(keywords.starters)
        self._package = module.partition(".")[0]
        self._shared = shared
        self.module = OpenScope("", "module", 1, None)
        self.scopes: dict[str, OpenScope] = {"": self.module}
        self.waiting: dict[str, list[Waiting]] = {}
        self.stars: list[str] = []
        self.main: list[tuple[int, int]] = []
        self._block(tree.body, self.module)

    def body(self, name: str) -> None:
        """Walk what waits under a name: all definitions of a function."""
        self._functions(self.waiting.pop(name, ()), self.scopes[name])

    def _functions(self, definitions: Iterable[Waiting], scope: OpenScope) -> None:
        nodes = [(item.node or self._outline.function(item.line), item.marks) for item in definitions]
        for node, marks in nodes:
            self._parameters(node.args, scope, marks)
            scope.returns.update(dict.fromkeys(annotated(node.returns)))
        for node, _ in nodes:
            self._block(node.body, scope)

    # Statements

    def _block(self, statements: Sequence[ast.stmt], scope: OpenScope) -> None:
        for statement in statements:
            handler = _STATEMENTS.get(type(statement))
            if handler is not None:
                handler(self, statement, scope)
            else:
                self._parts(statement, scope)

    def _parts(self, statement: ast.AST, scope: OpenScope) -> None:
        """A statement without a rule of its own: its expressions, then its blocks."""
        for name in statement._fields:
            value = getattr(statement, name, None)
            if isinstance(value, ast.expr):
                self._expression(value, scope)
            elif isinstance(value, list) and value:
                if isinstance(value[0], ast.stmt):
                    self._block(value, scope)
                    continue
                for item in value:
                    if isinstance(item, ast.expr):
                        self._expression(item, scope)
                    elif isinstance(item, ast.AST):
                        self._parts(item, scope)

    def _if(self, node: ast.If, scope: OpenScope) -> None:
        if scope.kind == "module" and asks_for_main(node.test):
            self.main.append((node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno))
            main = self._open(MAIN, "main", node.lineno, scope)
            self._block(node.body, main)
            for name, forms in main.names.items():
                scope.bind(name, forms)
        else:
            self._expression(node.test, scope)
            self._block(node.body, scope)
            self._branch(node, scope)
        self._block(node.orelse, scope)

    def _branch(self, node: ast.If, scope: OpenScope) -> None:
        """What does not run after the body of an if: its else, or where it returns, the rest of the scope."""
        leaves = isinstance(node.body[-1], (ast.Return, ast.Raise))
        if leaves or node.orelse:
            first, last = node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
            final = END if leaves else node.orelse[-1].end_lineno or node.orelse[-1].lineno
            scope.branches.append((first, last, final))

    def _define(self, node: Function, scope: OpenScope) -> None:
        inner = self._open(below(scope, node.name), "function", node.lineno, scope)
        marks = tuple([chain_of(mark) for mark in node.decorator_list])
        inner.marks += marks
        for mark in node.decorator_list:
            self._expression(mark, scope)
            # What a decorator of the tree wraps around the function runs with it.
            inner.use(chain_of(mark).partition("(")[0], node.lineno, False)
        self._registered(marks, inner, scope)
        for value in (*reversed(node.args.defaults), *node.args.kw_defaults):
            if value is not None:
                self._expression(value, scope)
        last = node.end_lineno or node.lineno
        left = node.lineno in self._outline.left  # then the rest of the tree is not needed any more
        waiting = Waiting(node.lineno, first_line(node), last, inner.marks, None if left else node)
        pending = self.waiting.setdefault(inner.name, [])
        pending.append(waiting)
        if any(node.lineno <= line <= last for line in self._shared):
            self.body(inner.name)

    def _registered(self, marks: Iterable[str], inner: OpenScope, scope: OpenScope) -> None:
        """A definition that is handed to a module's variable (`@app.get("/")`) is one of its elements."""
        for mark in marks:
            root = root_of(mark)
            bound = scope.names.get(root)
            if mark != root and bound is not None and not any(form[0] == IMPORT for form in bound):
                scope.bind(root, [f"{CONTAINER}{inner.name.rpartition('.')[2]}"])

    def _parameters(self, arguments: ast.arguments, inner: OpenScope, marks: Sequence[str]) -> None:
        plain = [*arguments.posonlyargs, *arguments.args]
        for item in (*plain, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if item is not None:
                inner.bind(item.arg, annotated(item.annotation))
                inner.parameters.add(item.arg)
        defaults = list(zip(reversed(plain), reversed(arguments.defaults), strict=False))
        only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        defaults += [(item, value) for item, value in only if value]
        for item, value in defaults:
            inner.bind(item.arg, useful(forms_of(value)))
        if inner.parent and inner.parent.kind == "class" and plain and "staticmethod" not in marks:
            inner.receiver = plain[0].arg
            is_class = "classmethod" in marks or inner.name.endswith(".__new__")
            inner.bind(inner.receiver, ["$$" if is_class else "$"])

    def _class(self, node: ast.ClassDef, scope: OpenScope) -> None:
        inner = self._open(below(scope, node.name), "class", node.lineno, scope)
        inner.bases += tuple([chain_of(base) for base in node.bases])
        inner.marks += tuple([chain_of(mark) for mark in node.decorator_list])
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self._expression(part, scope)
        self._registered(inner.marks, inner, scope)
        self._block(node.body, inner)

    def _assign(self, node: ast.Assign, scope: OpenScope) -> None:
        forms = forms_of(node.value)
        for target in node.targets:
            self._store(target, forms, scope)
        self._expression(node.value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: OpenScope) -> None:
        forms = annotated(node.annotation)
        if node.value is not None:
            forms += forms_of(node.value)
            self._expression(node.value, scope)
        self._store(node.target, forms, scope)

    def _store(self, target: ast.expr, forms: Sequence[str], scope: OpenScope) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, forms)
        elif isinstance(target, ast.Attribute):
            owner = target.value
            receiver = scope.receiver or (scope.parent.receiver if scope.parent else "")
            if receiver and isinstance(owner, ast.Name) and owner.id == receiver:
                holder = self.scopes.get(class_around(scope))
                for form in useful(forms) if holder else ():
                    holder.attributes[target.attr, scope.name, form] = None  # type: ignore[union-attr]
            else:
                self._expression(owner, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self._store(item, (UNKNOWN,), scope)
        elif isinstance(target, ast.Starred):
            self._store(target.value, (UNKNOWN,), scope)
        else:
            self._expression(target, scope)

    def _for(self, node: ast.For | ast.AsyncFor, scope: OpenScope) -> None:
        self._store(node.target, _elements(node.iter), scope)
        self._expression(node.iter, scope)
        self._block(node.body, scope)
        self._block(node.orelse, scope)

    def _with(self, node: ast.With | ast.AsyncWith, scope: OpenScope) -> None:
        plain = isinstance(node, ast.With)
        for item in node.items:
            chain = chain_of(item.context_expr)
            for name in ("__enter__", "__exit__") if plain else ("__aenter__", "__aexit__"):
                scope.use(f"{chain}.{name}", node.lineno, True)
            if item.optional_vars is not None:
                self._store(item.optional_vars, forms_of(item.context_expr), scope)
            self._expression(item.context_expr, scope)
        self._block(node.body, scope)

    def _import(self, node: ast.Import, scope: OpenScope) -> None:
        for alias in node.names:
            if alias.asname:
                scope.import_as(alias.asname, f"{IMPORT}{alias.name}")
            else:
                top = alias.name.partition(".")[0]
                scope.import_as(top, f"{IMPORT}{top}")

    def _import_from(self, node: ast.ImportFrom, scope: OpenScope) -> None:
        source = absolute(self._module, self._is_package, node.level, node.module)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(source)
            else:
                scope.import_as(alias.asname or alias.name, f"{IMPORT}{source}.{alias.name}")

    def _return(self, node: ast.Return, scope: OpenScope) -> None:
        if node.value is not None:
            scope.returns.update(dict.fromkeys(useful(forms_of(node.value))))
            self._expression(node.value, scope)

    def _global(self, node: ast.Global, scope: OpenScope) -> None:
        """What a function binds of the module's is the module's."""
        for name in node.names:
            scope.names[name] = self.module.names.setdefault(name, {})

    # Expressions

    def _expression(self, node: ast.AST, scope: OpenScope) -> None:
        """Every chain that an expression loads; lambdas run as part of the scope that makes them."""
        pending = [node]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    scope.use(node.id, node.lineno, False)
            elif isinstance(node, ast.Call):
                self._call(node, scope, pending)
            elif isinstance(node, (ast.Attribute, ast.Subscript)):
                scope.use(chain_of(node), node.lineno, False)
                _inside(node, pending)
            elif not isinstance(node, _NOTHING):
                rule = _EXPRESSIONS.get(type(node))
                if rule is not None:
                    rule(self, node, scope)
                for name in node._fields:
                    part = getattr(node, name, None)
                    if isinstance(part, list):
                        pending += [item for item in part if isinstance(item, ast.AST)]
                    elif isinstance(part, ast.AST):
                        pending.append(part)

    def _named(self, node: ast.NamedExpr, scope: OpenScope) -> None:
        self._store(node.target, forms_of(node.value), scope)

    def _loop(self, node: ast.comprehension, scope: OpenScope) -> None:
        self._store(node.target, _elements(node.iter), scope)

    def _lambda(self, node: ast.Lambda, scope: OpenScope) -> None:
        for item in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            scope.bind(item.arg, [UNKNOWN])

    def _call(self, node: ast.Call, scope: OpenScope, pending: list[ast.AST]) -> None:
        chain = chain_of(node)
        called = chain.removesuffix("()")
        if called == chain or (called == UNKNOWN and passes_on(node)):  # what it is handed is looked at below
            called = chain_of(node.func) if chain.startswith((UNKNOWN, LITERAL, IMPORT)) else ""
        if called:
            scope.use(called, node.lineno, True)
        _inside(node.func, pending)
        last = called.rpartition(".")[2]
        for keyword in node.keywords:
            if keyword.arg == self._role:
                scope.roles += (Keyed(called, node.lineno, forms_of(keyword.value)),)
            elif keyword.arg is not None and self._starters.get(last) == keyword.arg:
                scope.targets += (Keyed(called, node.lineno, forms_of(keyword.value)),)
                self._calls_inside(keyword.value, pending)
                continue
            pending.append(keyword.value)
        arguments = node.args[:1] if called in _TESTS_OF_TYPES else node.args
        pending.extend(arguments)

    def _calls_inside(self, node: ast.expr, pending: list[ast.AST]) -> None:
        """Of a process's target, only what runs here: the calls that make it."""
        pending.extend(inner for inner in ast.walk(node) if isinstance(inner, ast.Call))

    def _command(self, node: ast.List, scope: OpenScope) -> None:
        """A command line with `-m` and a module of the package starts that module as a process."""
        words = [item.value if isinstance(item, ast.Constant) else None for item in node.elts]
        for flag, name in pairwise(words):
            if flag == "-m" and isinstance(name, str) and name.partition(".")[0] == self._package:
                scope.modules += ((node.lineno, name),)

    def _open(self, name: str, kind: ScopeKind, line: int, parent: OpenScope) -> OpenScope:
        """The scope of a definition; one that is defined again goes on."""
        found = self.scopes.get(name)
        if found is None:
            found = self.scopes[name] = OpenScope(name, kind, line, parent)
            parent.inner[name.rpartition(".")[2]] = kind
        return found


def _inside(node: ast.expr, pending: list[ast.AST]) -> None:
    """What a chain holds beside itself: the calls and the indices on its way."""
    while True:
        if isinstance(node, ast.Subscript):
            pending.append(node.slice)
            node = node.value
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            if not isinstance(node, ast.Name):
                pending.append(node)
            return


def _elements(node: ast.expr) -> tuple[str, ...]:
    """What a loop over an expression binds."""
    return tuple(
        form[1:] if form[0] == CONTAINER else f"{form}[]" if form[0] not in (INSTANCE, UNKNOWN) else _ITERATED
        for form in forms_of(node)
    )


_STATEMENTS: dict[type[ast.stmt], Callable[[Walk, Any, OpenScope], None]] = {
    ast.FunctionDef: Walk._define,
    ast.AsyncFunctionDef: Walk._define,
    ast.ClassDef: Walk._class,
    ast.Assign: Walk._assign,
    ast.AnnAssign: Walk._annotated,
    ast.If: Walk._if,
    ast.For: Walk._for,
    ast.AsyncFor: Walk._for,
    ast.With: Walk._with,
    ast.AsyncWith: Walk._with,
    ast.Import: Walk._import,
    ast.ImportFrom: Walk._import_from,
    ast.Return: Walk._return,
    ast.Global: Walk._global,
}

_EXPRESSIONS: dict[type[ast.AST], Callable[[Walk, Any, OpenScope], None]] = {
    ast.NamedExpr: Walk._named,
    ast.comprehension: Walk._loop,
    ast.List: Walk._command,
    ast.Lambda: Walk._lambda,
}
