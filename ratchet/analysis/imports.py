"""Import statements: what the names that they bind stand for."""

from __future__ import annotations

import ast

from ratchet.analysis.modules import module_name as module_name
from ratchet.analysis.scopes import Scope
from ratchet.analysis.state import State
from ratchet.analysis.values import Module, Value, aliased, only


def absolute(module: str, is_package: bool, level: int, name: str | None) -> str:
    """The absolute name that a from-import of a module means; empty where it leads out of the tree."""
    if level == 0:
        return name or ""
    drop = level - 1 if is_package else level
    parts = module.split(".")
    if drop >= len(parts):
        return ""
    base = ".".join(parts[: len(parts) - drop])
    return f"{base}.{name}" if name else base


class Imports:
    """The import statements of one file."""

    def __init__(self, state: State) -> None:
        self._state = state

    def plain(self, scope: Scope, node: ast.Import, types: bool = False) -> None:
        """`import a.b` binds `a`; `import a.b as c` binds `a.b`. `types`: for type checkers only."""
        for alias in node.names:
            self._state.modules.add(alias.name)
            self._state.imported.add(alias.name)
            if alias.asname:
                self._bind(scope, alias.asname, self._state.dotted(alias.name), types)
                continue
            top = alias.name.partition(".")[0]
            tracked = top in self._state.tracked.modules or top == self._state.tracked.package
            self._bind(scope, top, only(Module(top)) if tracked else self._state.dotted(top), types)

    def _bind(self, scope: Scope, name: str, value: Value, types: bool) -> None:
        if types:
            scope.types[name] = value
        else:
            self._state.bind(scope, name, value)

    def named(self, scope: Scope, node: ast.ImportFrom, types: bool = False) -> None:
        """`from a import b` binds what `a.b` stands for; a star binds all that the module tracks."""
        source = absolute(self._state.module, self._state.is_package, node.level, node.module)
        state = self._state
        for alias in node.names:
            dotted = f"{source}.{alias.name}"
            state.imported.add(dotted)
            if alias.name == "*":
                self._star(scope, source)
            else:
                self._bind(scope, alias.asname or alias.name, aliased(state.dotted(dotted)), types)

    def _star(self, scope: Scope, source: str) -> None:
        outside = self._state.outside
        names = (*self._state.tracked.getters, *outside.names, *outside.returns, *outside.bases)
        for dotted in names:
            module, _, name = dotted.rpartition(".")
            if module == source and not name.startswith("_"):
                self._state.bind(scope, name, self._state.dotted(dotted))
