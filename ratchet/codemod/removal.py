"""Statements taken out of a file, with the blank lines that they leave."""

from __future__ import annotations

from ratchet.codemod.splice import Splice
from ratchet.codemod.survey import Place
from ratchet.syntax.document import Document


def remove_statement(document: Document, place: Place, gone: frozenset[int] = frozenset()) -> Splice:
    """Return the splice that takes a statement out, its lines included where it has them for itself.

    `gone` are the ids of statements that go too: the first one of a block in which none is left becomes
    `pass`. Where blank lines stand before and after, the more of them stay; at the start of a block, none.
    """
    node = place.statement
    start, end = document.start(node), document.end(node)
    empties = all(other is node or id(other) in gone for other in place.block)
    if empties and place.above is not None and place.block[0] is node:
        return Splice(start, end, "pass")
    line, next_line = document.line_start(start), document.next_line(end)
    before, after = document.text[line:start].strip(), document.text[end : document.line_end(end)].strip()
    if before or (after and not after.startswith("#")):
        return _within_line(document, start, end, bool(before))
    first = _blank_lines(document, line, -1)
    last = _blank_lines(document, next_line, 1)
    opens = place.above is not None and place.block[0] is node
    if opens or (line == 0 and not first):
        return Splice(line, document.lines.starts[_number(document, next_line) + last - 1], "")
    drop = min(first, last)
    if next_line >= len(document.text) or drop == 0:
        return Splice(line, next_line, "")
    return Splice(line, document.lines.starts[_number(document, next_line) + drop - 1], "")


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
    """Take out a statement that shares its line: `a; b`."""
    text = document.text
    if follows:
        left = len(text[:start].rstrip(" \t"))
        return Splice(left - 1, end, "") if text[left - 1 : left] == ";" else Splice(start, end, "pass")
    right = end + len(text[end:]) - len(text[end:].lstrip(" \t;"))
    return Splice(start, right, "")
