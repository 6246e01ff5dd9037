"""The rules that one file decides alone: text, calls, imports, globals and patterns."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.analysis.imports import module_name
from ratchet.analysis.lines import Lines
from ratchet.frozen import dataclass
from ratchet.matching.calls import NameRule, find_names, name_rule
from ratchet.matching.engines import engine_applies
from ratchet.matching.globals import GlobalRule, find_globals
from ratchet.matching.names import Names
from ratchet.matching.needs import Needs, rarest, stems
from ratchet.matching.places import files_of
from ratchet.matching.snippets import SnippetRule, find_snippets, snippet_rule
from ratchet.matching.text import TextRule, find_text, text_rule
from ratchet.model import Kind, Match, NameMatch, PatternMatch, Rule, TextMatch
from ratchet.source.text import Prefilter

LOCAL_KINDS: frozenset[Kind] = frozenset({"text", "call", "import", "global", "pattern"})

Ready = TextRule | NameRule | GlobalRule | SnippetRule
"""A rule of a local kind made ready to run."""


_Signs = tuple[tuple[bytes, tuple[tuple[str, tuple[bytes, ...]], ...]], ...]
"""Bytes that rules look for, each with the rules and the words that it is a part of."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A ready rule, the paths that it looks at, and words of which a text must hold one, if there are any."""

    rule: Ready
    looks_at: Callable[[str], bool]
    words: frozenset[str]


class LocalPlan:
    """The local ones of a tree's rules, ready to run on its files; pickled as the rules that it came from."""

    def __init__(self, rules: Sequence[Rule], package: str, engine: str | None = None) -> None:
        self.rules = tuple(rule for rule in rules if rule.kind in LOCAL_KINDS)
        self.package = package
        self.engine = engine
        ready = [(rule, _ready(rule, engine)) for rule in self.rules if engine_applies(rule.engines, engine)]
        self._parts = tuple(_part(rule, made, engine) for rule, made in ready if made.alternatives)
        # Each stem with the words of each rule that it may be a sign of.
        chosen = stems(word for part in self._parts for word in part.words)
        self._signs = {stem.encode(): _words_with(stem, self._parts) for stem in chosen}
        self._by_rules: dict[frozenset[str], _Signs] = {}
        self._prefilter = Prefilter.of(chosen)
        self._always = frozenset(part.rule.id for part in self._parts if not part.words)

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalPlan, (self.rules, self.package, self.engine))

    @property
    def needles(self) -> Mapping[str, tuple[Needs, ...]]:
        """What a text must have for each rule, by its id: one of several sets of clauses."""
        return {part.rule.id: part.rule.alternatives for part in self._parts}

    def wants(self, path: str, data: bytes) -> frozenset[str]:
        """The ids of the rules that look at the file at `path` and may find something in its bytes."""
        looking = frozenset(part.rule.id for part in self._parts if part.looks_at(path))
        if self._prefilter.hides(data):
            return looking
        found = set(looking & self._always)
        for sign, words in self._signs_of(looking):
            if sign in data:
                found.update(rule for rule, held in words if any(word in data for word in held))
        return frozenset(found)

    def _signs_of(self, looking: frozenset[str]) -> _Signs:
        """The signs of some rules; most files of a tree have the same rules looking at them."""
        known = self._by_rules.get(looking)
        if known is None:
            each = ((sign, _only(words, looking)) for sign, words in self._signs.items())
            known = self._by_rules[looking] = tuple((sign, words) for sign, words in each if words)
        return known

    def match(
        self, path: str, text: str, wanted: frozenset[str], tree: Callable[[], ast.Module]
    ) -> tuple[Match, ...]:
        """What the `wanted` rules, as `wants` gives them, find in the file at `path`, in order of position.

        `tree` parses the text when a rule needs that; what it raises is passed on.
        """
        if not wanted:
            return ()
        folded = _folded(text)
        ready = [part.rule for part in self._parts if part.rule.id in wanted and part.rule.may_be_in(folded)]
        found = [match for rule in ready if isinstance(rule, TextRule) for match in find_text(rule, text)]
        if any(not isinstance(rule, TextRule) for rule in ready):
            names = Names(*module_name(self.package, path), text)
            found += _find_in_tree(ready, tree(), Lines(text), names)
        return tuple(sorted(found, key=lambda match: (match.span.line, match.span.column, match.rule)))


def compile_local(rules: Sequence[Rule], package: str, engine: str | None = None) -> LocalPlan:
    """The local rules of a tree, made ready for the engine version that it has."""
    return LocalPlan(rules, package, engine)


def _part(rule: Rule, ready: Ready, engine: str | None) -> _Part:
    clauses = [rarest(needs) for needs in ready.alternatives]
    words = frozenset(word for clause in clauses for word in clause) if all(clauses) else frozenset()
    return _Part(ready, files_of(rule, engine), words)


def _words_with(stem: str, parts: Iterable[_Part]) -> dict[str, tuple[bytes, ...]]:
    """The words of each rule that hold a stem, by the rule's id."""
    words = {part.rule.id: tuple(word.encode() for word in part.words if stem in word) for part in parts}
    return {rule: held for rule, held in words.items() if held}


def _only(
    words: Mapping[str, tuple[bytes, ...]], rules: frozenset[str]
) -> tuple[tuple[str, tuple[bytes, ...]], ...]:
    return tuple((rule, held) for rule, held in words.items() if rule in rules)


def _ready(rule: Rule, engine: str | None) -> Ready:
    if isinstance(rule.match, TextMatch):
        return text_rule(rule, rule.match)
    if isinstance(rule.match, NameMatch):
        return name_rule(rule, rule.match, engine)
    if isinstance(rule.match, PatternMatch):
        return snippet_rule(rule, rule.match)
    return GlobalRule(rule.id)


def _find_in_tree(rules: Sequence[Ready], tree: ast.Module, lines: Lines, names: Names) -> Iterator[Match]:
    named = [rule for rule in rules if isinstance(rule, NameRule)]
    if named:
        yield from find_names(named, tree, lines, names)
    for rule in rules:
        if isinstance(rule, SnippetRule):
            yield from find_snippets(rule, tree, lines)
        elif isinstance(rule, GlobalRule):
            yield from find_globals(rule, tree, lines)


def _folded(text: str) -> str:
    """A text, and again with its identifiers as Python reads them where that makes a difference."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return text
    return text + unicodedata.normalize("NFKC", text)
