"""One file of a program: what its bytes, its text and its syntax say, found when it is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

from ratchet.judge import deep_and_undisturbed, is_risky, parse
from ratchet.model import Problem
from ratchet.reach.calls import FileCalls, Unread, lines_of
from ratchet.reach.facts import Keywords, ScopeFacts, ScopeKind
from ratchet.reach.handing import Arguments, Parameters, arguments_of, parameters_of
from ratchet.reach.spelled import defines, has_word, import_lines, is_script, literals, targets
from ratchet.source.text import decode

_Question = TypeVar("_Question", bound=Callable[..., Any])


class Assigned:
    """What a name is assigned, or why nobody can tell; equal to what says the same on the same lines."""

    def __init__(self, node: ast.expr | Problem | None) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assigned) and self._said == other._said

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _said(self) -> str:
        node = self.node
        return ast.dump(node, include_attributes=True) if isinstance(node, ast.expr) else repr(node)


def _noted(question: _Question) -> _Question:
    """A question to a file whose answer is kept, so that another file can be asked the same."""

    @wraps(question)
    def ask(file: File, *given: Any) -> Any:
        key = (question, *given)
        if key not in file.answers:
            file.answers[key] = question(file, *given)
        return file.answers[key]

    return cast("_Question", ask)


class File:
    """A file, and what it has answered so far. One that is not there is as an empty one."""

    def __init__(
        self, path: str, data: bytes | Problem, module: str, is_package: bool, keywords: Keywords
    ) -> None:
        """`module` is the dotted name of the file."""
        self.path = path
        self.data = data
        self.answers: dict[tuple[Any, ...], Any] = {}
        self._module = (module, is_package, keywords)

    def agrees(self, other: File) -> bool:
        """Whether this file answers as another one did, whatever that was asked."""
        for key, answer in other.answers.items():
            self.answers[key] = key[0](self, *key[1:])
            if self.answers[key] != answer:
                return False
        return not other.is_opened or self.problem == other.problem

    def forget(self) -> None:
        """Be as one that was asked nothing."""
        self.answers.clear()
        if self.is_opened and self.problem:
            del self._calls  # what was asked before may be what could not be read

    @property
    def is_opened(self) -> bool:
        """Whether its syntax was asked for."""
        return "_calls" in self.__dict__

    # What all files are searched for; one that cannot be read may hold anything

    def has(self, word: str) -> bool:
        """Whether the bytes hold a word, and not only as a part of a longer one."""
        return isinstance(self.data, Problem) or has_word(self.data, word.encode())

    def matches(self, needle: str, pattern: str) -> bool:
        """Whether a pattern matches somewhere, which holds the needle."""
        if isinstance(self.data, Problem):
            return True
        return needle.encode() in self.data and re.search(pattern.encode(), self.data) is not None

    def imports(self, part: str, word: str) -> bool:
        """Whether the bytes hold a word, and import something whose dotted name has this part."""
        if isinstance(self.data, Problem):
            return True
        # Of all that is searched for, the imports are by far the shortest, so that they come first.
        return has_word(self._import_lines, part.encode()) and self.has(word)

    def runs(self) -> bool:
        """Whether the file does something where it is started as a script."""
        return isinstance(self.data, Problem) or is_script(self.data)

    @cached_property
    def _import_lines(self) -> bytes:
        return b"" if isinstance(self.data, Problem) else import_lines(self.data)

    # What its bytes and its text spell

    @_noted
    def names(self, word: str) -> bool:
        """The same as `has`, asked of this file alone."""
        return self.has(word)

    @_noted
    def holds(self, *texts: str) -> bool:
        """Whether the bytes may hold these texts."""
        data = self.data
        return isinstance(data, Problem) or all(text.encode() in data for text in texts)

    @_noted
    def is_script(self) -> bool:
        """Whether it does something where it is started as a script; not where it is unreadable."""
        return not isinstance(self.data, Problem) and is_script(self.data)

    @_noted
    def defines(self, name: str) -> bool:
        """Whether it plainly defines a function under a name, once; False says nothing."""
        return not isinstance(self.data, Problem) and defines(self.data, name)

    @_noted
    def targets(self, starts: str) -> frozenset[str] | None:
        """The names of the functions that it starts as processes; None where they cannot be told."""
        text = self._text
        return None if isinstance(text, Problem) else targets(text, starts)

    @_noted
    def literals(self, keyword: str) -> frozenset[str] | None:
        """The texts given as a keyword argument; None where something else is given, or may be."""
        text = self._text
        return None if isinstance(text, Problem) else literals(text, keyword)

    # What its syntax says

    @_noted
    def scope(self, name: str) -> ScopeFacts:
        """One scope, an empty one where there is none of that name."""
        return self._calls.scope(name)

    @_noted
    def around(self, *patterns: str) -> tuple[tuple[str, ScopeFacts], ...]:
        """The scopes that may run a line on which one of these patterns begins to match."""
        text = self._text
        found = () if isinstance(text, Problem) else (lines_of(text, re.compile(item)) for item in patterns)
        return tuple(self._calls.around({line for lines in found for line in lines}))

    @_noted
    def kind(self, name: str) -> ScopeKind | None:
        """What a scope is, None where there is none of that name."""
        return self._calls.kind(name)

    @_noted
    def marks(self, name: str) -> tuple[str, ...]:
        """The chains of the decorators of a scope; none where there is none of that name."""
        return self._calls.marks(name) if self._calls.kind(name) else ()

    @_noted
    def methods(self, owner: str) -> list[str]:
        """The names of the functions that stand in a class body."""
        return self._calls.methods(owner)

    @_noted
    def attributes(self, owner: str, name: str) -> tuple[tuple[str, str], ...]:
        """What a class assigns to an attribute of its instances: the method that does, and the form."""
        return self._calls.attributes(owner, name) if self._calls.kind(owner) else ()

    @property
    def stars(self) -> tuple[str, ...]:
        """The modules of which it imports everything."""
        return self._stars()

    @property
    def main(self) -> tuple[tuple[int, int], ...]:
        """The lines that run only where it is started as a script."""
        return self._main()

    @property
    def problem(self) -> Problem | None:
        """Why it, or a function in it that was asked for, could not be read."""
        return self._calls.problem

    @_noted
    def _stars(self) -> tuple[str, ...]:
        return self._calls.stars

    @_noted
    def _main(self) -> tuple[tuple[int, int], ...]:
        return self._calls.main

    @_noted
    def parameters(self, scope: str) -> tuple[Parameters, ...]:
        """The parameters of a function, once for each of its definitions."""
        return () if isinstance(self._tree, Problem) else parameters_of(self._tree, scope)

    @_noted
    def arguments(self, scope: str, word: str) -> tuple[Arguments, ...]:
        """The calls in a scope of what has a word for its last name."""
        return () if isinstance(self._tree, Problem) else arguments_of(self._tree, scope, word)

    @_noted
    def assigned(self, name: str) -> Assigned:
        """What it assigns to a name at its top, first."""
        tree = self._tree
        return Assigned(tree if isinstance(tree, Problem) else _assigned(tree, name))

    @cached_property
    def _tree(self) -> ast.Module | Problem:
        text = self._text
        if isinstance(text, Problem):
            return text
        try:
            with deep_and_undisturbed():
                return parse(text)
        except SyntaxError as error:
            return Problem(self.path, error.lineno or 0, f"does not parse: {error.msg}")
        except (RecursionError, MemoryError, ValueError):
            return Problem(self.path, 0, "cannot be parsed")

    @cached_property
    def _calls(self) -> FileCalls:
        text = self._text
        if isinstance(text, Problem):
            return Unread(text)
        try:
            with deep_and_undisturbed():
                return FileCalls(self.path, text, *self._module)
        except SyntaxError as error:
            return Unread(Problem(self.path, error.lineno or 0, f"does not parse: {error.msg}"))
        except (RecursionError, MemoryError, ValueError):
            return Unread(Problem(self.path, 0, "is nested too deeply to be walked"))

    @cached_property
    def _text(self) -> str | Problem:
        """The text, or why there is none."""
        if isinstance(self.data, Problem):
            return self.data
        if is_risky(self.data):
            return Problem(self.path, 0, "is too large to be parsed beside other files")
        return decode(self.data, self.path)


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return node.value
    return None
