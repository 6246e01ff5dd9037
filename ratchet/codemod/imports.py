"""How a file calls an accessor at a place: by an import that it has, or by one that it is to get."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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
        if scope is not None and self._may_be(name, dotted) and self._surely(dotted, name, scope, found):
            return Spelling(name, scope, name)
        assert isinstance(found.node, ast.Name)
        owner = found.scope.look_up(found.node.id)
        if owner is None or name in owner.bound:
            line = getattr(owner.bound[name][0].node, "lineno", 0) if owner is not None else 0
            return Refusal("shadowed-name", f"`{name}` is bound on line {line}, and may not be by then")
        places = [item.place.statement for item in owner.bound[found.node.id]]
        statement = next(item for item in self.survey.imports if item.node in places)
        refusal = self._shadowed(found, accessor, owner)
        return refusal or Spelling(name, owner, name, Wanted(accessor, owner, statement))

    # What there is

    def _bound_to(self, dotted: str, found: Found) -> Spelling | None:
        """A name that surely stands for something when the expression runs."""
        names = [name for name in self.survey.occurrences if self._may_be(name, dotted)]
        for name in sorted(names, key=lambda name: (name != dotted.rpartition(".")[2], name)):
            scope = found.scope.look_up(name)
            if scope is not None and self._surely(dotted, name, scope, found):
                return Spelling(name, scope, name)
        return None

    def _may_be(self, name: str, dotted: str) -> bool:
        return any(self.bound_dotted(item) == dotted for item in self.survey.of(name) if item.use == "import")

    def _surely(self, dotted: str, name: str, scope: Scope, found: Found) -> bool:
        bindings = scope.bound[name]
        if any(self.bound_dotted(item) != dotted for item in bindings):
            return False
        return any(self._precedes(item.place, scope, found) for item in bindings if not _for_types(item))

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
        if not any(_imports_whole(item, accessor.module) for item in self.survey.imports):
            return None
        bound = self._bound_to(accessor.module.partition(".")[0], found)
        return bound and Spelling(f"{accessor.module}.{accessor.name}", bound.scope, bound.name)

    def _used(self, found: Found, spelling: Spelling) -> bool:
        """Whether the expression itself goes through the name of a spelling."""
        return any(isinstance(node, ast.Name) and node.id == spelling.name for node in ast.walk(found.node))

    def _from_imports(self, module: str, local: bool = False) -> list[Imported]:
        """The from-imports of a module that happen at run time: at the top, or in functions."""
        return [
            item
            for item in self.survey.imports
            if isinstance(item.node, ast.ImportFrom)
            and self.source_of(item.node) == module
            and item.node.names[0].name != "*"
            and (item.scope.kind == "function" if local else item.scope.kind == "module")
            and not item.for_types
        ]

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
        for item in self._from_imports(accessor.module, local=True):
            if self._precedes(item.place, item.scope, found) and found.scope.within(item.scope):
                return self._new_at(found, accessor, item.scope, item)
        if _on_one_line(function):
            return Refusal("import-cycle", "the import belongs in the function, which is written on one line")
        return self._new_at(found, accessor, function)

    def _belongs_in_function(self, module: str, found: Found) -> bool:
        if self._from_imports(module) or any(_imports_whole(item, module) for item in self.survey.imports):
            return False
        local = bool(self._from_imports(module, local=True)) or self._comes_locally(found)
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
            other = next((i for i in scope.bound.get(name, ()) if self.bound_dotted(i) != dotted), None)
            if other is not None or (name in scope.elsewhere and scope is not self.survey.module):
                line = getattr(other.node if other else scope.node, "lineno", 1)
                return Refusal("shadowed-name", f"`{name}` means something else here since line {line}")
        for item in self.survey.of(name):
            meant = self.survey.meant(item)
            captured = item.use == "load" and item.scope.within(target) and meant and not meant.within(target)
            if captured and meant and any(self.bound_dotted(i) != dotted for i in meant.bound[name]):
                line = getattr(item.node, "lineno", 1)
                return Refusal("shadowed-name", f"`{name}` on line {line} means something else")
        star = next((i for i in self._stars() if self.source_of(i) != accessor.module), None)
        if star is not None and target.kind == "module":
            return Refusal("star-import", f"`import *` on line {star.lineno} may bind `{name}` as well")
        return None

    def _stars(self) -> Iterator[ast.ImportFrom]:
        for item in self.survey.imports:
            if isinstance(item.node, ast.ImportFrom) and item.node.names[0].name == "*":
                yield item.node


def _position(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _for_types(item: Occurrence) -> bool:
    node = item.place.statement
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    return Imported(node, item.scope, item.place).for_types


def _imports_whole(item: Imported, module: str) -> bool:
    """Whether a statement at the module's top imports another module whole: `import a.b`."""
    names = [alias.name for alias in item.node.names if not alias.asname]
    return isinstance(item.node, ast.Import) and module in names and item.scope.kind == "module"


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
