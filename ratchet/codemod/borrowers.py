"""What files import that no analysis looked at: a name that they take from a module has to stay there."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cached_property

from ratchet.analysis.imports import absolute
from ratchet.analysis.modules import module_name
from ratchet.model import ReadFile

_IMPORT = re.compile(rb"import\b")
_STAR = re.compile(rb"import\s*\(?\s*\*")
_SOURCE = re.compile(rb"(?:(\w+)\s|\.)\s*\Z")
_BEFORE = 200
"""How many bytes before an import are looked at: a name, and blanks."""


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
        found = (*self._by_source.get(tail, ()), *self._by_source.get(b"", ()))
        return any(not wanted.isdisjoint(self._imported(path, name, wide)) for path, wide in found)

    @cached_property
    def _by_source(self) -> dict[bytes, list[tuple[str, bool]]]:
        """The files by the last names of what they import from, empty for a package by its dots alone.

        Each with whether it is parsed, once, whatever name is asked for: it takes all, or is asked often.
        """
        found: dict[bytes, list[tuple[str, bool]]] = {}
        for path in self._paths:
            data = self._read(path)
            if isinstance(data, bytes):
                stars = _STAR.search(data) is not None
                for source in _sources(data):
                    found.setdefault(source, []).append((path, stars or not source))
        return found

    def _imported(self, path: str, name: str, wide: bool) -> frozenset[str]:
        if path not in self._imports:
            data = self._read(path)
            if not isinstance(data, bytes) or not (wide or name.encode() in data):
                return frozenset()
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


def _sources(data: bytes) -> set[bytes]:
    """What stands before each `import` of a text: the last name of a module, or nothing but dots."""
    before = (data[max(found.start() - _BEFORE, 0) : found.start()] for found in _IMPORT.finditer(data))
    return {found.group(1) or b"" for text in before if (found := _SOURCE.search(text)) is not None}
