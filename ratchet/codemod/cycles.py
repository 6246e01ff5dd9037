"""What importing a module imports: whether one more import at a module's top would close a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.model import Problem, ReadFile


class ImportGraph:
    """The imports at the top of a tree's modules, read as far as they are asked for.

    `paths` are the tree's files, `read` gives the bytes of one. An import in a function, or for type checkers
    only, does not happen when its module is imported, so it closes no circle.
    """

    def __init__(self, package: str, paths: Sequence[str], read: ReadFile) -> None:
        self._read = read
        self._paths = {module_name(package, path)[0]: path for path in paths if path.endswith(".py")}
        self._reached: dict[str, frozenset[str]] = {}

    def would_cycle(self, importer: str, imported: str) -> bool:
        """Whether importing `imported` imports `importer`, which therefore must not import it at its top."""
        if imported not in self._reached:
            self._reached[imported] = self._reach(imported)
        return importer in self._reached[imported]

    def _reach(self, start: str) -> frozenset[str]:
        seen: set[str] = set()
        pending = [start]
        while pending:
            module = pending.pop()
            if module not in seen and module in self._paths:
                seen.add(module)
                pending += self._imports_of(module)
        return frozenset(seen)

    def _imports_of(self, module: str) -> Iterator[str]:
        """The modules that importing a module imports, its packages first."""
        parts = module.split(".")
        yield from (".".join(parts[:count]) for count in range(1, len(parts)))
        data = self._read(self._paths[module])
        if isinstance(data, Problem):
            return
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        is_package = self._paths[module].endswith("__init__.py")
        for node in _at_top(tree.body):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
                continue
            source = absolute(module, is_package, node.level, node.module)
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _at_top(body: Sequence[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements that run with their module: also those in branches and class bodies."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            blocks = ("orelse",) if _is_for_types(node) else ("body", "orelse", "finalbody")
            for name in blocks:
                yield from _at_top(getattr(node, name, ()))
            for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _at_top(branch.body)


def _is_for_types(node: ast.stmt) -> bool:
    test = node.test if isinstance(node, ast.If) else None
    name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return name == "TYPE_CHECKING"
