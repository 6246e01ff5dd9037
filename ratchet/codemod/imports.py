"""How a file calls an accessor at a place: by an import that it has, or by one that it is to get."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.codemod.model import Accessor, Refusal
from ratchet.codemod.scopes import Occurrence, Place, Scope
from ratchet.codemod.style import Style
from ratchet.codemod.survey import Found, Imported, Survey
from ratchet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Wanted:
    """A name to import: into `statement` where that is given, else by a new one in the scope."""

    accessor: Accessor
    scope: Scope
    statement: Imported | None


@dataclass(frozen=True, slots=True)
class Spelling:
    """What to write for an accessor: `text` is called; `scope` and `name` are the binding it relies on."""

    text: str
    scope: Scope
    name: str
    wanted: Wanted | None = None


class Imports:
    """The imports of one file, as far as the survey went."""

    def __init__(self, path: str, survey: Survey, style: Style) -> None:
        self.survey = survey
        self.style = style
        self.module, self.is_package = module_name(style.package, path)
        self._known_foreign: dict[tuple[int, str, str], Occurrence | None] = {}
        self._known_others: dict[tuple[str, str], list[tuple[Occurrence, Scope]]] = {}

    def source_of(self, node: ast.ImportFrom) -> str:
        """The absolute name of the module that a from-import names."""
        return absolute(self.module, self.is_package, node.level, node.module)

    def dotted(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
        """The dotted name of what an import binds; of `import a.b` that is `a`."""
        if isinstance(node, ast.ImportFrom):
            return f"{self.source_of(node)}.{alias.name}"
        return alias.name if alias.asname else alias.name.partition(".")[0]

    def bound_dotted(self, item: Occurrence) -> str | None:
        """The dotted name that a binding stands for; None where it is no import."""
        node = item.place.statement
        if not isinstance(node, ast.Import | ast.ImportFrom) or not isinstance(item.node, ast.alias):
            return None
        return self.dotted(node, item.node)

    def names_for(self, accessor: Accessor) -> set[str]:
        """The names under which the file imports an accessor or its module, for the survey to look at."""
        wanted = (f"{accessor.module}.{accessor.name}", accessor.module)
        found = {accessor.name}
        for item in self.survey.imports:
            for alias in item.node.names:
                plain = isinstance(item.node, ast.Import) and not alias.asname
                if self.dotted(item.node, alias) in wanted or (plain and alias.name == accessor.module):
                    found.add((alias.asname or alias.name).partition(".")[0])
        return found

    def spell(self, found: Found, accessor: Accessor) -> Spelling | Refusal:
        """How `accessor` is called where an expression stands."""
        direct = self._bound_to(f"{accessor.module}.{accessor.name}", found)
        by_module = self._by_module(accessor, found)
        if by_module is not None and (
            self._used(found, by_module) or not self._from_imports(accessor.module)
        ):
            return direct or by_module
        return direct or self._new(found, accessor)

    def spell_own(self, found: Found, accessor: Accessor) -> Spelling | Refusal:
        """The same for a name that stands for the accessor and has to become the accessor's own.

        Where that is not bound there, the import of the former name is to import it.
        """
        dotted, name = f"{accessor.module}.{accessor.name}", accessor.name
        scope = found.scope.look_up(name)
        if scope is not None and self._surely(dotted, name, scope, found):
            return Spelling(name, scope, name)
        assert isinstance(found.node, ast.Name)
        owner = found.scope.look_up(found.node.id)
        if owner is None or name in owner.bound:
            line = getattr(owner.bound[name][0].node, "lineno", 0) if owner is not None else 0
            return Refusal("shadowed-name", f"`{name}` is bound on line {line}, and may not be by then")
        nodes = (id(item.place.statement) for item in owner.bound[found.node.id])
        statement = next(self._by_node[node] for node in nodes if node in self._by_node)
        refusal = self._shadowed(found, accessor, owner)
        return refusal or Spelling(name, owner, name, Wanted(accessor, owner, statement))

    # What there is

    def _bound_to(self, dotted: str, found: Found) -> Spelling | None:
        """A name that surely stands for something when the expression runs."""
        names = self._names_of.get(dotted, ())
        for name in sorted(names, key=lambda name: (name != dotted.rpartition(".")[2], name)):
            scope = found.scope.look_up(name)
            if scope is not None and self._surely(dotted, name, scope, found):
                return Spelling(name, scope, name)
        return None

    @cached_property
    def _names_of(self) -> Mapping[str, set[str]]:
        """The names that imports bind, by the dotted name of what they bind them to."""
        found: dict[str, set[str]] = {}
        for name, items in self.survey.occurrences.items():
            for item in items:
                dotted = self.bound_dotted(item) if item.use == "import" else None
                if dotted is not None:
                    found.setdefault(dotted, set()).add(name)
        return found

    def _surely(self, dotted: str, name: str, scope: Scope, found: Found) -> bool:
        if self._foreign(scope, name, dotted) is not None:
            return False
        bindings = scope.bound[name]
        return any(self._precedes(item.place, scope, found) for item in bindings if not _for_types(item))

    def _foreign(self, scope: Scope, name: str, dotted: str) -> Occurrence | None:
        """The first binding of a name in a scope to something else."""
        key = (id(scope), name, dotted)
        if key not in self._known_foreign:
            bound = scope.bound.get(name, ())
            others = (item for item in bound if self.bound_dotted(item) != dotted)
            self._known_foreign[key] = next(others, None)
        return self._known_foreign[key]

    def _others(self, name: str, dotted: str) -> Sequence[tuple[Occurrence, Scope]]:
        """The reads of a name that mean something else, each with the scope that binds it."""
        key = (name, dotted)
        if key not in self._known_others:
            reads = ((item, self.survey.meant(item)) for item in self.survey.of(name) if item.use == "load")
            self._known_others[key] = [
                (item, meant) for item, meant in reads if meant and self._foreign(meant, name, dotted)
            ]
        return self._known_others[key]

    def _precedes(self, place: Place, scope: Scope, found: Found) -> bool:
        """Whether a statement has run, if it is reached at all, whenever an expression runs."""
        if scope.kind == "module" and found.scope.function() is not None:
            return place.above is None
        for around in found.place.chain():
            if around.block is place.block:
                return _position(place.statement) < _position(around.statement)
        return False

    def _by_module(self, accessor: Accessor, found: Found) -> Spelling | None:
        bound = self._bound_to(accessor.module, found)
        if bound is not None:
            return Spelling(f"{bound.text}.{accessor.name}", bound.scope, bound.name)
        if accessor.module not in self._whole:
            return None
        bound = self._bound_to(accessor.module.partition(".")[0], found)
        return bound and Spelling(f"{accessor.module}.{accessor.name}", bound.scope, bound.name)

    def _used(self, found: Found, spelling: Spelling) -> bool:
        """Whether the expression itself goes through the name of a spelling."""
        return any(isinstance(node, ast.Name) and node.id == spelling.name for node in ast.walk(found.node))

    def _from_imports(self, module: str) -> Sequence[Imported]:
        """The from-imports of a module that happen at run time, at the module's own level."""
        return self._by_source.get((module, id(self.survey.module)), ())

    def _local_imports(self, module: str, scope: Scope) -> Iterable[Imported]:
        """Those of them in the functions around a scope, itself included, in the order of the file."""
        functions = (part for part in (scope, *scope.around()) if part.kind == "function")
        found = [item for part in functions for item in self._by_source.get((module, id(part)), ())]
        return sorted(found, key=lambda item: _position(item.node))

    @cached_property
    def _by_source(self) -> Mapping[tuple[str, int], list[Imported]]:
        """The from-imports that happen at run time, by module and scope."""
        found: dict[tuple[str, int], list[Imported]] = {}
        for item in self.survey.imports:
            node = item.node
            if isinstance(node, ast.ImportFrom) and node.names[0].name != "*" and not item.for_types:
                found.setdefault((self.source_of(node), id(item.scope)), []).append(item)
        return found

    @cached_property
    def _by_node(self) -> Mapping[int, Imported]:
        return {id(item.node): item for item in self.survey.imports}

    @cached_property
    def _in_functions(self) -> frozenset[str]:
        """The modules that functions import from."""
        return frozenset(
            source
            for (source, _), items in self._by_source.items()
            if any(item.scope.kind == "function" for item in items)
        )

    @cached_property
    def _whole(self) -> frozenset[str]:
        """The modules that a statement at the module's own level imports whole: `import a.b`."""
        return frozenset(
            alias.name
            for item in self.survey.imports
            if isinstance(item.node, ast.Import) and item.scope.kind == "module"
            for alias in item.node.names
            if not alias.asname
        )

    # What there is to be

    def _new(self, found: Found, accessor: Accessor) -> Spelling | Refusal:
        function = found.scope.function()
        owner = found.scope.look_up(accessor.name)
        if owner is not None and owner.kind == "function":
            return self._new_at(found, accessor, owner)  # imported there, but further down
        if not self._belongs_in_function(accessor.module, found):
            return self._new_at(found, accessor, self.survey.module)
        if function is None:
            detail = f"the module cannot import {accessor.module} at its top, and no function is around"
            return Refusal("import-cycle", detail)
        for item in self._local_imports(accessor.module, found.scope):
            if self._precedes(item.place, item.scope, found):
                return self._new_at(found, accessor, item.scope, item)
        if _on_one_line(function):
            return Refusal("import-cycle", "the import belongs in the function, which is written on one line")
        return self._new_at(found, accessor, function)

    def _belongs_in_function(self, module: str, found: Found) -> bool:
        if self._from_imports(module) or module in self._whole:
            return False
        local = module in self._in_functions or self._comes_locally(found)
        return local or self.style.would_cycle(self.module, module)

    def _comes_locally(self, found: Found) -> bool:
        """Whether the record of an expression comes through an import inside of a function."""
        for node in ast.walk(found.node):
            scope = found.scope.look_up(node.id) if isinstance(node, ast.Name) else None
            if scope is not None and scope.kind == "function" and isinstance(node, ast.Name):
                return any(item.use == "import" for item in scope.bound[node.id])
        return False

    def _new_at(
        self, found: Found, accessor: Accessor, scope: Scope, statement: Imported | None = None
    ) -> Spelling | Refusal:
        name = accessor.name
        refusal = self._shadowed(found, accessor, scope)
        if refusal is not None:
            return refusal
        if statement is None and scope.kind == "module":
            top = [item for item in self._from_imports(accessor.module) if item.place.above is None]
            statement = next(iter(top), None)
        return Spelling(name, scope, name, Wanted(accessor, scope, statement))

    def _shadowed(self, found: Found, accessor: Accessor, target: Scope) -> Refusal | None:
        """Whether a new binding in the target scope would not be seen, or would be seen by others."""
        name, dotted = accessor.name, f"{accessor.module}.{accessor.name}"
        if not found.scope.shares(name, target):
            return Refusal("shadowed-name", f"`{name}` is private to the class around it")
        for scope in _visible(found.scope, target):
            other = self._foreign(scope, name, dotted)
            if other is not None or (name in scope.elsewhere and scope is not self.survey.module):
                line = getattr(other.node if other else scope.node, "lineno", 1)
                return Refusal("shadowed-name", f"`{name}` means something else here since line {line}")
        for item, meant in self._others(name, dotted):
            if item.scope.within(target) and not meant.within(target):
                line = getattr(item.node, "lineno", 1)
                return Refusal("shadowed-name", f"`{name}` on line {line} means something else")
        star = next((node for node in self._stars if self.source_of(node) != accessor.module), None)
        if star is not None and target.kind == "module":
            return Refusal("star-import", f"`import *` on line {star.lineno} may bind `{name}` as well")
        return None

    @cached_property
    def _stars(self) -> Sequence[ast.ImportFrom]:
        nodes = (item.node for item in self.survey.imports)
        return [node for node in nodes if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]


def _position(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _for_types(item: Occurrence) -> bool:
    node = item.place.statement
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    return Imported(node, item.scope, item.place).for_types


def _visible(scope: Scope, target: Scope) -> Iterator[Scope]:
    """The scopes in which a use looks for a name, up to the target."""
    current: Scope | None = scope
    while current is not None:
        if current is scope or current is target or current.kind != "class":
            yield current
        if current is target:
            return
        current = current.parent


def _on_one_line(function: Scope) -> bool:
    node = function.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return node.body[0].lineno <= _header_end(node)


def _header_end(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The last line on which something of a signature stands."""
    parts: list[ast.AST] = [*ast.walk(node.args), *([node.returns] if node.returns else [])]
    return max([node.lineno, *(getattr(part, "end_lineno", 0) or 0 for part in parts)])
