"""Parameters and arguments taken out of a signature or a call, with the comma that goes with them."""

from __future__ import annotations

import re

from ratchet.codemod.model import Drop
from ratchet.codemod.splice import Splice
from ratchet.syntax.document import Document

_COMMA = re.compile(r"\s*,")
_BLANKS = re.compile(r"\s*")
_BARE_STAR = re.compile(r"\*\s*,$")


def drop_splice(document: Document, drop: Drop) -> Splice | None:
    """The splice that takes an item out of a list in parentheses; None where it is not written plainly."""
    text = document.text
    start, end = bounds(document, drop)
    if drop.only_keyword:
        star = _BARE_STAR.search(text, max(0, start - 200), len(text[:start].rstrip()))
        if star is None:
            return None
        start = star.start()
    before = len(text[:start].rstrip())
    comma = _COMMA.match(text, end)
    end = comma.end() if comma else end
    blanks = _BLANKS.match(text, end)
    behind = blanks.end() if blanks else end
    last = text[behind : behind + 1] == ")"
    opens = text[before - 1 : before] == "("
    if not (comma or last) or not (opens or text[before - 1 : before] == ","):
        return None
    if opens and text[behind : behind + 1] == "/":
        return None
    if not last:
        made = Splice(start, behind, "")
    elif opens:
        made = Splice(before, behind, "")
    else:  # a list over several lines that ends in a comma goes on doing so
        keeps = comma is not None and "\n" in text[end:behind]
        made = Splice(before if keeps else before - 1, end, "")
    return None if "#" in text[made.start : made.end] else made


def bounds(document: Document, drop: Drop) -> tuple[int, int]:
    """The offsets of a part that goes."""
    starts, span = document.lines.starts, drop.span
    return starts[span.line - 1] + span.column - 1, starts[span.end_line - 1] + span.end_column - 1
