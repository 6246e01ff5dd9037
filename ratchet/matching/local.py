"""The rules that one file decides alone: text, calls, imports, globals and patterns."""

from __future__ import annotations

import ast
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ratchet.analysis.imports import module_name
from ratchet.analysis.lines import Hits, Lines
from ratchet.matching.calls import STAR_IMPORTS, NameRule, find_names, name_rule, span_of
from ratchet.matching.engines import engine_applies
from ratchet.matching.names import Names
from ratchet.matching.paths import path_filter
from ratchet.matching.pattern import Snippet, compile_pattern
from ratchet.matching.snippets import find_snippets
from ratchet.matching.text import TextRule, find_text, text_rule
from ratchet.matching.visit import visit
from ratchet.model import Kind, Match, NameMatch, PatternMatch, Rule, TextMatch
from ratchet.source.text import Prefilter

LOCAL_KINDS: frozenset[Kind] = frozenset({"text", "call", "import", "global", "pattern"})

Needles = tuple[tuple[str, ...], ...]
"""Words without which a rule finds nothing: all of one of the groups must be there; empty where unknown."""

_STEM = 10


@dataclass(frozen=True, slots=True)
class _Part:
    """A rule made ready; `detail` is what its kind looks for."""

    id: str
    looks_at: Callable[[str], bool]
    needles: Needles
    detail: NameRule | TextRule | tuple[Snippet, ...] | None

    def may_be_in(self, text: str) -> bool:
        """Whether a text holds the words that the rule needs."""
        return not self.needles or any(all(word in text for word in group) for group in self.needles)


class LocalPlan:
    """The local ones of a tree's rules, ready to run on its files; pickled as the rules that it came from."""

    def __init__(self, rules: Sequence[Rule], package: str, engine: str | None = None) -> None:
        self.rules = tuple(rule for rule in rules if rule.kind in LOCAL_KINDS)
        self.package = package
        self.engine = engine
        self._parts = tuple(
            _part(rule, engine) for rule in self.rules if engine_applies(rule.engines, engine)
        )
        longest = {max(group, key=len) for part in self._parts for group in part.needles}
        self._prefilter = Prefilter.of(_stems(longest))
        self._always = any(not part.needles for part in self._parts)

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalPlan, (self.rules, self.package, self.engine))

    @property
    def needles(self) -> Mapping[str, Needles]:
        """The words that each rule needs, by its id."""
        return {part.id: part.needles for part in self._parts}

    def wants(self, data: bytes) -> bool:
        """Whether a rule may find something in a file with these bytes."""
        return self._always or self._prefilter.hits(data)

    def match(self, path: str, text: str, data: bytes, tree: Callable[[], ast.Module]) -> tuple[Match, ...]:
        """What the rules find in the file at `path`, which holds `text` as the bytes `data`, by position.

        `tree` parses the text when a rule needs that; what it raises is passed on.
        """
        if not self.wants(data):
            return ()
        folded = _folded(text)
        parts = [part for part in self._parts if part.looks_at(path) and part.may_be_in(folded)]
        if not parts:
            return ()
        textual = [part.detail for part in parts if isinstance(part.detail, TextRule)]
        found = [match for rule in textual for match in find_text(rule, text)]
        if len(textual) < len(parts):
            names = Names(*module_name(self.package, path), text)
            found += _find_in_tree(parts, tree(), Lines(text), names)
        return tuple(sorted(found, key=lambda match: (match.span.line, match.span.column, match.rule)))


def compile_local(rules: Sequence[Rule], package: str, engine: str | None = None) -> LocalPlan:
    """The local rules of a tree, made ready for the engine version that it has."""
    return LocalPlan(rules, package, engine)


def _part(rule: Rule, engine: str | None) -> _Part:
    needles: Needles
    detail: NameRule | TextRule | tuple[Snippet, ...] | None = None
    if isinstance(rule.match, TextMatch):
        detail = text_rule(rule, rule.match)
        needles = tuple((word,) for word in detail.needed)
    elif isinstance(rule.match, NameMatch):
        detail = name_rule(rule, rule.match, engine)
        stars = STAR_IMPORTS if detail.counts_imports and not detail.renamed else ()
        needles = tuple((word,) for word in (*detail.words, *stars))
    elif isinstance(rule.match, PatternMatch):
        where = rule.match.where
        detail = tuple(compile_pattern(snippet, where) for snippet in rule.match.patterns)
        needles = tuple(snippet.words for snippet in detail) if all(one.words for one in detail) else ()
    else:
        needles = (("global",),)
    return _Part(rule.id, path_filter(rule.paths) if rule.paths else _everywhere, needles, detail)


def _find_in_tree(parts: Sequence[_Part], tree: ast.Module, lines: Lines, names: Names) -> Iterator[Match]:
    named = [part.detail for part in parts if isinstance(part.detail, NameRule)]
    if named:
        yield from find_names(named, tree, lines, names)
    for part in parts:
        if isinstance(part.detail, tuple):
            yield from find_snippets(part.id, part.detail, tree, lines)
        elif part.detail is None:
            yield from _find_globals(part.id, tree, lines)


def _everywhere(_path: str) -> bool:
    return True


def _find_globals(rule: str, tree: ast.Module, lines: Lines) -> Iterator[Match]:
    seen: set[tuple[str, str]] = set()
    for found in visit(tree, Hits(lines, ("global",))):
        if isinstance(found.node, ast.Global) and found.place.name:
            for name in found.node.names:
                if (found.place.name, name) not in seen:
                    seen.add((found.place.name, name))
                    yield Match(rule, span_of(found.node, lines), found.place.name, f"global {name}")


def _folded(text: str) -> str:
    """A text with its identifiers as Python reads them."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return text + unicodedata.normalize("NFKC", text)


def _stems(words: set[str]) -> list[str]:
    """A few texts, one of which each of the words contains, so that fewer searches do."""
    chosen: list[str] = []
    left = set(words)
    while left:
        parts = (
            {word[start : start + _STEM] for start in range(max(1, len(word) - _STEM + 1))} for word in left
        )
        counts = Counter(part for some in parts for part in some)
        stem = max(counts, key=lambda part: (counts[part], part))
        chosen.append(stem)
        left = {word for word in left if stem not in word}
    return chosen
