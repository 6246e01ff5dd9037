"""The files of a tree as a program: modules by name, and what each says about calls, read when needed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, TypeVar, overload

from ratchet.analysis.modules import module_name
from ratchet.matching.paths import path_filter
from ratchet.model import Problem
from ratchet.reach.facts import Keywords, ScopeFacts
from ratchet.reach.file import File
from ratchet.reach.handing import Arguments, Parameters
from ratchet.source.entries import Source

_Search = tuple[Callable[..., bool], tuple[str, ...]]
"""What every file is asked, and what about."""

_Known = TypeVar("_Known")


class Names(Generic[_Known]):
    """What is known under names; which were asked for is noted."""

    def __init__(self, known: Mapping[str, _Known]) -> None:
        self._known = known
        self.asked: dict[str, _Known | None] = {}

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __getitem__(self, name: str) -> _Known:
        return self._known[name]

    @overload
    def get(self, name: str) -> _Known | None: ...
    @overload
    def get(self, name: str, default: _Known) -> _Known: ...
    def get(self, name: str, default: _Known | None = None) -> _Known | None:
        """What is known under a name; the default where that is nothing."""
        found = self.asked[name] = self._known.get(name)
        return default if found is None else found

    def agrees(self, other: Names[_Known]) -> bool:
        """Whether the same is known here under the names that others were asked for."""
        return all(self.get(name) == found for name, found in other.asked.items())


class Program:
    """The calls of one source, file by file; `outside` are the paths that are no part of it.

    `modules` are paths by dotted name, `folders` the dotted names that hold modules.
    """

    def __init__(self, source: Source, package: str, keywords: Keywords, outside: Sequence[str] = ()) -> None:
        self.package = package
        self._keywords = keywords
        self._is_out = path_filter(outside) if outside else lambda path: False
        self._files: dict[str, File] = {}
        self._opened: dict[str, None] = {}
        self._found: dict[_Search, set[str]] = {}
        self._searched: set[_Search] = set()
        self._enter(source)

    def _enter(self, source: Source) -> None:
        self._source = source
        self.paths = tuple(entry.path for entry in source.entries() if not self._is_out(entry.path))
        self._there = frozenset(self.paths)
        modules = {module_name(self.package, path)[0]: path for path in self.paths}
        names = (name.split(".") for name in modules)
        folders = {".".join(parts[:end]) for parts in names for end in range(1, len(parts))}
        self.modules = Names(modules)
        self.folders = Names(dict.fromkeys(folders, True))

    def calls(self, path: str) -> File:
        """A file, to be asked; one that cannot be read or parsed says its problem instead."""
        self._opened[path] = None
        return self._file(path)

    def scope(self, path: str, name: str) -> ScopeFacts:
        """One scope of a file, an empty one where it has none of that name."""
        return self.calls(path).scope(name)

    def around(self, path: str, *patterns: str) -> tuple[tuple[str, ScopeFacts], ...]:
        """The scopes of a file that may run a line on which one of these patterns begins to match."""
        return self.calls(path).around(*patterns)

    def defines(self, path: str, name: str) -> bool:
        """Whether a module plainly defines a function under a name, once; False says nothing."""
        return self._file(path).defines(name)

    def assigned(self, path: str, name: str) -> ast.expr | Problem | None:
        """What a module first assigns to a name at its top, None where it does not; or why nobody knows."""
        return self._file(path).assigned(name).node

    def parameters(self, path: str, scope: str) -> tuple[Parameters, ...]:
        """The parameters of a function, once for each of its definitions."""
        return self._file(path).parameters(scope)

    def arguments(self, path: str, scope: str, word: str) -> tuple[Arguments, ...]:
        """The calls in a scope of what has a word for its last name."""
        return self._file(path).arguments(scope, word)

    def holds(self, path: str, texts: Sequence[str]) -> bool:
        """Whether the bytes of a file may hold these texts: no for one that is not there."""
        return self._file(path).holds(*texts)

    def is_script(self, path: str) -> bool:
        """Whether a file does something where it is started as a script."""
        return self._file(path).is_script()

    def targets(self, path: str, starts: str) -> frozenset[str] | None:
        """The names of the functions that a file starts as processes; None where they cannot be told."""
        return self._file(path).targets(starts)

    def literals(self, path: str, keyword: str) -> frozenset[str] | None:
        """The texts that a file gives as a keyword argument; None where it gives, or may give, others."""
        return self._file(path).literals(keyword)

    # Searches of all files

    def holding(self, rare: str, word: str = "") -> Iterator[str]:
        """The files whose bytes hold these words, in order, and those that cannot be read.

        All files are searched for the `rare` word.
        """
        found = self._search(File.has, rare)
        return (path for path in found if not word or self._file(path).names(word))

    def matching(self, needle: str, pattern: str) -> list[str]:
        """The files with a text in which a pattern matches, in order, and those that cannot be read."""
        return self._search(File.matches, needle, pattern)

    def importing(self, part: str, word: str) -> list[str]:
        """The files that hold a word, and import something whose dotted name has this part, in order.

        Those that cannot be read are among them.
        """
        return self._search(File.imports, part, word)

    def scripts(self) -> list[str]:
        """The files that do something where they are started as scripts, in order."""
        return self._search(File.runs)

    def _search(self, question: Callable[..., bool], *given: str) -> list[str]:
        search = (question, given)
        self._searched.add(search)
        found = self._found.get(search)
        if found is None:
            found = {path for path in self.paths if question(self._file(path), *given)}
            self._found[search] = found
        return sorted(found)

    # One tree after the other

    def follow(self, source: Source, changed: Collection[str]) -> bool:
        """Go on to a tree in which some files changed; says whether what was asked is answered as before.

        Where it is not, all that was asked counts as forgotten; what is known of other files is kept.
        """
        within = [path for path in changed if not self._is_out(path)]
        listed = {entry.path for entry in source.entries()}
        same = True
        if any((path in listed) != (path in self._there) for path in within):
            modules, folders = self.modules, self.folders
            self._enter(source)
            same = self.modules.agrees(modules) and self.folders.agrees(folders)
        self._source = source
        for path in within:
            same &= self._reread(path)
        if not same:
            self._forget()
        return same

    def _reread(self, path: str) -> bool:
        """Take a file as it is now; says whether it answers as before."""
        old = self._files.pop(path, None)
        if old is None and not self._found:
            return True
        new = self._file(path)
        if old is not None and new.data == old.data:
            self._files[path] = old
            return True
        same = old is None or new.agrees(old)
        for (question, given), found in self._found.items():
            if question(new, *given) != (path in found):
                found ^= {path}
                same &= (question, given) not in self._searched
        return same

    def _forget(self) -> None:
        for file in self._files.values():
            file.forget()
        for asked in (self.modules.asked, self.folders.asked, self._opened, self._searched):
            asked.clear()

    def problems(self) -> tuple[Problem, ...]:
        """The files that were asked for and could not be read."""
        found = [problem for path in self._opened if (problem := self._file(path).problem)]
        return tuple(sorted(found, key=lambda problem: problem.path))

    def _file(self, path: str) -> File:
        found = self._files.get(path)
        if found is None:
            data = self._source.read(path) if path in self._there else b""
            module, is_package = module_name(self.package, path)
            found = self._files[path] = File(path, data, module, is_package, self._keywords)
        return found
