"""What one file says about calls, scope by scope, each walked when it is first asked for."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from ratchet.reach.extract import Keywords, Walk
from ratchet.reach.facts import ScopeFacts, ScopeKind
from ratchet.reach.scopes import Leading

NO_SCOPE = ScopeFacts("module", 0)

# Patterns begin with a text wherever they can: it is looked for first, which is many times faster.
_SHARED = re.compile(r"global\b")
# What stands behind an attribute that is assigned or annotated, and before one that a loop or a `with` binds.
_ASSIGNED = re.compile(r"[\s\\]*(?:=(?!=)|:)")
_BOUND = re.compile(r"(?:for|as)[\s\\(]+[\w.]+$")
_LINE = 120


class FileCalls:
    """The scopes of a file by qualified name (the module itself is empty).

    `stars` are its star imports, `main` the lines that run only where the module is started as a script, the
    first and the last of each block. `problem` says why the file could not be read; then it has no scopes.
    """

    def __init__(
        self, tree: ast.Module, text: str, module: str, is_package: bool, keywords: Keywords
    ) -> None:
        """`module` is the dotted name of the file; of the text only what patterns find in it is used."""
        self.problem: str | None = None
        self._text = text
        self._walk = Walk(tree, module, is_package, keywords, lines_of(text, _SHARED))
        self._leading = Leading(self._walk.scopes, module.partition(".")[0], bool(self._walk.stars))
        self._facts: dict[str, ScopeFacts] = {}
        self._stored: dict[str, bool] = {}
        self.stars = tuple(self._walk.stars)
        self.main = tuple(self._walk.main)

    def scope(self, name: str) -> ScopeFacts:
        """One scope, an empty one where the file has none of that name."""
        found = self._facts.get(name)
        if found is None:
            if not self._has(name):
                return NO_SCOPE
            self._body(name)
            found = self._facts[name] = self._leading.facts(self._walk.scopes[name])
        return found

    def kind(self, name: str) -> ScopeKind | None:
        """What a scope is, None where there is none of that name."""
        return self._walk.scopes[name].kind if self._has(name) else None

    def marks(self, name: str) -> tuple[str, ...]:
        """The chains of the decorators of a scope that is there."""
        return tuple(self._walk.scopes[name].marks)

    def methods(self, owner: str) -> list[str]:
        """The names of the functions that stand in a class body."""
        prefix = f"{owner}."
        return [
            name[len(prefix) :]
            for name, scope in self._walk.scopes.items()
            if scope.kind == "function" and name.startswith(prefix) and "." not in name[len(prefix) :]
        ]

    def attributes(self, owner: str, name: str) -> list[tuple[str, str]]:
        """What a class assigns to an attribute of its instances: the method that does, and the form."""
        stored = self._stored.get(name)
        if stored is None:
            stored = self._stored[name] = stores(self._text, name)
        if not stored:
            return []
        self._bodies(f"{owner}.")
        known = self._walk.scopes[owner].attributes
        return [(method, form) for attribute, method, form in known if attribute == name]

    def around(self, lines: Iterable[int]) -> Iterator[tuple[str, ScopeFacts]]:
        """The scopes that may run one of these lines: the bodies of functions elsewhere are left out."""
        wanted = sorted(lines)
        pending = [*self._walk.waiting]
        while pending:
            name = pending.pop()
            if any(_holds(node, wanted) for node in self._walk.waiting.get(name, ())):
                known = len(self._walk.scopes)
                self._body(name)
                pending += [*self._walk.scopes][known:]
        yield from (
            (name, self.scope(name)) for name in [*self._walk.scopes] if name not in self._walk.waiting
        )

    def all(self) -> Iterator[tuple[str, ScopeFacts]]:
        """Every scope."""
        self.finish()
        yield from ((name, self.scope(name)) for name in self._walk.scopes)

    def finish(self) -> None:
        """Walk all that waits, so that nothing holds on to the tree any more."""
        self._bodies("")

    def _has(self, name: str) -> bool:
        if name in self._walk.scopes:
            return True
        end = name.find(".")
        while end >= 0:
            if name[:end] in self._walk.waiting:
                self._body(name[:end])
            end = name.find(".", end + 1)
        return name in self._walk.scopes

    def _bodies(self, prefix: str) -> None:
        while names := [name for name in self._walk.waiting if name.startswith(prefix)]:
            for name in names:
                self._body(name)

    def _body(self, name: str) -> None:
        if name in self._walk.waiting:
            try:
                self._walk.body(name)
            except RecursionError:
                self.problem = "is nested too deeply to be walked"


class Unread(FileCalls):
    """A file that cannot be read."""

    def __init__(self, problem: str) -> None:
        super().__init__(ast.Module([], []), "", "", False, Keywords("", ()))
        self.problem = problem


def _holds(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[int]) -> bool:
    """Whether one of some sorted lines is in a definition; its decorators count as a part of it."""
    first = min((node.lineno, *(mark.lineno for mark in node.decorator_list)))
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= (node.end_lineno or node.lineno)


def stores(text: str, name: str) -> bool:
    """Whether a text may store an attribute under a name."""
    word = f".{name}"
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if _ASSIGNED.match(text, end) or _BOUND.search(text, max(0, at - _LINE), at):
            return True
        at = text.find(word, end)
    return False


def lines_of(text: str, pattern: re.Pattern[str]) -> list[int]:
    """The lines on which a pattern begins to match."""
    lines, line, at = [], 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.append(line)
    return lines
