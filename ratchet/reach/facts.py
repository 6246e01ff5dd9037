"""What one file says about calls: its scopes, what their names may stand for, and what they use.

A *chain* is an expression cut down to how its value is reached: a root, then steps. Roots are a name, `^`
and a dotted name (an import), `$` (an instance of the class around a method), `$$` (that class), `?`
(unknown) and `!` (a literal, nothing of the tree). Steps: `.name`, `()` (its result), `[]` (an element).
A *form* says what a name may stand for: a chain, `@` and a chain (an instance of the class that it names, as
annotations say), `#` and a form (a container of these), or `'` and a text (that text).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from ratchet.frozen import dataclass, field, fields

ScopeKind = Literal["module", "main", "class", "function"]

MAIN = "__main__"
"""The scope of what runs only where a module is started as a script."""

END = 1 << 30
"""A line after all others of a scope."""


@dataclass(frozen=True, slots=True)
class Use:
    """A chain that a scope loads: where first and where last, and whether it calls it."""

    chain: str
    line: int
    last: int
    called: bool


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call with a keyword that matters: the chain of what is called, its line, and the keyword's forms."""

    chain: str
    line: int
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """One scope. `names` are what it binds, with their forms; those of nested definitions are scopes.

    `attributes` of a class are name, the method that assigns it, and the form. `returns` are a function's
    forms, `marks` the chains of its decorators. `roles` are its calls with a role, `targets` those that start
    a process with a target, `modules` those that start a module as a process (line, and its dotted name).
    `branches` are first line, last line and end of each block after which the lines up to the end do not run.
    """

    kind: ScopeKind
    line: int
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    bases: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str, str], ...] = ()
    returns: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    roles: tuple[Keyed, ...] = ()
    targets: tuple[Keyed, ...] = ()
    modules: tuple[tuple[int, str], ...] = ()
    branches: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class FileCalls:
    """The scopes of a file by qualified name (the module itself is empty), and its star imports.

    `main` are the lines that run only where the module is started as a script, first and last of each block.
    `problem` says why the file could not be read; then it has no scopes.
    """

    scopes: Mapping[str, ScopeFacts] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    main: tuple[tuple[int, int], ...] = ()
    problem: str | None = None


def encode(calls: FileCalls) -> str:
    """The facts as text for a cache."""
    scopes = {name: _row(scope) for name, scope in calls.scopes.items()}
    return json.dumps([scopes, calls.stars, calls.main, calls.problem], separators=(",", ":"))


def decode(text: str) -> FileCalls:
    """The facts that a text holds; ValueError, TypeError or KeyError where it is none."""
    scopes, stars, main, problem = json.loads(text)
    return FileCalls(
        {name: _scope(row) for name, row in scopes.items()},
        tuple(stars),
        tuple((first, last) for first, last in main),
        problem,
    )


def _row(scope: ScopeFacts) -> list[Any]:
    uses = [[use.chain, use.line, use.last, int(use.called)] for use in scope.uses]
    keyed = [[[call.chain, call.line, call.forms] for call in part] for part in (scope.roles, scope.targets)]
    plain = (scope.bases, scope.attributes, scope.returns, scope.marks)
    return [scope.kind, scope.line, dict(scope.names), uses, *plain, *keyed, scope.modules, scope.branches]


def _scope(row: list[Any]) -> ScopeFacts:
    kind, line, names, uses, bases, attributes, returns, marks, roles, targets, modules, branches = row
    return ScopeFacts(
        kind,
        line,
        {name: tuple(forms) for name, forms in names.items()},
        tuple(Use(chain, first, last, bool(called)) for chain, first, last, called in uses),
        tuple(bases),
        tuple((name, scope, form) for name, scope, form in attributes),
        tuple(returns),
        tuple(marks),
        tuple(Keyed(chain, at, tuple(forms)) for chain, at, forms in roles),
        tuple(Keyed(chain, at, tuple(forms)) for chain, at, forms in targets),
        tuple((at, name) for at, name in modules),
        tuple((first, last, end) for first, last, end in branches),
    )


assert len(fields(ScopeFacts)) == 12, "a row of the cache holds every field"
