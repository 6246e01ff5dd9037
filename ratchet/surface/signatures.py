"""The parameters of functions, and what classes offer, as short texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_WORD = re.compile(r"\*{0,2}[^\W\d]\w*")


def signatures_of(tree: ast.Module) -> dict[str, str]:
    """The signatures of a module by name, members of its classes as `Class.member`.

    A function's is its parameters without types, defaults as `...`: `(source, *, force=...)`. A class's is
    how it is made: its decorators and bases, and the function that makes it anew further down.
    """
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, _Function):
            found[node.name] = _parameters(node)
        elif isinstance(node, ast.ClassDef):
            found[node.name] = _made(node)
            found.update(_members(node))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if isinstance(target, ast.Name) and target.id in found:
                    found[target.id] += f" by {ast.unparse(node.value.func)}"
    return dict(sorted(found.items()))


def parameters_of(signature: str) -> tuple[frozenset[str], bool]:
    """The names in a signature that a keyword can give, and whether it takes any keyword at all."""
    words = _WORD.findall(signature)
    return frozenset(word for word in words if word[0] != "*"), any(word[:2] == "**" for word in words)


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    parts = [f"{item.arg}=..." if number >= first else item.arg for number, item in enumerate(positional)]
    if given.vararg:
        parts.append(f"*{given.vararg.arg}")
    elif given.kwonlyargs:
        parts.append("*")
    for item, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parts.append(f"{item.arg}=..." if default is not None else item.arg)
    if given.kwarg:
        parts.append(f"**{given.kwarg.arg}")
    return f"({', '.join(parts)})"


def _made(node: ast.ClassDef) -> str:
    decorators = [f"@{ast.unparse(item.func if isinstance(item, ast.Call) else item)}"
                  for item in node.decorator_list]  # fmt: skip
    bases = [ast.unparse(item) for item in node.bases]
    return " ".join([*decorators, f"class({', '.join(bases)})"])


def _members(owner: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for node in owner.body:
        if isinstance(node, _Function):
            called = not any(ast.unparse(item).endswith("property") for item in node.decorator_list)
            yield f"{owner.name}.{node.name}", _parameters(node) if called else ""
            if node.name == "__init__":
                yield from ((f"{owner.name}.{name}", "") for name in _set_on_self(node))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield f"{owner.name}.{target.id}", ""


def _set_on_self(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for part in ast.walk(node):
        stored = isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)
        if stored and isinstance(part.value, ast.Name) and part.value.id == "self":  # type: ignore[attr-defined]
            yield part.attr  # type: ignore[attr-defined]
