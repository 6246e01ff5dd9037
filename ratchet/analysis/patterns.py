"""Match statements: a class pattern reads the fields that it names, a capture binds the subject."""

from __future__ import annotations

import ast

from ratchet.analysis.expressions import Expressions
from ratchet.analysis.values import OTHER, UNKNOWN, Getter, Value, aliased, pick
from ratchet.model import COMPUTED


class Patterns:
    """The patterns of match statements."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._state = expressions.state

    def bind(self, pattern: ast.pattern, subject: Value) -> None:
        """Emit what a pattern reads off its subject, and bind its names."""
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None:
                self.bind(pattern.pattern, subject)
                subject = self._narrowed(pattern.pattern, subject)
            self._capture(pattern.name, subject)
        elif isinstance(pattern, ast.MatchOr):
            for alternative in pattern.patterns:
                self.bind(alternative, subject)
        elif isinstance(pattern, ast.MatchClass):
            self._class(pattern, self._narrowed(pattern, subject))
        elif isinstance(pattern, ast.MatchValue):
            self._expressions.value(pattern.value)
        elif isinstance(pattern, ast.MatchStar):
            self._capture(pattern.name, OTHER)
        else:
            self._parts(pattern)

    def _narrowed(self, pattern: ast.pattern, subject: Value) -> Value:
        """What a subject is once a class pattern has found it to be a record."""
        if not isinstance(pattern, ast.MatchClass):
            return subject
        classes = [
            atom for atom in pick(self._expressions.value(pattern.cls), Getter) if atom.kind == "class"
        ]
        return self._state.by_convention(subject, classes[0].target if classes else None, "alias")

    def _class(self, pattern: ast.MatchClass, subject: Value) -> None:
        self._expressions.value(pattern.cls)
        emitter, scope = self._state.emitter, self._expressions.scope.name
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            emitter.emit(pattern, "read", subject, name, scope, "pattern", f"{_class_code(pattern)}({name})")
            self.bind(part, UNKNOWN)
        for part in pattern.patterns:
            emitter.emit(pattern, "read", subject, COMPUTED, scope, "pattern", f"{_class_code(pattern)}(...)")
            self.bind(part, UNKNOWN)

    def _parts(self, pattern: ast.pattern) -> None:
        if isinstance(pattern, ast.MatchSequence):
            for part in pattern.patterns:
                self.bind(part, UNKNOWN)
        elif isinstance(pattern, ast.MatchMapping):
            for part in pattern.patterns:
                self.bind(part, UNKNOWN)
            self._capture(pattern.rest, OTHER)

    def _capture(self, name: str | None, value: Value) -> None:
        if name is not None:
            self._state.bind(self._expressions.scope, name, aliased(value))


def _class_code(pattern: ast.MatchClass) -> str:
    return ast.unparse(pattern.cls)
