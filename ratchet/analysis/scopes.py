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
    inside the enclosing try bodies, which their handlers may see. `shared` names are also bound by functions
    within, at any time; `outer` are those that were found further out; `declared` says what annotations
    promise of names, and `types` what names stand for in annotations only. `receiver` is a method's first
    parameter.
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
        self.shared: set[str] = set()
        self.outer: set[str] = set()
        self.declared: Environment = {}
        self.types: Environment = {}
        self.receiver: str | None = None

    def start(self) -> None:
        """Begin a pass over this scope."""
        self.here = {}
        self.catching = []

    def bind(self, name: str, value: Value) -> None:
        """Bind a name of this scope itself."""
        if self.here is not None:
            self.here[name] = value
        for caught in self.catching:
            caught[name] = join(caught.get(name, NOTHING), value)
        known = self.ever.get(name)
        self.ever[name] = value if known is None else join(known, value)

    def look_up(self, name: str) -> Value | None:
        """What a name stands for at this point; None where nothing in the file binds it."""
        scope: Scope | None = self._owner(name)
        current = scope is self
        if self.kind == "class" and name in self.ever and name not in (self.here or ()):
            # Before a class body binds a name of its own, that is the module's, past the functions between.
            scope, current = self.module(), False
        passed: list[Scope] = []
        while scope is not None:
            if scope is self or scope.kind != "class":
                found = scope.at_hand(name) if current else scope.ever.get(name)
                if found is not None:
                    for inner in passed:
                        inner.outer.add(name)
                    return found
            # Comprehensions and class bodies run where they stand; functions see all that a closure holds.
            current = current and scope.kind in ("comprehension", "class")
            passed.append(scope)
            scope = scope.parent
        return None

    def _owner(self, name: str) -> Scope:
        """The scope to begin with: the one that a global or nonlocal statement here or around names."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.elsewhere:
                return scope.elsewhere[name]
            if name in scope.ever:
                break
            scope = scope.parent
        return self

    def at_hand(self, name: str) -> Value | None:
        """What a name of this scope stands for at this point: nothing before it is bound, or once deleted."""
        if self.here is None or name in self.shared:
            return self.ever.get(name)
        found = self.here.get(name)
        return NOTHING if found is None and name in self.ever and self.kind == "function" else found

    def look_up_type(self, name: str) -> Value | None:
        """What a name stands for in an annotation, where imports for type checkers count too."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.types:
                return scope.types[name]
            if name in scope.ever:
                return scope.ever[name]
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


def merge_in(scope: Scope, environments: Iterable[Environment | None]) -> Environment | None:
    """What holds in a scope after branches meet; what a class body has not bound yet is the module's."""
    reached = [environment for environment in environments if environment is not None]
    if scope.kind == "class" and len(reached) > 1:
        outer = scope.module().ever
        names = {name for environment in reached for name in environment if name in outer}
        reached = [{**{name: outer[name] for name in names}, **environment} for environment in reached]
    return merge(reached)


def merge(environments: Iterable[Environment | None]) -> Environment | None:
    """What holds after branches meet; None where none of them gets here. A name unbound in one is neutral."""
    reached = [environment for environment in environments if environment is not None]
    if not reached:
        return None
    merged = dict(reached[0])
    for environment in reached[1:]:
        if environment == merged:
            continue
        for name, value in environment.items():
            known = merged.get(name)
            if known is not value:
                merged[name] = value if known is None else join(known, value)
    return merged


def copy(environment: Environment | None) -> Environment | None:
    """An environment of its own for a branch."""
    return None if environment is None else dict(environment)
