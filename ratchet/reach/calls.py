"""What one file says about calls, scope by scope, each walked when it is first asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from ratchet.analysis.lines import any_between
from ratchet.judge import parse
from ratchet.model import Problem
from ratchet.reach.extract import Walk
from ratchet.reach.facts import Keywords, ScopeFacts, ScopeKind
from ratchet.reach.outline import Outline, outline_of
from ratchet.reach.scopes import Leading

NO_SCOPE = ScopeFacts("module", 0)

# Patterns begin with a text wherever they can: it is looked for first, which is many times faster.
_SHARED = re.compile(r"global[\s\\]+\w+(?:[\s\\]*,[\s\\]*\w+)*[ \t\\]*(?:[;#\r\n]|$)")
# Attributes that are assigned or annotated, and those that a loop or a `with` binds, with more than there is:
# whoever looks for one walks the functions that hold a line of it. An annotation is on the line of its colon.
_BETWEEN = r"(?:[\s\\{}]|#[^\n]*\n)*"
_NAMED = rf"\.{_BETWEEN.format('')}(?=(\w+))\1"  # whole at once: no shorter name is tried
_STORES = (
    re.compile(rf"{_NAMED}{_BETWEEN.format(')')}(?:=(?!=)|:(?![ \t]*[#\r\n]))"),
    re.compile(rf"for{_BETWEEN.format('(')}\w+{_BETWEEN.format('')}{_NAMED}"),
    re.compile(rf"as{_BETWEEN.format('(')}\w+{_BETWEEN.format('')}{_NAMED}"),
)


class FileCalls:
    """The scopes of a file by qualified name (the module itself is empty).

    `stars` are its star imports, `main` the lines that run only where the module is started as a script, the
    first and the last of each block. `problem` says why the file, or a function in it that was asked for,
    could not be read; what could not be has no scopes.
    """

    def __init__(self, path: str, text: str, module: str, is_package: bool, keywords: Keywords) -> None:
        """`module` is the dotted name of the file. Raises what `ast.parse` does."""
        self.path = path
        self.problem: Problem | None = None
        self._text = text
        self._walk = Walk(*_parsed(text), module, is_package, keywords, lines_of(text, _SHARED))
        self._leading = Leading(self._walk.scopes, module.partition(".")[0], bool(self._walk.stars))
        self._facts: dict[str, ScopeFacts] = {}
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
            self._walk.scopes[name].uses.clear()  # by far the most that it holds, and needed no more
        return found

    def kind(self, name: str) -> ScopeKind | None:
        """What a scope is, None where there is none of that name."""
        return self._walk.scopes[name].kind if self._has(name) else None

    def marks(self, name: str) -> tuple[str, ...]:
        """The chains of the decorators of a scope that is there."""
        return self._walk.scopes[name].marks

    def methods(self, owner: str) -> list[str]:
        """The names of the functions that stand in a class body."""
        scope = self._walk.scopes.get(owner)
        return [name for name, kind in scope.inner.items() if kind == "function"] if scope else []

    def attributes(self, owner: str, name: str) -> tuple[tuple[str, str], ...]:
        """What a class assigns to an attribute of its instances: the method that does, and the form."""
        lines = self._stores.get(name)
        if not lines:
            return ()
        self._reveal(lines, f"{owner}.")
        known = self._walk.scopes[owner].attributes
        return tuple([(method, form) for attribute, method, form in known if attribute == name])

    @cached_property
    def _stores(self) -> dict[str, list[int]]:
        """The lines on which attributes may be stored, in order, by the name of the attribute."""
        return stores(self._text)

    def around(self, lines: Iterable[int]) -> Iterator[tuple[str, ScopeFacts]]:
        """The scopes that may run one of these lines: the bodies of functions elsewhere are left out."""
        self._reveal(sorted(lines))
        yield from (
            (name, self.scope(name)) for name in [*self._walk.scopes] if name not in self._walk.waiting
        )

    def _reveal(self, lines: Sequence[int], prefix: str = "") -> None:
        """Walk the functions that hold one of some sorted lines, of those whose name has the prefix."""
        pending = [name for name in self._walk.waiting if name.startswith(prefix)] if lines else []
        while pending:
            name = pending.pop()
            waiting = self._walk.waiting.get(name, ())
            if any(any_between(lines, item.first, item.last) for item in waiting):
                known = len(self._walk.scopes)
                self._body(name)
                pending += [*self._walk.scopes][known:]

    def _has(self, name: str) -> bool:
        if name in self._walk.scopes:
            return True
        end = name.find(".")
        while end >= 0:
            if name[:end] in self._walk.waiting:
                self._body(name[:end])
            end = name.find(".", end + 1)
        return name in self._walk.scopes

    def _body(self, name: str) -> None:
        if name in self._walk.waiting:
            try:
                self._walk.body(name)
            except SyntaxError as error:
                self.problem = Problem(self.path, error.lineno or 0, f"does not parse: {error.msg}")
            except (RecursionError, MemoryError, ValueError):
                self.problem = Problem(self.path, 0, "is nested too deeply to be walked")


class Unread(FileCalls):
    """A file that cannot be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.path, "", "", False, Keywords("", ()))
        self.problem = problem


def _parsed(text: str) -> tuple[Outline, ast.Module]:
    """The outline of a text with its tree; where there is none, or it is broken, nothing is left out."""
    outline = outline_of(text)
    if outline is not None:
        with suppress(SyntaxError, ValueError):
            return outline, parse(outline.text)
    return Outline(text, text, {}), parse(text)


def stores(text: str) -> dict[str, list[int]]:
    """The lines on which a text may store attributes, in order, by the name of the attribute."""
    found: dict[str, list[int]] = {}
    for pattern in _STORES:
        line, at = 1, 0
        for match in pattern.finditer(text):
            line += text.count("\n", at, match.start(1))
            at = match.start(1)
            found.setdefault(match[1], []).append(line)
    return {name: sorted(lines) for name, lines in found.items()}


def lines_of(text: str, pattern: re.Pattern[str]) -> list[int]:
    """The lines on which a pattern begins to match."""
    lines, line, at = [], 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        lines.append(line)
    return lines
