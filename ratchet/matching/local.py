"""The rules that one file decides alone: text, calls, imports, globals and patterns."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache

from ratchet.analysis.imports import module_name
from ratchet.analysis.lines import Lines
from ratchet.frozen import dataclass
from ratchet.matching.calls import NameRule, find_names, name_rule
from ratchet.matching.engines import engine_applies
from ratchet.matching.globals import GlobalRule, find_globals
from ratchet.matching.names import Names
from ratchet.matching.needs import Needs, Search, cheapest, searches
from ratchet.matching.places import files_of
from ratchet.matching.snippets import SnippetRule, find_snippets, snippet_rule
from ratchet.matching.text import TextRule, find_text, text_rule
from ratchet.model import LOCAL_KINDS, Match, NameMatch, PatternMatch, Rule, TextMatch
from ratchet.source.text import Prefilter

Ready = TextRule | NameRule | GlobalRule | SnippetRule
"""A rule of a local kind made ready to run."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A ready rule, the paths that it looks at, and words of which a text must hold one, if there are any.

    `needs` are all that a text must hold: of one of them, a word of each clause.
    """

    rule: Ready
    looks_at: Callable[[str], bool]
    words: frozenset[str]
    needs: tuple[tuple[tuple[bytes, ...], ...], ...]

    def may_be_in(self, data: bytes) -> bool:
        """Whether the bytes of a text, with one of the words in it, hold all that the rule needs."""
        if self.words and all(len(clauses) == 1 for clauses in self.needs):
            return True
        holds = cache(data.__contains__)  # alternatives share their words
        return any(all(any(map(holds, clause)) for clause in clauses) for clauses in self.needs)


class LocalPlan:
    """The local ones of a tree's rules, ready to run on its files; pickled as the rules that it came from."""

    def __init__(
        self, rules: Sequence[Rule], package: str, engine: str | None = None, names: Sequence[bytes] = ()
    ) -> None:
        """`names` are texts that whoever asks searches for anyway: see `wants`."""
        self.rules = tuple(rule for rule in rules if rule.kind in LOCAL_KINDS)
        self.package = package
        self.engine = engine
        ready = [(rule, _ready(rule, engine)) for rule in self.rules if engine_applies(rule.engines, engine)]
        self._names = tuple(names)
        self._parts = tuple(
            _part(rule, made, engine, self._is_named) for rule, made in ready if made.alternatives
        )
        words = {word for part in self._parts for word in part.words}
        # Each word with the rules that one found there is a sign for.
        self._signs = {word.encode(): _started_by(word, self._parts) for word in words}
        self._searches: dict[tuple[frozenset[_Part], bool], tuple[Search, ...]] = {}
        self._prefilter = Prefilter.of(words)

    def __reduce__(self) -> tuple[object, ...]:
        return (LocalPlan, (self.rules, self.package, self.engine, self._names))

    @property
    def needles(self) -> Mapping[str, tuple[Needs, ...]]:
        """What a text must have for each rule, by its id: one of several sets of clauses."""
        return {part.rule.id: part.rule.alternatives for part in self._parts}

    def wants(self, path: str, data: bytes, named: bool = True) -> frozenset[str]:
        """The ids of the rules that look at the file at `path` and may find something in its bytes.

        `named` is False for bytes that are known to hold none of the `names`.
        """
        looking = frozenset(part for part in self._parts if part.looks_at(path))
        if self._prefilter.hides(data):
            return frozenset(part.rule.id for part in looking)
        found = {part for part in looking if not part.words}
        for search in self._searches_of(looking, named):
            for word in set(search(data)):
                found |= self._signs[word]
        return frozenset(part.rule.id for part in found & looking if part.may_be_in(data))

    def _searches_of(self, looking: frozenset[_Part], named: bool) -> tuple[Search, ...]:
        """The searches for some rules; most files of a tree have the same rules looking at them."""
        known = self._searches.get((looking, named))
        if known is None:
            words = {word for part in looking for word in part.words}
            known = searches(word for word in words if named or not self._is_named(word))
            self._searches[looking, named] = known
        return known

    def _is_named(self, word: str) -> bool:
        """Whether a text with this word holds one of the names."""
        return any(name in word.encode() for name in self._names)

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


def compile_local(
    rules: Sequence[Rule], package: str, engine: str | None = None, names: Sequence[bytes] = ()
) -> LocalPlan:
    """The local rules of a tree, made ready for the engine version that it has."""
    return LocalPlan(rules, package, engine, names)


def _part(rule: Rule, ready: Ready, engine: str | None, is_named: Callable[[str], bool]) -> _Part:
    clauses = [cheapest(needs, is_named) for needs in ready.alternatives]
    words = frozenset(word for clause in clauses for word in clause) if all(clauses) else frozenset()
    needs = tuple(
        tuple(tuple(word.encode() for word in clause) for clause in sorted(needs, key=len))
        for needs in ready.alternatives
    )
    return _Part(ready, files_of(rule, engine), words, needs)


def _started_by(word: str, parts: Iterable[_Part]) -> frozenset[_Part]:
    """The rules that look for a word, or for one that it starts with."""
    return frozenset(part for part in parts if any(word.startswith(sought) for sought in part.words))


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
