"""Regular expressions over the raw text of a file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from ratchet.analysis.lines import Lines
from ratchet.frozen import dataclass
from ratchet.matching.needs import Needs
from ratchet.matching.regex import compile_regex, required_words, stays_on_line
from ratchet.model import Match, Rule, Span, TextMatch


@dataclass(frozen=True, slots=True)
class TextRule:
    """A text rule made ready; `words` finds what all matches hold, where a line is enough to see them."""

    id: str
    regex: re.Pattern[str]
    by_line: bool
    needed: tuple[str, ...]
    words: re.Pattern[str] | None

    @property
    def alternatives(self) -> tuple[Needs, ...]:
        """What a text must have; nothing where that cannot be told."""
        return ((self.needed,) if self.needed else (),)

    def may_be_in(self, text: str) -> bool:
        """Whether a text has a word without which nothing is found in it."""
        return not self.needed or any(word in text for word in self.needed)


def text_rule(rule: Rule, match: TextMatch) -> TextRule:
    """A text rule made ready to run."""
    needed = required_words(match.regex)
    words = None
    if needed and stays_on_line(match.regex):
        words = re.compile("|".join(map(re.escape, needed)))
    return TextRule(rule.id, compile_regex(match.regex), match.unit == "line", needed, words)


def find_text(rule: TextRule, text: str) -> Iterator[Match]:
    """The matches of a rule in a text, or its matching lines, without a scope: no parse is needed."""
    lines: Lines | None = None
    counted: set[int] = set()
    for found in _matches(rule, text):
        lines = lines or Lines(text)
        line = _line(lines, found.start())
        if not (rule.by_line and line in counted):
            counted.add(line)
            yield Match(rule.id, _span(found, lines), "", " ".join(found[0].split()))


def _matches(rule: TextRule, text: str) -> Iterator[re.Match[str]]:
    if rule.words is None:
        yield from rule.regex.finditer(text)
        return
    done = 0
    for word in rule.words.finditer(text):
        if word.start() >= done:
            start = text.rfind("\n", 0, word.start()) + 1
            done = text.find("\n", word.start()) + 1 or len(text)
            yield from rule.regex.finditer(text, start, done)


def _line(lines: Lines, offset: int) -> int:
    return bisect_right(lines.starts, offset)


def _span(found: re.Match[str], lines: Lines) -> Span:
    line, end_line = _line(lines, found.start()), _line(lines, found.end())
    column = found.start() - lines.starts[line - 1] + 1
    return Span(line, column, end_line, found.end() - lines.starts[end_line - 1] + 1)
