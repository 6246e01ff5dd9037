"""A file's text as a module whose functions have no bodies, each of which is parsed when it is asked for.

A parser takes most of the time that a file takes, and of most files a walk needs few functions. The outline
has the lines of the text, so that what is parsed of it, and of a body, stands where it stands in the file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache

from ratchet.frozen import dataclass
from ratchet.judge import parse

_TEXTS = r'''
    """[^\\"]*(?:(?:\\.|"(?!""))[^\\"]*)*"""
    | \'\'\'[^\\']*(?:(?:\\.|'(?!\'\'))[^\\']*)*\'\'\'
    | "[^"\\\n]*(?:\\.[^"\\\n]*)*"
    | '[^'\\\n]*(?:\\.[^'\\\n]*)*'
'''
_TOKEN = re.compile(rf"\#[^\n]* | \\\n | {_TEXTS}", re.DOTALL | re.VERBOSE)
# What makes lines mean something else than they seem to: then the whole text is parsed.
_ODD = re.compile(r"\f|^[ \t]*\\\n", re.MULTILINE)
_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def\b", re.MULTILINE)
_SIGNATURE = re.compile(r"[ \t]+\w+[ \t]*\([^()\[\]{}]*\)[^()\[\]{}:]*:")
_MARK = re.compile(r"[()\[\]{}:]")


@dataclass(frozen=True, slots=True)
class Body:
    """Where the body of a function stands in a text, both ends as offsets; `line` is its first line."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """A text whose functions have a number for a body; their bodies by the line of the `def`."""

    text: str
    bodies: Mapping[int, Body]


def outline_of(text: str) -> Outline | None:
    """The outline of a text; None where only a parser can tell what its functions are."""
    masked = _TOKEN.sub(_masked, text)
    if _ODD.search(text) or '"' in masked or "'" in masked:
        return None
    parts: list[str] = []
    bodies: dict[int, Body] = {}
    line, at, counted = 1, 0, 0
    found = _DEFINITION.search(masked)
    while found is not None:
        colon = _colon(masked, found.end())
        start = masked.find("\n", colon) if colon >= 0 else -1
        if start < 0:
            return None
        after = start
        if not masked[colon + 1 : start].strip():  # else the body is on the same line
            indent = found[1]
            close = _close(len(indent)).search(masked, start)
            after = close.start() if close else len(masked)
            end = start + len(masked[start:after].rstrip())
            if end == start:
                return None
            line += text.count("\n", counted, found.start())
            counted = found.start()
            bodies[line] = Body(start + 1, end, line + text.count("\n", counted, start + 1))
            parts += (text[at : colon + 1], "\n" * text.count("\n", colon, end), indent, " 0")
            at = end
        found = _DEFINITION.search(masked, after)
    return Outline("".join([*parts, text[at:]]), bodies)


def statements(text: str, body: Body) -> list[ast.stmt]:
    """The statements of a body, with the lines that they have in the text; raises what `ast.parse` does."""
    tree = parse("\n" * (body.line - 2) + "if 1:\n" + text[body.start : body.end])
    (block,) = tree.body
    assert isinstance(block, ast.If)
    return block.body


def _masked(match: re.Match[str]) -> str:
    """A token of the same length without line ends: comments and joined lines are blank, texts are not."""
    token = match[0]
    return (" " if token[0] in "#\\" else "_") * len(token)


def _colon(masked: str, at: int) -> int:
    """Where the signature of a function ends, -1 where it does not."""
    plain = _SIGNATURE.match(masked, at)
    if plain is not None:
        return plain.end() - 1
    depth = 0
    for mark in _MARK.finditer(masked, at):
        if mark[0] == ":":
            if not depth:
                return mark.start()
        else:
            depth += 1 if mark[0] in "([{" else -1
    return -1


@lru_cache(64)
def _close(indent: int) -> re.Pattern[str]:
    """What follows a block: a line that is indented as its head is, or less."""
    return re.compile(rf"\n[ \t]{{0,{indent}}}(?=[^ \t\n])")
