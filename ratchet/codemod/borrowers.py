"""What files import that no analysis looked at: a name that they take from a module has to stay there."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from functools import cached_property

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.model import Problem

_IMPORT = re.compile(rb"import\b")
_SOURCE = re.compile(rb"(?:(\w+)\s|\.)\s*\Z")
_BEFORE = 200
"""How many bytes before an import are looked at: a name, and blanks."""

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
        wanted = {f"{module}.{name}", f"{module}.*"}
        paths = (*self._by_source.get(tail, ()), *self._by_source.get(b"", ()))
        return any(not wanted.isdisjoint(self._imported(path)) for path in paths)

    @cached_property
    def _by_source(self) -> dict[bytes, list[str]]:
        """The files by the last names of what they import from; empty for a package by its dots alone."""
        found: dict[bytes, list[str]] = {}
        for path in self._paths:
            data = self._read(path)
            for source in _sources(data) if isinstance(data, bytes) else ():
                found.setdefault(source, []).append(path)
        return found

    def _imported(self, path: str) -> frozenset[str]:
        if path not in self._imports:
            data = self._read(path)
            self._imports[path] = frozenset(self._names(path, data) if isinstance(data, bytes) else ())
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


def _sources(data: bytes) -> set[bytes]:
    """What stands before each `import` of a text: the last name of a module, or nothing but dots."""
    before = (data[max(found.start() - _BEFORE, 0) : found.start()] for found in _IMPORT.finditer(data))
    return {found.group(1) or b"" for text in before if (found := _SOURCE.search(text)) is not None}
