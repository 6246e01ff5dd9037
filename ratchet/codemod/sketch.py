"""A file parsed in part: definitions that no edit can touch are left out, and parsing costs what changes.

Where they begin and end is guessed from the text, without a parser. A guess is never evidence: the proof of
the rewritten file, which is parsed as a whole, finds each such text again as complete statements, or fails.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from ratchet.analysis.lines import Lines
from ratchet.codemod.looking import words_of
from ratchet.codemod.model import Edit
from ratchet.codemod.words import lines_with
from ratchet.model import Problem
from ratchet.syntax.document import Document, Gaps, read_document

_STUB = "def _(): 0"
_ODD = ("\r", "\f", "barry_as_FLUFL")
_CONTINUED = re.compile(r"\\\n *(?:@|def\b|class\b|async\b)")
"""What makes a line mean something else than it does by itself."""

_DEFINES = re.compile(r" *(?:@|def\b|class\b|async\b)")
_CLASS = re.compile(r"class\b")
_AT_TOP = re.compile(r"^[^\s#)\]}'\"]", re.MULTILINE)
_IN_CLASS = re.compile(r"^ {4}[^\s#)\]}'\"]", re.MULTILINE)


def read_sketch(
    path: str, data: bytes, edits: Sequence[Edit], words: Collection[str] = ()
) -> Document | Problem:
    """A file with what its edits need, and each statement around one of more `words`; see `Document.gaps`.

    A file that is written in an odd way is parsed as a whole.
    """
    return read_document(path, data, partial(_shorten, edits, frozenset(words) | words_of(edits)))


def _shorten(edits: Sequence[Edit], words: frozenset[str], lines: Lines) -> tuple[str, Gaps]:
    text = lines.text
    if any(sign in text for sign in _ODD) or _CONTINUED.search(text):
        return text, {}
    wanted = {line for edit in edits for line in (edit.span.line, edit.span.end_line)}
    wanted |= lines_with(lines, words)
    gaps = list(_gaps(text, [lines.starts[number - 1] for number in sorted(wanted)]))
    parts, done = [], 0
    for start, end in gaps:
        indent = text[start : start + 4] if text[start] == " " else ""
        parts += [text[done:start], indent, _STUB, "\n" * text.count("\n", start, end)]
        done = end
    return "".join([*parts, text[done:]]), {lines.line_of(start): (start, end) for start, end in gaps}


def _gaps(text: str, wanted: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The parts of a text that look like definitions without a line, by its offset, that is wanted."""
    return _joined(text, _left_out(text, wanted, _AT_TOP, 0, len(text)))


def _left_out(
    text: str, wanted: Sequence[int], begins: re.Pattern[str], start: int, end: int
) -> Iterator[tuple[int, int]]:
    for first, last in _definitions(text, begins, start, end):
        index = bisect_left(wanted, first)
        if index == len(wanted) or wanted[index] >= last:
            yield first, last
        elif begins is _AT_TOP and _CLASS.match(text, first):
            yield from _left_out(text, wanted, _IN_CLASS, first + 1, last)


def _definitions(text: str, begins: re.Pattern[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts between two lines that begin a statement of which the first begins a definition."""
    first = -1
    decorated = False
    for found in begins.finditer(text, start, end):
        at = found.start()
        if first >= 0 and not decorated:
            yield first, at
            first = -1
        if first < 0 and _DEFINES.match(text, at):
            first = at
        decorated = text[found.end() - 1] == "@"
    if first >= 0 and not decorated:
        yield first, end


def _joined(text: str, parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same, parts of one block that follow each other as one."""
    before: tuple[int, int] | None = None
    for start, end in parts:
        if before is not None and (before[1] != start or (text[before[0]] == " ") != (text[start] == " ")):
            yield before
            before = None
        before = (before[0] if before is not None else start, end)
    if before is not None:
        yield before
