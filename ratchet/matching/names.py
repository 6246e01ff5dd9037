"""What the names of a file stand for: the dotted names of imports and definitions, scope by scope."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from ratchet.analysis.imports import absolute
from ratchet.frozen import dataclass, replace
from ratchet.matching.visit import Place, ScopeNode, parameters

_Position = tuple[int, int]
_FIRST: _Position = (0, 0)
_LAST: _Position = (1 << 30, 0)
_GLOBAL = re.compile(r"\bglobal\b[ \t]+([\w, \t]+)")
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_CERTAIN_BLOCKS = (ast.With, ast.AsyncWith)


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that binds a name: to a dotted name, to what `value` stands for, or to something unknown.

    `certain` says that the binding replaces earlier ones, because it stands in no branch.
    """

    position: _Position
    certain: bool
    dotted: str | None = None
    value: ast.expr | None = None


@dataclass(slots=True)
class _Scope:
    """What one scope binds, the names that belong to other scopes, and the modules imported with a star."""

    names: dict[str, list[Binding]]
    elsewhere: set[str]
    stars: list[str]


class Names:
    """The names of the module `module`, whose text is `text`. Scopes are read when they are needed."""

    def __init__(self, module: str, is_package: bool, text: str) -> None:
        self.module = module
        self.is_package = is_package
        self._walrus = ":=" in text
        self._text = text
        self._has_globals = False
        self._scopes: dict[ast.AST, _Scope] = {}

    def base_of(self, node: ast.ImportFrom) -> str:
        """The absolute name of the module that a from-import takes from."""
        return absolute(self.module, self.is_package, node.level, node.module)

    def dotted(self, node: ast.expr, place: Place) -> frozenset[str]:
        """The dotted names that a name, or an attribute of one, may stand for at a place."""
        return self._dotted(node, place, (node.lineno, node.col_offset), 5)

    def _dotted(self, node: ast.expr, place: Place, at: _Position, depth: int) -> frozenset[str]:
        if isinstance(node, ast.Attribute):
            return frozenset(f"{base}.{node.attr}" for base in self._dotted(node.value, place, at, depth))
        if not isinstance(node, ast.Name) or not depth:
            return frozenset()
        found, owner = self._look_up(node.id, place, at)
        if owner is None:
            stars = self._scope(place.scopes[0]).stars
            return frozenset(f"{star}.{node.id}" for star in stars)
        names = {binding.dotted for binding in found if binding.dotted is not None}
        for binding in found:
            if binding.value is not None:
                names |= self._dotted(binding.value, owner, binding.position, depth - 1)
        return frozenset(names)

    def _look_up(self, name: str, place: Place, at: _Position) -> tuple[list[Binding], Place | None]:
        """The bindings that a name may have at a place, and the place of the scope that makes them."""
        here = True
        for depth in range(len(place.scopes), 0, -1):
            node = place.scopes[depth - 1]
            scope = self._scope(node)
            if isinstance(node, ast.Module) and name in self._declared:
                scope = self._module_scope(node)
            if name in scope.elsewhere:
                here = False
                continue
            if name in scope.names and (here or not isinstance(node, ast.ClassDef)):
                owner = Place(place.scopes[:depth], place.name)
                return _alive(scope.names[name], at if here else None), owner
            # A comprehension runs where it stands.
            here = here and isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)
        return [], None

    def _scope(self, node: ScopeNode) -> _Scope:
        scope = self._scopes.get(node)
        if scope is None:
            scope = self._scopes[node] = _Reader(self, node, self._walrus).read()
        return scope

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The names that the text declares with `global`."""
        return frozenset(
            name for found in _GLOBAL.findall(self._text) for name in found.replace(",", " ").split()
        )

    def _module_scope(self, module: ast.Module) -> _Scope:
        """The module's scope, with what functions bind in it."""
        if not self._has_globals:
            self._has_globals = True
            _add_globals_of_functions(self._scope(module).names, self, module, self._walrus)
        return self._scope(module)


def _alive(bindings: list[Binding], at: _Position | None) -> list[Binding]:
    """The bindings that may hold at a position of the same scope, or at its end for code that runs later."""
    earlier = [binding for binding in bindings if at is None or binding.position < at]
    alive: list[Binding] = []
    for binding in earlier or bindings:
        alive = [binding] if binding.certain else [*alive, binding]
    return alive


