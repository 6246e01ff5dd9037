"""Which scopes a source file defines: one that has no site any more may be gone, or only clean."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache


def scope_lookup(read: Callable[[str], bytes]) -> Callable[[str, str], bool]:
    """A function that says whether the file at a path defines a scope; `read` gives the bytes of a path.

    A file that cannot be read or parsed is taken to define it, so that nothing in it passes for renamed.
    """

    @cache
    def scopes(path: str) -> frozenset[str] | None:
        try:
            return defined_scopes(read(path))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def defines(path: str, scope: str) -> bool:
        known = scopes(path)
        return known is None or _named(scope) in known

    return defines


def defined_scopes(data: bytes) -> frozenset[str]:
    """The qualified names of all functions and classes in a module; raises what `ast.parse` raises."""
    return frozenset(_scopes(ast.parse(data), ""))


def _scopes(node: ast.AST, outer: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        name = outer
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{outer}.{child.name}" if outer else child.name
            yield name
        yield from _scopes(child, name)


def _named(scope: str) -> str:
    """A scope without its nameless parts: a lambda lasts as long as the function around it."""
    return ".".join(part for part in scope.split(".") if not part.startswith("<"))
