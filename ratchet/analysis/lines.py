"""Which lines of a file are worth a visit: the walk skips every statement without one."""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from ratchet.model import Span

_LINE_END = re.compile(r"\r\n|\r|\n")
_IMPORT = r"^[ \t\f]*(?:from|import)\b"


class Lines:
    """The text of one file by lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self.ascii = text.isascii()

    def line_of(self, offset: int) -> int:
        """The line, from 1, that holds the character at this offset."""
        return bisect_right(self.starts, offset)

    def line(self, number: int) -> str:
        """The text of a line, from 1, with its line end."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end]

    def column(self, line: int, byte_offset: int) -> int:
        """The column in characters, from 1, of a byte offset in a line, as ast counts them."""
        if self.ascii:
            return byte_offset + 1
        return (
            len(self.line(line).encode("utf-8", "surrogatepass")[:byte_offset].decode("utf-8", "ignore")) + 1
        )

    def span(self, node: ast.expr | ast.stmt | ast.pattern) -> Span:
        """Where a node stands."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return Span(
            node.lineno,
            self.column(node.lineno, node.col_offset),
            end_line,
            self.column(end_line, end_offset),
        )


class Hits:
    """The lines, sorted, that hold an interesting word or an import statement."""

    def __init__(self, lines: Lines, words: Iterable[str], globs: Iterable[str]) -> None:
        self._lines = lines
        self._everything = not lines.ascii and unicodedata.normalize("NFKC", lines.text) != lines.text
        found = {lines.line_of(match.start()) for match in _matcher(words, globs).finditer(lines.text)}
        found.update(
            lines.line_of(match.end() - 1) for match in re.finditer(_IMPORT, lines.text, re.MULTILINE)
        )
        self.numbers = sorted(found)

    def add(self, words: Iterable[str]) -> None:
        """Make the lines with more words interesting."""
        text, line_of = self._lines.text, self._lines.line_of
        found = {line_of(match.start()) for match in _matcher(words, ()).finditer(text)}
        self.numbers = sorted(found.union(self.numbers))

    def within(self, first: int, last: int) -> bool:
        """Whether one of the lines lies between two, both included."""
        if self._everything:
            return True
        index = bisect_left(self.numbers, first)
        return index < len(self.numbers) and self.numbers[index] <= last


def _matcher(words: Iterable[str], globs: Iterable[str]) -> re.Pattern[str]:
    patterns = [re.escape(word) for word in sorted(words)]
    patterns += [re.escape(glob).replace(r"\*", r"\w*").replace(r"\?", r"\w") for glob in globs]
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b") if patterns else re.compile(r"(?!)")
