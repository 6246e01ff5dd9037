"""Where a statement stands, and what its names mean: the scopes of Python, with the names that they bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Literal

from ratchet.frozen import dataclass, field

ScopeKind = Literal["module", "class", "function", "lambda", "comprehension"]
Use = Literal["load", "store", "delete", "import", "parameter", "definition", "declared", "text"]

BINDING: frozenset[Use] = frozenset(("store", "import", "parameter", "definition"))
Owner = ast.stmt | ast.ExceptHandler | ast.match_case | ast.Module


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A statement in its block; `owner` holds the block, and `above` is its place (None: the module)."""

    statement: ast.stmt
    block: Sequence[ast.stmt]
    owner: Owner
    above: Place | None

    def chain(self) -> Iterator[Place]:
        """This place, and those around it from the inside out."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.above


@dataclass(slots=True, eq=False)
class Scope:
    """A scope: the names it binds, and those it says are bound elsewhere; `place` is where it begins.

    `watched` says whether its code looks at names by other means than to write them, once that was asked.
    """

    kind: ScopeKind
    node: ast.AST
    parent: Scope | None
    place: Place | None
    bound: dict[str, list[Occurrence]] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)
    watched: bool | None = None

    def look_up(self, name: str) -> Scope | None:
        """The scope whose binding a use of `name` in this one means; None where the file binds it nowhere."""
        scope: Scope | None = self
        while scope is not None:
            if scope.elsewhere.get(name) == "global":
                return scope.module()
            visible = scope is self or scope.kind != "class"
            visible = visible and name in scope.bound and name not in scope.elsewhere
            if visible and (name[:2] != "__" or self.shares(name, scope)):
                return scope
            scope = scope.parent
        return None

    def shares(self, name: str, other: Scope) -> bool:
        """Whether a name is the same one in two scopes: `__name` is another one in each class."""
        private = name.startswith("__") and not name.endswith("__")
        return not private or self._class() is other._class()

    def _class(self) -> Scope | None:
        scope: Scope | None = self
        while scope is not None and scope.kind != "class":
            scope = scope.parent
        return scope

    def module(self) -> Scope:
        """The outermost scope."""
        return self.parent.module() if self.parent else self

    def function(self) -> Scope | None:
        """The innermost scope around this one that a def makes, itself included."""
        scope: Scope | None = self
        while scope is not None and scope.kind != "function":
            scope = scope.parent
        return scope

    def within(self, outer: Scope) -> bool:
        """Whether this scope is another one, or lies in it."""
        return self is outer or any(scope is outer for scope in self.around())

    def around(self) -> Iterator[Scope]:
        """The scopes around this one, from the inside out."""
        scope = self.parent
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(frozen=True, slots=True, eq=False)
class Occurrence:
    """A name at a place: how it is used, and the node that says so (of an import: its alias)."""

    name: str
    use: Use
    node: ast.AST
    scope: Scope
    place: Place
