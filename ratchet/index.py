"""Joins what files export: which of it matters to a file, and which further files may hold a learned name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping

from ratchet.analysis.encoding import export_rows
from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.analysis.values import Value
from ratchet.frozen import dataclass
from ratchet.source.text import Prefilter

_CLASS_HEADER = re.compile(rb"^[ \t]*class[ \t]+\w+[^(\n:]*\(([^)]*)\)", re.MULTILINE)
_NAME = re.compile(rb"\w+")


@dataclass(frozen=True, slots=True)
class Index:
    """The exports of all files together, and the same grouped by the name that an importer writes.

    `groups` maps a dotted name (a module-level name, or a class) to the dotted names exported below it, and
    `holders` each module or class around such a name to all of these inside of it.
    """

    exports: Exports
    groups: Mapping[str, tuple[str, ...]]
    holders: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, files: Iterable[FileFacts]) -> Index:
        """Join the exports of files."""
        names: dict[str, Value] = {}
        returns: dict[str, Value] = {}
        bases: dict[str, tuple[str, ...]] = {}
        for facts in files:
            names.update(facts.exports.names)
            returns.update(facts.exports.returns)
            bases.update(facts.exports.bases)
        return cls.over(Exports(names, returns, bases))

    @classmethod
    def over(cls, exports: Exports) -> Index:
        """The index over joined exports."""
        exports = _leading(exports)
        groups: dict[str, list[str]] = {}
        for name in {**exports.names, **exports.returns, **exports.bases}:
            groups.setdefault(name, []).append(name)
            owner = name.rpartition(".")[0]
            if owner in exports.bases:
                groups.setdefault(owner, []).append(name)
        holders: dict[str, list[str]] = {}
        for name in groups:
            holder = name.rpartition(".")[0]
            while holder:
                holders.setdefault(holder, []).append(name)
                holder = holder.rpartition(".")[0]
        return cls(
            exports,
            {name: tuple(sorted(set(below))) for name, below in groups.items()},
            {holder: tuple(inside) for holder, inside in holders.items()},
        )

    def relevant(self, imports: Iterable[str], own_module: str) -> Exports:
        """The exports of other files that a file with these imports may use."""
        wanted: set[str] = set()
        pending = self._imported(imports)
        while pending:
            name = pending.pop()
            for below in self.groups.get(name, ()):
                if below not in wanted:
                    wanted.add(below)
                    pending.extend((below, *self.exports.bases.get(below, ())))
        wanted = {name for name in wanted if not name.startswith(f"{own_module}.")}
        return self._only(wanted) if wanted else NO_EXPORTS

    def is_mentioned(self, outside: Exports, data: bytes) -> bool:
        """Whether a file with these bytes writes a name that it is told of, behind its module's or without.

        The attributes of a class are written on its objects, which need no name of the class around them.
        """
        names = [*outside.names, *outside.returns, *outside.bases]
        for name in names:
            owner, _, leaf = name.rpartition(".")
            free = name in outside.bases or owner in self.exports.bases
            if leaf.encode() in data and (free or owner.rpartition(".")[2].encode() in data):
                return True
        return Prefilter.of(name.rpartition(".")[2] for name in names).hides(data)

    def _imported(self, imports: Iterable[str]) -> list[str]:
        """The exported names that imports bring: the names themselves, or all names of a module."""
        found: list[str] = []
        groups, holders = self.groups, self.holders
        for imported in imports:
            if imported in groups:
                found.append(imported)
            inside = holders.get(imported[:-2] if imported.endswith(".*") else imported)
            if inside:
                found.extend(inside)
        return found

    def _only(self, wanted: set[str]) -> Exports:
        ordered = sorted(wanted)
        names, returns, bases = self.exports.names, self.exports.returns, self.exports.bases
        return Exports(
            {name: names[name] for name in ordered if name in names},
            {name: returns[name] for name in ordered if name in returns},
            {name: bases[name] for name in ordered if name in bases},
        )

    def learned(self, known: Iterable[str], needles: Iterable[bytes] = ()) -> Learned:
        """The names that the exports teach beyond those known from the start.

        A name with one of the `needles` in it, for which all files were searched before, teaches nothing.
        """
        words, searched = set(known), tuple(needles)
        pairs = set()
        for name in (*self.exports.names, *self.exports.returns):
            owner, _, leaf = name.rpartition(".")
            if leaf not in words:
                holder = owner.rpartition(".")[2] if owner in self.exports.bases else leaf
                pairs.add((holder.encode(), leaf.encode()))
        holders = {name for name in self.exports.bases if self._holds(name, words, set())}
        classes = {name.rpartition(".")[2].encode() for name in holders}
        fresh = sorted(pair for pair in pairs if not _holds_any(pair, searched))
        return Learned(tuple(fresh), frozenset(name for name in classes if not _holds_any([name], searched)))

    def _holds(self, class_name: str, known: set[str], seen: set[str]) -> bool:
        """Whether a class, or a base of it, exports an attribute under a name that was not known before."""
        if class_name in seen:
            return False
        seen.add(class_name)
        below = self.groups.get(class_name, ())
        if any(name != class_name and name.rpartition(".")[2] not in known for name in below):
            return True
        return any(self._holds(base, known, seen) for base in self.exports.bases.get(class_name, ()))


def _holds_any(words: Iterable[bytes], needles: Iterable[bytes]) -> bool:
    return any(needle in word for word in words for needle in needles)


def _leading(exports: Exports) -> Exports:
    """The exports without the classes that lead, over their bases, to nothing that is exported."""
    leading = {name.rpartition(".")[0] for name in (*exports.names, *exports.returns)}
    pending = True
    while pending:
        found = {name for name, bases in exports.bases.items() if name not in leading and leading & {*bases}}
        leading |= found
        pending = bool(found)
    bases = {name: bases for name, bases in exports.bases.items() if name in leading}
    return Exports(exports.names, exports.returns, bases)


@dataclass(frozen=True, slots=True)
class Learned:
    """Byte words to search for: a file matters that holds both words of a pair, or derives from a class."""

    pairs: tuple[tuple[bytes, bytes], ...]
    classes: frozenset[bytes]

    def __bool__(self) -> bool:
        return bool(self.pairs or self.classes)

    def beyond(self, other: Learned) -> Learned:
        """What was learned that another search has not looked for."""
        return Learned(
            tuple(pair for pair in self.pairs if pair not in other.pairs), self.classes - other.classes
        )

    def hits(self, data: bytes) -> bool:
        """Whether a file may use a learned name."""
        if any(leaf in data and holder in data for holder, leaf in self.pairs):
            return True
        if not any(name in data for name in self.classes):
            return False
        headers = _CLASS_HEADER.findall(data)
        return any(name in self.classes for header in headers for name in _NAME.findall(header))


def digest(exports: Exports) -> str:
    """A short hash of exports; empty for none."""
    if not exports:
        return ""
    return hashlib.sha256(json.dumps(export_rows(exports)).encode()).hexdigest()[:24]
