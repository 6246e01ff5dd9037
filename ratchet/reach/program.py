"""The files of a tree as a program: modules by name, and what each says about calls, read when needed."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from ratchet.analysis.modules import module_name
from ratchet.cache import Cache
from ratchet.judge import deep_and_undisturbed, is_risky, parse
from ratchet.matching.paths import path_filter
from ratchet.model import Problem
from ratchet.reach.extract import VERSION, Keywords, calls_of
from ratchet.reach.facts import MAIN, FileCalls, ScopeFacts, decode, encode
from ratchet.source.blob import blob_id
from ratchet.source.entries import Source
from ratchet.source.text import decode as decode_text

_SCRIPT = re.compile(rb"^if\s+\(?__name__\s*==\s*[\"']__main__[\"']", re.MULTILINE)
NO_SCOPE = ScopeFacts("module", 0)


class Program:
    """The calls of one source, file by file, out of the cache where a file is unchanged.

    `blobs` are the ids of contents that are known already, `outside` the paths that are no part of it.
    `modules` are paths by dotted name, `folders` the dotted names that hold modules.
    """

    def __init__(
        self,
        source: Source,
        package: str,
        keywords: Keywords,
        cache: Cache,
        blobs: Mapping[str, str] | None = None,
        outside: Sequence[str] = (),
    ) -> None:
        self.package = package
        self._source = source
        self._keywords = keywords
        self._cache = cache
        self._blobs = dict(blobs or {})
        self._calls: dict[str, FileCalls] = {}
        self._fresh: dict[str, str] = {}
        self._data: dict[str, bytes | Problem] = {}
        out = path_filter(outside)
        self.paths = tuple(entry.path for entry in source.entries() if not (outside and out(entry.path)))
        self.known = frozenset(self.paths)
        self.modules = {module_name(package, path)[0]: path for path in self.paths}
        names = (name.split(".") for name in self.modules)
        self.folders = frozenset(".".join(parts[:end]) for parts in names for end in range(1, len(parts)))
        self._version = hashlib.sha256(f"{VERSION} {keywords}".encode()).hexdigest()[:16]

    def calls(self, path: str) -> FileCalls:
        """What a file says about calls; one that cannot be read or parsed says its problem instead."""
        found = self._calls.get(path)
        if found is None:
            found = self._calls[path] = self._known(path) or self._read(path)
        return found

    def scope(self, path: str, name: str) -> ScopeFacts:
        """One scope of a file, an empty one where it has none of that name."""
        return self.calls(path).scopes.get(name, NO_SCOPE)

    def tree(self, path: str) -> ast.Module | Problem:
        """The syntax tree of a file, or why there is none."""
        text = self._text(path)
        if isinstance(text, Problem):
            return text
        try:
            with deep_and_undisturbed():
                return parse(text)
        except SyntaxError as error:
            return Problem(path, error.lineno or 0, f"does not parse: {error.msg}")
        except (RecursionError, MemoryError, ValueError):
            return Problem(path, 0, "cannot be parsed")

    def holding(self, words: Sequence[str]) -> Iterator[str]:
        """The files whose bytes hold each of these words, in order, and those that cannot be read."""
        needles = [word.encode() for word in words]
        wanted = [re.compile(rb"(?<!\w)" + re.escape(needle) + rb"(?!\w)") for needle in needles]
        for path in self.paths:
            data = self._bytes(path)
            if isinstance(data, Problem) or (
                all(needle in data for needle in needles) and all(regex.search(data) for regex in wanted)
            ):
                yield path

    def importing(self, part: str, word: str) -> Iterator[str]:
        """The files that hold a word, and import something whose dotted name has this part."""
        imports = re.compile(
            rb"^[ \t]*(?:from|import)\b[^\n]*\b" + re.escape(part.encode()) + rb"\b", re.MULTILINE
        )
        for path in self.holding([word]):
            data = self._bytes(path)
            if isinstance(data, Problem) or imports.search(data):
                yield path

    def holds(self, path: str, words: Sequence[str]) -> bool:
        """Whether the bytes of a file hold these words; False for one that is not there."""
        data = self._bytes(path) if path in self.known else b""
        return isinstance(data, bytes) and all(word.encode() in data for word in words)

    def scripts(self) -> Iterator[str]:
        """The files that do something where they are started as scripts, in order."""
        for path in self.paths:
            data = self._bytes(path)
            if not isinstance(data, Problem) and MAIN.encode() in data and _SCRIPT.search(data):
                yield path

    def problems(self) -> tuple[Problem, ...]:
        """The files that were asked for and could not be read."""
        found = [Problem(path, 0, calls.problem) for path, calls in self._calls.items() if calls.problem]
        return tuple(sorted(found, key=lambda problem: problem.path))

    def close(self) -> None:
        """Record what was read in the cache."""
        self._cache.put_facts(self._fresh)
        self._fresh = {}

    def _known(self, path: str) -> FileCalls | None:
        blob = self._blobs.get(path)
        text = self._cache.get_facts([self._key(path, blob)]).get(self._key(path, blob)) if blob else None
        try:
            return decode(text) if text else None
        except (ValueError, TypeError, KeyError):
            return None

    def _read(self, path: str) -> FileCalls:
        tree = self.tree(path)
        if isinstance(tree, Problem):
            return FileCalls(problem=f"line {tree.line}: {tree.message}" if tree.line else tree.message)
        module, is_package = module_name(self.package, path)
        try:
            with deep_and_undisturbed():
                calls = calls_of(tree, module, is_package, self._keywords)
        except RecursionError:
            return FileCalls(problem="is nested too deeply to be walked")
        data = self._bytes(path)
        if isinstance(data, bytes):
            self._fresh[self._key(path, blob_id(data))] = encode(calls)
        return calls

    def _text(self, path: str) -> str | Problem:
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

    def _key(self, path: str, blob: str) -> str:
        return f"calls {self._version} {blob} {path}"
