"""A file's text as a module whose functions are bare names, each of which is parsed when it is asked for.

A parser takes most of the time that a file takes, and of most files a walk needs few functions. The outline
has the lines of the text, so that what is parsed of it, and of a function, stands where it does in the file.
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
_BARE_JOIN = re.compile(r"^[ \t]*\\\n", re.MULTILINE)
_DEFINITION = re.compile(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+\w+", re.MULTILINE)
_SIGNATURE = re.compile(r"[ \t]*\([^()\[\]{}]*\)[^()\[\]{}:]*:")
_MARK = re.compile(r"[()\[\]{}:]")


Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of a source: a text whose functions do nothing.

    They have no parameters either, but where a default value is among them, as those are the module's or the
    class's. `left` tells where in the source each such function stands, its start and its end as offsets, by
    the line of its `def`; its decorators do not belong to it.
    """

    source: str
    text: str
    left: Mapping[int, tuple[int, int]]

    def function(self, line: int) -> Function:
        """The function that is left out on a line, as it stands there; raises what `ast.parse` does."""
        start, end = self.left[line]
        text = self.source[start:end]
        if text[0] in " \t":
            (block,) = parse("\n" * (line - 2) + "if 1:\n" + text).body
            assert isinstance(block, ast.If)
            (found,) = block.body
        else:
            (found,) = parse("\n" * (line - 1) + text).body
        assert isinstance(found, Function)
        return found


def outline_of(text: str) -> Outline | None:
    """The outline of a text; None where only a parser can tell what its functions are."""
    masked = _TOKEN.sub(_masked, text)
    if _is_odd(text) or '"' in masked or "'" in masked:
        return None
    parts: list[str] = []
    left: dict[int, tuple[int, int]] = {}
    line, at, counted = 1, 0, 0
    found = _DEFINITION.search(masked)
    while found is not None:
        name = found.end()
        colon = _colon(masked, name)
        after = masked.find("\n", colon) if colon >= 0 else -1
        if after < 0:
            return None
        if not masked[colon + 1 : after].strip():  # else the body is on the same line
            first = after
            indent = found[1]
            close = _close(len(indent)).search(masked, first)
            after = close.start() if close else len(masked)
            end = first + len(masked[first:after].rstrip())
            if end == first:
                return None
            line += text.count("\n", counted, found.start())
            counted = found.start()
            left[line] = (counted, end)
            if "=" in masked[name:colon]:
                parts += (text[at : colon + 1], "\n" * text.count("\n", colon, end), indent, " pass")
            else:
                parts += (text[at:name], "():", "\n" * text.count("\n", name, end), indent, " pass")
            at = end
        found = _DEFINITION.search(masked, after)
    return Outline(text, "".join([*parts, text[at:]]), left)


def _is_odd(text: str) -> bool:
    """Whether lines may mean something else than they seem to: a pattern that looks at each is slow."""
    return "\f" in text or ("\\\n" in text and _BARE_JOIN.search(text) is not None)


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
