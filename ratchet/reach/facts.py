"""What a scope of a file says about calls: what its names may stand for, and what it uses.

A *chain* is an expression cut down to how its value is reached: a root, then steps. Roots are a name, `^`
and a dotted name (an import), `$` (an instance of the class around a method), `$$` (that class), `?`
(unknown) and `!` (a literal, nothing of the tree). Steps: `.name`, `()` (its result), `[]` (an element).
A *form* says what a name may stand for: a chain, `@` and a chain (an instance of the class that it names, as
annotations say), `#` and a form (a container of these), or `'` and a text (that text).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ratchet.frozen import dataclass, field

ScopeKind = Literal["module", "main", "class", "function"]

MAIN = "__main__"
"""The scope of what runs only where a module is started as a script."""

END = 1 << 30
"""A line after all others of a scope."""


class Use(NamedTuple):
    """A chain that a scope loads: where first and where last, and whether it calls it."""

    chain: str
    line: int
    last: int
    called: bool


@dataclass(frozen=True, slots=True)
class Keywords:
    """Which keywords matter: the one that names a role, and those with which process starters take a target.

    `starters` maps the last name of a callable that starts a process to the keyword of its target.
    """

    role: str
    starters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call with a keyword that matters: the chain of what is called, its line, and the keyword's forms."""

    chain: str
    line: int
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """One scope. `names` are what it binds, with their forms; those of nested definitions are scopes.

    `inner` are the kinds of these, by name, where the scope is a function's; of a module or a class they are
    asked for one by one, so that another definition in it changes nothing for who does not name it.

    `returns` are a function's forms, `marks` the chains of its decorators. `roles` are its calls with a role,
    `targets` those that start a process with a target, `modules` those that start a module as a process
    (line, and its dotted name). `branches` are first line, last line and end of each block after which the
    lines up to the end do not run.
    """

    kind: ScopeKind
    line: int
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: tuple[Use, ...] = ()
    bases: tuple[str, ...] = ()
    returns: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    roles: tuple[Keyed, ...] = ()
    targets: tuple[Keyed, ...] = ()
    modules: tuple[tuple[int, str], ...] = ()
    branches: tuple[tuple[int, int, int], ...] = ()
    inner: Mapping[str, ScopeKind] = field(default_factory=dict)
