"""What files import that no analysis looked at: a name that they take from a module has to stay there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.model import Problem

ReadFile = Callable[[str], "bytes | Problem"]


class Borrowers:
    """The files at some paths, read as far as they are asked for; `read` gives the bytes of one."""

    def __init__(self, package: str, paths: Sequence[str], read: ReadFile) -> None:
        self._package = package
        self._paths = paths
        self._read = read
        self._imports: dict[str, frozenset[str]] = {}

    def take(self, module: str, name: str) -> bool:
        """Whether one of them imports a name, or all names, from a module."""
        tail = module.rpartition(".")[2].encode()
        from_it = re.compile(rb"\b" + re.escape(tail) + rb"\s+import\b")
        wanted = {f"{module}.{name}", f"{module}.*"}
        return any(
            isinstance(data, bytes)
            and (name.encode() in data or b"*" in data)
            and from_it.search(data) is not None
            and not wanted.isdisjoint(self._imported(path, data))
            for path in self._paths
            for data in (self._read(path),)
        )

    def _imported(self, path: str, data: bytes) -> frozenset[str]:
        if path not in self._imports:
            self._imports[path] = frozenset(self._names(path, data))
        return self._imports[path]

    def _names(self, path: str, data: bytes) -> list[str]:
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return []
        module, is_package = module_name(self._package, path)
        return [
            f"{absolute(module, is_package, node.level, node.module)}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
