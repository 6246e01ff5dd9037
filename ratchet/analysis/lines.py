"""Which lines of a file are worth a visit: the walk skips every statement without one."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, count
from operator import add

from ratchet.model import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_INNER_BYTE = re.compile(rb"[\x80-\xbf]")
_ASCII = bytes(range(128))
_STEM = 4
_NO_LINE = 1 << 62
_DECORATED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def first_line(node: ast.AST) -> int:
    """The line where a node begins, its decorators included; 0 for one that stands nowhere."""
    if isinstance(node, _DECORATED) and node.decorator_list:
        return node.decorator_list[0].lineno
    line: int = getattr(node, "lineno", 0)
    return line


def holds_line(statement: ast.stmt, numbers: Sequence[int]) -> bool:
    """Whether one of some lines, which are in order, lies in a statement, its decorators included."""
    return any_between(numbers, first_line(statement), statement.end_lineno or statement.lineno)


def any_between(numbers: Sequence[int], first: int, last: int) -> bool:
    """Whether one of some lines, which are in order, lies between two, both included."""
    index = bisect_left(numbers, first)
    return index < len(numbers) and numbers[index] <= last


class Lines:
    """The text of one file by lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text.isascii()
        self._returns = "\r" in text
        # The bytes inside of characters, by line: a line may be long, and hold many nodes.
        self._inner: dict[int, list[int]] = {}
        self._told: dict[str, tuple[int, ...]] = {}

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        if not self._returns:
            ends = accumulate(map(len, self.text.split("\n")))
            return [0, *map(add, ends, count(1))][:-1]
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def line_of(self, offset: int) -> int:
        """The line, from 1, that holds the character at this offset."""
        return bisect_right(self.starts, offset)

    def numbers(self, offsets: Iterable[int]) -> Iterator[int]:
        """The lines, from 1, of ascending offsets. Counting on from the last one beats any table."""
        line, last = 1, 0
        for offset in offsets:
            line += self._breaks(last, offset)
            last = offset
            yield line

    def _breaks(self, first: int, last: int) -> int:
        text = self.text
        if not self._returns:
            return text.count("\n", first, last)
        pairs = text.count("\r\n", first, last)
        return text.count("\n", first, last) + text.count("\r", first, last) - pairs

    def told(self, word: str, look: Callable[[Lines, str], Iterable[int]]) -> tuple[int, ...]:
        """What `look` says of a word in these lines; a text is asked for the same words again and again."""
        if word not in self._told:
            self._told[word] = tuple(look(self, word))
        return self._told[word]

    def within(self, numbers: Sequence[int], start: int, end: int) -> bool:
        """Whether a part of the text, which begins with a line, holds the start of one of some lines."""
        index = bisect_left(numbers, self.line_of(start))
        return index < len(numbers) and self.starts[numbers[index] - 1] < end

    def line(self, number: int) -> str:
        """The text of a line, from 1, with its line end."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end]

    def column(self, line: int, byte_offset: int) -> int:
        """The column in characters, from 1, of a byte offset in a line, as ast counts them."""
        if self.ascii:
            return byte_offset + 1
        inner = self._inner.get(line)
        if inner is None:
            data = self.line(line).encode("utf-8", "surrogatepass")
            inner = self._inner[line] = [found.start() for found in _INNER_BYTE.finditer(data)]
        return byte_offset + 1 - bisect_left(inner, byte_offset)

    def span(self, node: ast.expr | ast.stmt | ast.pattern | ast.alias) -> Span:
        """Where a node stands."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(
            node.lineno,
            self.column(node.lineno, node.col_offset),
            end_line,
            self.column(end_line, end_offset),
        )


class Hits:
    """The lines, sorted, that hold one of some texts."""

    def __init__(self, lines: Lines, texts: Iterable[str], everything: bool = False) -> None:
        self._lines = lines
        self._everything = everything or _is_disguised(lines)
        self.numbers = sorted(set().union(*map(self._at, _searches(texts))))

    def add(self, words: Iterable[str]) -> bool:
        """Make the lines with more words interesting; whether there are such lines."""
        known = set(self.numbers)
        alternatives = "|".join(sorted(map(re.escape, words)))
        added = self._at(re.compile(rf"\b(?:{alternatives})\b")) - known if alternatives else set()
        if added:
            self.numbers = sorted(known | added)
        return bool(added)

    def _at(self, search: str | re.Pattern[str]) -> set[int]:
        text = self._lines.text
        if isinstance(search, str):
            return set(self._lines.numbers(_occurrences(search, text)))
        return set(self._lines.numbers(match.start() for match in search.finditer(text)))

    def following(self, line: int) -> int:
        """The first of the lines from this one on; past the end of all files where there is none."""
        if self._everything:
            return line
        index = bisect_left(self.numbers, line)
        return self.numbers[index] if index < len(self.numbers) else _NO_LINE

    def within(self, first: int, last: int) -> bool:
        """Whether one of the lines lies between two, both included."""
        return self.following(first) <= last


def _is_disguised(lines: Lines) -> bool:
    """Whether Python may read an identifier of the text as another one, which no search of the text finds."""
    if lines.ascii:
        return False
    others = (
        lines.text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")
    )
    return any(map(_is_disguise, set(others)))


def _is_disguise(letter: str) -> bool:
    is_part = f"_{letter}".isidentifier()
    return is_part and (unicodedata.normalize("NFKC", letter) != letter or unicodedata.combining(letter) != 0)


def _searches(texts: Iterable[str]) -> list[str | re.Pattern[str]]:
    """One expression for all texts that start alike; single texts as they are, which is found fastest."""
    groups: dict[str, list[str]] = {}
    for text in _shortest(texts):
        groups.setdefault(text[:_STEM], []).append(text)
    return [group[0] if len(group) == 1 else _expression(stem, group) for stem, group in groups.items()]


def _expression(stem: str, texts: Iterable[str]) -> re.Pattern[str]:
    rests = "|".join(re.escape(text[len(stem) :]) for text in texts)
    return re.compile(f"{re.escape(stem)}(?:{rests})")


def _shortest(texts: Iterable[str]) -> list[str]:
    """The texts without those that hold another one."""
    kept: list[str] = []
    for text in sorted(texts, key=lambda text: (len(text), text)):
        if not any(known in text for known in kept):
            kept.append(text)
    return kept


def _occurrences(needle: str, text: str) -> Iterator[int]:
    start = text.find(needle)
    while start >= 0:
        yield start
        start = text.find(needle, start + len(needle))
