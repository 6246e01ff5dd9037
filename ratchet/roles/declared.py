"""The table in which a tree declares the namespaces of each role, read as data."""

from __future__ import annotations

import ast

from ratchet.errors import JudgeError
from ratchet.model import Problem, Publishing
from ratchet.reach import Program
from ratchet.roles.model import Declared

_MAKERS = ("frozenset", "set", "tuple", "list")
_HOPS = 8


def declared_sets(program: Program, publishing: Publishing) -> Declared | None:
    """The declared sets of a tree; None where it has no module that could declare them.

    Raises JudgeError where the module is there and the table is not, or where it cannot be read as data: a
    set that nobody can read is no set that holds.
    """
    dotted = publishing.declared
    for _ in range(_HOPS):
        if dotted is None:
            return None
        module, _, name = dotted.rpartition(".")
        path = program.modules.get(module)
        if path is None:
            return None
        table = program.assigned(path, name)
        if isinstance(table, Problem):
            raise JudgeError(f"{path} declares the namespaces of each role and {table.message}")
        if table is not None:
            return Declared(path, table.lineno, _sets(path, name, table))
        dotted = _imported(program, path, name)
        if dotted is None:
            break
    raise JudgeError(
        f"{path} declares no table {name}, from which the namespaces of each role are read: "
        "correct `declared` under [publishing] in the pack, or remove it"
    )


def _imported(program: Program, path: str, name: str) -> str | None:
    forms = program.scope(path, "").names.get(name, ())
    return next((form[1:] for form in forms if form.startswith("^")), None)


def _sets(path: str, name: str, table: ast.expr) -> dict[str, frozenset[str] | None]:
    if not isinstance(table, ast.Dict):
        raise JudgeError(f"{path}:{table.lineno}: {name} is no plain dict, so that its sets cannot be read")
    found: dict[str, frozenset[str] | None] = {}
    for key, value in zip(table.keys, table.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise JudgeError(f"{path}:{value.lineno}: a role of {name} is no literal, so it cannot be read")
        found[key.value] = _set(path, key.value, value)
    return found


def _set(path: str, role: str, value: ast.expr) -> frozenset[str] | None:
    if isinstance(value, ast.Constant) and value.value is None:
        return None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _MAKERS:
        if not value.args and not value.keywords:
            return frozenset()
        if len(value.args) == 1 and not value.keywords:
            value = value.args[0]
    if isinstance(value, (ast.Set, ast.Tuple, ast.List)):
        literals = [item.value for item in value.elts if isinstance(item, ast.Constant)]
        names = [literal for literal in literals if isinstance(literal, str)]
        if len(names) == len(value.elts):
            return frozenset(names)
    raise JudgeError(f"{path}:{value.lineno}: the set of the role {role} is no literal, so it cannot be read")
