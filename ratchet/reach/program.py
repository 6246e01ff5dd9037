"""The files of a tree as a program: modules by name, and what each says about calls, read when needed."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ratchet.analysis.modules import module_name
from ratchet.judge import deep_and_undisturbed, is_risky, parse
from ratchet.matching.paths import path_filter
from ratchet.model import Problem
from ratchet.reach.calls import FileCalls, Unread, lines_of
from ratchet.reach.extract import Keywords
from ratchet.reach.facts import MAIN, ScopeFacts
from ratchet.source.entries import Source
from ratchet.source.text import decode as decode_text

_Search = Callable[[bytes], bool]

_SCRIPT = re.compile(rb"^if\s+\(?__name__\s*==\s*[\"']__main__[\"']", re.MULTILINE)
_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)\b[^\n]*\n?", re.MULTILINE)
_BINDS = re.compile(rb"[ \t]*[=:]")
_WORD = re.compile(rb"\w")


class Program:
    """The calls of one source, file by file; `outside` are the paths that are no part of it.

    `modules` are paths by dotted name, `folders` the dotted names that hold modules.
    """

    def __init__(self, source: Source, package: str, keywords: Keywords, outside: Sequence[str] = ()) -> None:
        self.package = package
        self._source = source
        self._keywords = keywords
        self._calls: dict[str, FileCalls] = {}
        self._data: dict[str, bytes | Problem] = {}
        self._imports: dict[str, bytes | None] = {}
        self._holding: dict[str, tuple[str, ...]] = {}
        self._opened: set[str] = set()
        self._searches: list[_Search] = []
        self._outside = outside
        out = path_filter(outside)
        self.paths = tuple(entry.path for entry in source.entries() if not (outside and out(entry.path)))
        self.known = frozenset(self.paths)
        self.modules = {module_name(package, path)[0]: path for path in self.paths}
        names = (name.split(".") for name in self.modules)
        self.folders = frozenset(".".join(parts[:end]) for parts in names for end in range(1, len(parts)))

    def calls(self, path: str) -> FileCalls:
        """What a file says about calls; one that cannot be read or parsed says its problem instead."""
        self._opened.add(path)
        found = self._calls.get(path)
        if found is None:
            found = self._calls[path] = self._read(path)
        return found

    def scope(self, path: str, name: str) -> ScopeFacts:
        """One scope of a file, an empty one where it has none of that name."""
        return self.calls(path).scope(name)

    def around(self, path: str, pattern: str) -> Iterator[tuple[str, ScopeFacts]]:
        """The scopes of a file that may run a line on which a pattern begins to match."""
        text = self.text(path)
        lines = [] if isinstance(text, Problem) else lines_of(text, re.compile(pattern))
        yield from self.calls(path).around(lines)

    def defines(self, path: str, name: str) -> bool:
        """Whether a module plainly defines a function under a name, once; False says nothing."""
        self._opened.add(path)
        data = self._bytes(path)
        if isinstance(data, Problem):
            return False
        line = b"\n" + name.encode()
        at = data.find(line)
        while at >= 0:  # anything else that the module binds the name to
            if _BINDS.match(data, at + len(line)):
                return False
            at = data.find(line, at + len(line))
        return data.count(b"\ndef %s(" % line[1:]) + data.count(b"\nasync def %s(" % line[1:]) == 1

    def tree(self, path: str) -> ast.Module | Problem:
        """The syntax tree of a file, or why there is none."""
        text = self.text(path)
        if isinstance(text, Problem):
            return text
        try:
            with deep_and_undisturbed():
                return parse(text)
        except SyntaxError as error:
            return Problem(path, error.lineno or 0, f"does not parse: {error.msg}")
        except (RecursionError, MemoryError, ValueError):
            return Problem(path, 0, "cannot be parsed")

    def holding(self, rare: str, word: str = "") -> Iterator[str]:
        """The files whose bytes hold these words, in order, and those that cannot be read.

        The files that hold the `rare` word are remembered.
        """
        paths = self._holding.get(rare)
        if paths is None:
            needle = rare.encode()
            paths = self._holding[rare] = tuple(self._found(lambda data: _has_word(data, needle)))
        if word:
            self._opened.update(paths)
        yield from (path for path in paths if not word or self._has(path, word))

    def _has(self, path: str, word: str) -> bool:
        data = self._bytes(path)
        return isinstance(data, Problem) or _has_word(data, word.encode())

    def _found(self, search: _Search) -> Iterator[str]:
        """The files whose bytes a search finds, in order, and those that cannot be read."""
        self._searches.append(search)
        for path in self.paths:
            data = self._bytes(path)
            if isinstance(data, Problem) or search(data):
                yield path

    def matching(self, needle: str, pattern: str) -> Iterator[str]:
        """The files with a text in which a pattern matches, in order, and those that cannot be read."""
        word, wanted = needle.encode(), re.compile(pattern.encode())
        yield from self._found(lambda data: word in data and wanted.search(data) is not None)

    def importing(self, part: str, word: str) -> Iterator[str]:
        """The files that hold a word, and import something whose dotted name has this part, in order.

        Those that cannot be read are among them.
        """
        needle, wanted = part.encode(), word.encode()
        self._searches.append(lambda data: _imports_part(data, needle) and _has_word(data, wanted))
        for path in self.paths:
            lines = self._importing_lines(path)
            if lines is None or (_has_word(lines, needle) and self._has(path, word)):
                yield path

    def _importing_lines(self, path: str) -> bytes | None:
        """The lines of a file that import something; None where it cannot be read."""
        if path not in self._imports:
            data = self._bytes(path)
            self._imports[path] = None if isinstance(data, Problem) else _import_lines(data)
        return self._imports[path]

    def holds(self, path: str, words: Sequence[str]) -> bool:
        """Whether the bytes of a file may hold these words: no for one that is not there."""
        self._opened.add(path)
        data = self._bytes(path) if path in self.known else b""
        return isinstance(data, Problem) or all(word.encode() in data for word in words)

    def scripts(self) -> Iterator[str]:
        """The files that do something where they are started as scripts, in order."""
        yield from self._found(_is_script)

    def is_script(self, path: str) -> bool:
        """Whether a file does something where it is started as a script."""
        self._opened.add(path)
        data = self._bytes(path)
        return not isinstance(data, Problem) and _is_script(data)

    # What was found out in one tree, and the next tree

    def depends_on(self, changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> bool:
        """Whether what was asked so far may be answered otherwise after files changed.

        `changed` are the bytes of files before and after, None where there is no file.
        """
        return any(self._is_asked(path, *texts) for path, texts in changed.items())

    def _is_asked(self, path: str, before: bytes | None, after: bytes | None) -> bool:
        if path in self._opened:
            return True
        old, new = before or b"", after or b""
        if any(search(old) != search(new) for search in self._searches):
            return True
        if (before is None) == (after is None):
            return False
        # Only who writes the last part of its name can mean a module.
        name = module_name(self.package, path)[0].rpartition(".")[2].encode()
        return any(name in data for each in self._opened if isinstance(data := self._bytes(each), bytes))

    def after(self, source: Source, changed: Collection[str]) -> Program:
        """The program of a tree in which some files changed; what is known of the others is kept."""
        program = Program(source, self.package, self._keywords, self._outside)
        program._data = {path: data for path, data in self._data.items() if path not in changed}
        program._calls = {path: calls for path, calls in self._calls.items() if path not in changed}
        program._imports = {path: lines for path, lines in self._imports.items() if path not in changed}
        return program

    def problems(self) -> tuple[Problem, ...]:
        """The files that were asked for and could not be read."""
        asked = (calls for path, calls in self._calls.items() if path in self._opened)
        found = [calls.problem for calls in asked if calls.problem]
        return tuple(sorted(found, key=lambda problem: problem.path))

    def _read(self, path: str) -> FileCalls:
        text = self.text(path)
        if isinstance(text, Problem):
            return Unread(text)
        module, is_package = module_name(self.package, path)
        try:
            with deep_and_undisturbed():
                return FileCalls(path, text, module, is_package, self._keywords)
        except SyntaxError as error:
            return Unread(Problem(path, error.lineno or 0, f"does not parse: {error.msg}"))
        except (RecursionError, MemoryError, ValueError):
            return Unread(Problem(path, 0, "is nested too deeply to be walked"))

    def text(self, path: str) -> str | Problem:
        """The text of a file, or why there is none."""
        self._opened.add(path)
        data = self._bytes(path)
        if isinstance(data, Problem):
            return data
        if is_risky(data):
            return Problem(path, 0, "is too large to be parsed beside other files")
        return decode_text(data, path)

    def _bytes(self, path: str) -> bytes | Problem:
        data = self._data.get(path)
        if data is None:
            data = self._data[path] = self._source.read(path)
        return data


def _is_script(data: bytes) -> bool:
    return MAIN.encode() in data and _SCRIPT.search(data) is not None


def _import_lines(data: bytes) -> bytes:
    return b"".join(_IMPORTS.findall(data))


def _imports_part(data: bytes, part: bytes) -> bool:
    return part in data and _has_word(_import_lines(data), part)


def _has_word(data: bytes, word: bytes) -> bool:
    """Whether bytes hold a word, and not only as a part of a longer one."""
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_WORD.match(data, end) or (at and _WORD.match(data, at - 1))):
            return True
        at = data.find(word, end)
    return False
