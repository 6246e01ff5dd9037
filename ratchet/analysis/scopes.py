"""Names and what they stand for, scope by scope, as Python resolves them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ratchet.analysis.values import NOTHING, Value, join

Environment = dict[str, Value]
ScopeKind = Literal["module", "class", "function", "comprehension"]


class Scope:
    """One scope. `here` is what names stand for at this point of the walk, None where no code is reached.

    `ever` joins all that a name is ever bound to: what a closure, which runs later, may see. It outlives a
    pass, so that a second pass knows what the first one saw further down. `catching` are the bindings made
    inside the enclosing try bodies, which their handlers may see.
    """

    def __init__(self, kind: ScopeKind, name: str, dotted: str, parent: Scope | None) -> None:
        self.kind = kind
        self.name = name
        self.dotted = dotted
        self.parent = parent
        self.here: Environment | None = {}
        self.ever: Environment = {}
        self.elsewhere: dict[str, Scope] = {}
        self.catching: list[Environment] = []
        self.class_name: str | None = None

    def start(self) -> None:
        """Begin a pass over this scope."""
        self.here = {}
        self.catching = []

    def bind(self, name: str, value: Value) -> None:
        """Bind a name here, or in the scope that a global or nonlocal statement names."""
        owner = self.elsewhere.get(name)
        if owner is not None:
            owner.ever[name] = join(owner.ever.get(name, NOTHING), value)
            return
        if self.here is not None:
            self.here[name] = value
        for caught in self.catching:
            caught[name] = join(caught.get(name, NOTHING), value)
        known = self.ever.get(name)
        self.ever[name] = value if known is None else join(known, value)

    def look_up(self, name: str) -> Value | None:
        """What a name stands for at this point; None where nothing in the file binds it."""
        scope: Scope | None = self.elsewhere.get(name) or self
        current = scope is self
        first = True
        while scope is not None:
            if first or scope.kind != "class":
                found = scope.here.get(name) if current and scope.here is not None else None
                found = scope.ever.get(name) if found is None else found
                if found is not None:
                    return found
            # Comprehensions and class bodies run where they stand; functions see all that a closure holds.
            current = current and scope.kind in ("comprehension", "class")
            first = first and scope.kind == "comprehension"
            scope = scope.parent
        return None

    def function(self) -> Scope:
        """The scope in which an assignment expression binds: comprehensions have none of their own."""
        scope = self
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        return scope

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def enclosing(self, name: str) -> Scope | None:
        """The enclosing function scope that a nonlocal statement means."""
        scope = self.parent
        while scope is not None:
            if scope.kind == "function" and name in scope.ever:
                return scope
            scope = scope.parent
        return None


def merge(environments: Iterable[Environment | None]) -> Environment | None:
    """What holds after branches meet; None where none of them gets here. A name unbound in one is neutral."""
    reached = [environment for environment in environments if environment is not None]
    if not reached:
        return None
    merged = dict(reached[0])
    for environment in reached[1:]:
        for name, value in environment.items():
            known = merged.get(name)
            merged[name] = value if known is None else join(known, value)
    return merged


def copy(environment: Environment | None) -> Environment | None:
    """An environment of its own for a branch."""
    return None if environment is None else dict(environment)
