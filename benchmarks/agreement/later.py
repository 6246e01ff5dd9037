"""What a release does with a field in a function: off the namespace, off the record, or through a helper."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ratchet.codemod.plan import Subject

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Key(NamedTuple):
    """A field that is read or written in a function."""

    path: str
    scope: str
    field: str
    written: bool


class Later:
    """The accesses of one release by function and field."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._files: dict[str, dict[str, ast.AST]] = {}
        self.published: Counter[Key] = Counter()
        self.record: Counter[Key] = Counter()
        for path, facts in subject.facts.items():
            for access in facts.accesses:
                if access.operation in ("read", "write") and access.field is not None:
                    key = Key(path, access.scope, access.field, access.operation == "write")
                    (self.published if access.origin == "namespace" else self.record)[key] += 1

    def defines(self, path: str, scope: str) -> bool:
        """Whether the release still has this function."""
        return _plain(scope) in self._scopes(path)

    def reads_through(self, key: Key) -> bool:
        """Whether the function uses a helper of its own, or one that it imports, that reads the namespace."""
        node = self._scopes(key.path).get(_plain(key.scope))
        owner = _plain(key.scope).rpartition(".")[0]
        for name in _members(node) if node is not None and not key.written else ():
            if self.published[key._replace(scope=f"{owner}.{name}" if owner else name)]:
                return True
            for path, helper in self._homes(key.path, name):
                if self.published[key._replace(path=path, scope=helper)]:
                    return True
        return False

    def _homes(self, path: str, name: str) -> Iterator[tuple[str, str]]:
        """The files, and the names in them, from which a file imports a name."""
        module = self._scopes(path).get("")
        for node in ast.walk(module) if module is not None else ():
            if not isinstance(node, ast.ImportFrom) or node.level or not node.module:
                continue
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    inner = "/".join(node.module.split(".")[1:])
                    yield from ((file, alias.name) for file in (f"{inner}.py", f"{inner}/__init__.py"))

    def _scopes(self, path: str) -> dict[str, ast.AST]:
        """The functions and classes of a file by their qualified names; none where it does not parse."""
        if path not in self._files:
            data = self._subject.read(path) if path in self._subject.facts else b""
            try:
                tree = ast.parse(data) if isinstance(data, bytes) else ast.Module([], [])
            except (SyntaxError, ValueError):
                tree = ast.Module([], [])
            self._files[path] = dict(_named(tree, "")) if data else {}
        return self._files[path]


def _named(node: ast.AST, outer: str) -> Iterator[tuple[str, ast.AST]]:
    if not outer:
        yield "", node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            name = f"{outer}.{child.name}" if outer else child.name
            yield name, child
            yield from ((inner, found) for inner, found in _named(child, name) if inner)
        elif not isinstance(child, ast.expr):
            yield from ((inner, found) for inner, found in _named(child, outer) if inner)


def _members(node: ast.AST) -> Iterator[str]:
    """The names that a function takes off `self` or calls."""
    for item in ast.walk(node):
        if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name) and item.value.id == "self":
            yield item.attr
        elif isinstance(item, ast.Call) and isinstance(item.func, ast.Name):
            yield item.func.id


def _plain(scope: str) -> str:
    """A scope without its lambdas and comprehensions."""
    return re.sub(r"\.?<\w+>", "", scope)