class _Reader:
    """Reads the bindings of one scope."""

    def __init__(self, names: Names, node: ScopeNode, walrus: bool) -> None:
        self._names, self._node, self._walrus = names, node, walrus
        self._found = _Scope({}, set(), [])

    def read(self) -> _Scope:
        """What the scope binds, in the order in which it does."""
        names = self.bound()
        for name in self._found.elsewhere:
            names.pop(name, None)
        for bindings in names.values():
            bindings.sort(key=lambda binding: binding.position)
        return self._found

    def bound(self) -> dict[str, list[Binding]]:
        """All that the scope's statements bind, what belongs to other scopes included."""
        node = self._node
        if isinstance(node, ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef):
            for argument in parameters(node.args):
                self._bind(argument.arg, _FIRST, True)
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for generator in node.generators:
                self._targets(generator.target, True)
        elif not isinstance(node, ast.Lambda):
            self._block(node.body, True)
        return self._found.names

    def _bind(
        self,
        name: str,
        position: _Position,
        certain: bool,
        dotted: str | None = None,
        value: ast.expr | None = None,
    ) -> None:
        self._found.names.setdefault(name, []).append(Binding(position, certain, dotted, value))

    def _block(self, statements: Iterable[ast.stmt], certain: bool) -> None:
        for statement in statements:
            self._statement(statement, certain)
            inner = certain and isinstance(statement, _CERTAIN_BLOCKS)
            if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                for block in _blocks(statement):
                    self._block(block, inner)

    def _statement(self, node: ast.stmt, certain: bool) -> None:
        position = (node.lineno, node.col_offset)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, position, certain)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            dotted = f"{self._names.module}.{node.name}" if isinstance(self._node, ast.Module) else None
            self._bind(node.name, position, certain, dotted)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            if not isinstance(self._node, ast.Module):
                self._found.elsewhere.update(node.names)
        else:
            self._assignment(node, position, certain)
            if self._walrus:
                self._expressions(node)

    def _import(self, node: ast.Import | ast.ImportFrom, position: _Position, certain: bool) -> None:
        names = self._names
        base = names.base_of(node) if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            if base is not None and alias.name == "*":
                self._found.stars.append(base)
            elif base is not None:
                self._bind(alias.asname or alias.name, position, certain, f"{base}.{alias.name}")
            elif alias.asname:
                self._bind(alias.asname, position, certain, alias.name)
            else:
                top = alias.name.partition(".")[0]
                self._bind(top, position, certain, top)

    def _assignment(self, node: ast.stmt, position: _Position, certain: bool) -> None:
        # A value that the name itself is part of is still there when it is evaluated, so it ends after it.
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        if isinstance(node, ast.Assign):
            plain = node.value if isinstance(node.value, ast.Name | ast.Attribute) else None
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self._bind(target.id, end, certain, value=plain)
                else:
                    self._targets(target, certain, end)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None or not isinstance(self._node, ast.Module):
                plain = node.value if isinstance(node.value, ast.Name | ast.Attribute) else None
                if isinstance(node.target, ast.Name):
                    self._bind(node.target.id, end, certain, value=plain)
        elif isinstance(node, ast.AugAssign):
            self._targets(node.target, certain, end)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._targets(target, certain, end)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._targets(node.target, False)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._targets(item.optional_vars, certain)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            for handler in getattr(node, "handlers", []):
                if handler.name:
                    self._bind(handler.name, (handler.lineno, handler.col_offset), False)
        elif type(node).__name__ == "TypeAlias":
            self._bind(getattr(node, "name").id, position, certain)  # noqa: B009
        elif isinstance(node, ast.Match):
            self._captures(node)

    def _captures(self, node: ast.Match) -> None:
        for case in node.cases:
            for part in ast.walk(case.pattern):
                name = part.rest if isinstance(part, ast.MatchMapping) else getattr(part, "name", None)
                if isinstance(part, ast.MatchMapping | ast.MatchAs | ast.MatchStar) and name:
                    self._bind(name, (part.lineno, part.col_offset), False)

    def _targets(self, target: ast.expr, certain: bool, position: _Position | None = None) -> None:
        """Bind the names of an assignment's target, but not those that it only looks into."""
        if isinstance(target, ast.Name):
            self._bind(target.id, position or (target.lineno, target.col_offset), certain)
        elif isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._targets(element, certain, position)
        elif isinstance(target, ast.Starred):
            self._targets(target.value, certain, position)

    def _expressions(self, node: ast.stmt) -> None:
        """Bind what a statement's own expressions bind with `:=`."""
        pending = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
        while pending:
            part = pending.pop()
            if isinstance(part, ast.NamedExpr):
                plain = part.value if isinstance(part.value, ast.Name | ast.Attribute) else None
                end = (part.end_lineno or part.lineno, part.end_col_offset or 0)
                self._bind(part.target.id, end, False, value=plain)
            if not isinstance(part, ast.Lambda | ast.ExceptHandler | ast.match_case):
                pending += ast.iter_child_nodes(part)


def _add_globals_of_functions(
    found: dict[str, list[Binding]], names: Names, module: ast.Module, walrus: bool
) -> None:
    """Add what functions bind with `global`: it may hold for whoever runs later."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            declared = {name for part in _own_globals(node) for name in part.names}
            bound = _Reader(names, node, walrus).bound() if declared else {}
            for name in sorted(declared & bound.keys()):
                late = [replace(binding, position=_LAST, certain=False) for binding in bound[name]]
                found.setdefault(name, []).extend(late)


def _own_globals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Global]:
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global):
            yield node
        elif isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ):
            pending += ast.iter_child_nodes(node)


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists inside of a statement, those of handlers and cases included."""
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        for part in block or ():
            if isinstance(part, ast.ExceptHandler | ast.match_case):
                yield part.body
        if block and isinstance(block[0], ast.stmt):
            yield block
