"""Statements taken out of a file, with the blank lines that they leave."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ratchet.codemod.scopes import Place
from ratchet.codemod.splice import Splice
from ratchet.syntax.document import Document

_SEPARATOR = re.compile(r"(?:[ \t;]|\\(?:\r\n|\r|\n))*")


def remove_statement(document: Document, place: Place, gone: frozenset[int] = frozenset()) -> Splice:
    """Return the splice that takes a statement out, its lines included where it has them for itself.

    `gone` are the ids of statements that go too: the first one of a block in which none is left becomes
    `pass`; those that follow each other on one line go together, each with the same splice. Where blank lines
    stand before and after, the more of them stay; at the start of a block, none.
    """
    run = _run(place, gone)
    start, end = document.start(run[0]), document.end(run[-1])
    opens = place.above is not None and place.block[0] is run[0]
    if opens and all(other in run or id(other) in gone for other in place.block):
        return Splice(start, end, "pass")
    line, next_line = document.line_start(start), document.next_line(end)
    before = document.text[_logical_start(document, line) : start].rstrip("\\\r\n \t")
    after = document.text[end : document.line_end(end)].strip("; \t")
    if before or (after and not after.startswith("#")):
        on_line = document.text[line:start].rstrip()
        return _within_line(document, start, end, on_line.endswith(";"))
    first = _blank_lines(document, line, -1)
    last = _blank_lines(document, next_line, 1)
    if opens or (line == 0 and not first):
        return Splice(line, document.lines.starts[_number(document, next_line) + last - 1], "")
    drop = min(first, last)
    if next_line >= len(document.text) or drop == 0:
        return Splice(line, next_line, "")
    return Splice(line, document.lines.starts[_number(document, next_line) + drop - 1], "")


def _run(place: Place, gone: frozenset[int]) -> Sequence[ast.stmt]:
    """A statement with those that go and stand next to it on its line: `a; b`."""
    block = place.block
    first = last = block.index(place.statement)
    while first and id(block[first - 1]) in gone and block[first - 1].end_lineno == block[first].lineno:
        first -= 1
    while (
        last + 1 < len(block)
        and id(block[last + 1]) in gone
        and block[last].end_lineno == block[last + 1].lineno
    ):
        last += 1
    return block[first : last + 1]


def _number(document: Document, offset: int) -> int:
    return document.lines.line_of(offset)


def _blank_lines(document: Document, offset: int, step: int) -> int:
    """How many blank lines stand before (step -1) or from (step 1) the line that starts at an offset."""
    starts = document.lines.starts
    number = _number(document, offset) - 1
    count, at = 0, number - 1 if step < 0 else number
    while 0 <= at < len(starts) - 1 and not document.lines.line(at + 1).strip():
        count, at = count + 1, at + step
    return count


def _within_line(document: Document, start: int, end: int, follows: bool) -> Splice:
    """Take statements out that share their line: `a; b`."""
    text = document.text
    if follows:
        return Splice(text.rindex(";", 0, start), end, "")
    rest = _SEPARATOR.match(text, end)
    return Splice(start, rest.end() if rest else end, "")


def _logical_start(document: Document, line: int) -> int:
    """The start of the first of the lines that a line goes on from."""
    number = _number(document, line)
    while document.goes_on(number):
        number -= 1
    return document.lines.starts[number - 1]
