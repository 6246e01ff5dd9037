"""What the bytes or the text of a file spell: told without a parser, so that many files can be asked."""

from __future__ import annotations

import re

from ratchet.reach.calls import stores
from ratchet.reach.facts import MAIN

_SCRIPT = re.compile(rb"^if\s+\(?__name__\s*==\s*[\"']__main__[\"']", re.MULTILINE)
# Begins with a text, which is looked for many times faster. Parts are bounded, as each takes memory.
_IMPORT = re.compile(rb"import\b(?:[^\n(\\]+|\\\r?\n?){0,999}(?:\((?:[^)#]+|#[^\n]*){0,9999})?[^\n]*\n?")
_BINDS = re.compile(rb"[ \t]*[=:]")
_WORD = re.compile(rb"\w")
_NAME = re.compile(r"[\s\\]*((?:\w+\.)*\w+)\s*[,)]")
_LITERAL = re.compile(r"[\s\\]*([\"'])(\w+)\1\s*[,)]")


def has_word(data: bytes, word: bytes) -> bool:
    """Whether bytes hold a word, and not only as a part of a longer one."""
    at = data.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_WORD.match(data, end) or (at and _WORD.match(data, at - 1))):
            return True
        at = data.find(word, end)
    return False


def import_lines(data: bytes) -> bytes:
    """The lines that may import something: all with the word, those that they go on from, and what follows in
    parentheses."""
    found, end = [], 0
    for match in _IMPORT.finditer(data):
        start = data.rfind(b"\n", end, match.start()) + 1 or end
        while start > end and data.endswith((b"\\\n", b"\\\r\n"), end, start):
            start = data.rfind(b"\n", end, start - 1) + 1 or end
        end = match.end()
        found.append(data[start:end])
    return b"".join(found)


def is_script(data: bytes) -> bool:
    """Whether a file does something where it is started as a script."""
    return MAIN.encode() in data and _SCRIPT.search(data) is not None


def defines(data: bytes, name: str) -> bool:
    """Whether a module plainly defines a function under a name, once; False says nothing."""
    line = b"\n" + name.encode()
    if data.count(b"\ndef %s(" % line[1:]) + data.count(b"\nasync def %s(" % line[1:]) != 1:
        return False
    at = data.find(line)
    while at >= 0:  # anything else that the module binds the name to
        if _BINDS.match(data, at + len(line)):
            return False
        at = data.find(line, at + len(line))
    return True


def literals(text: str, keyword: str) -> frozenset[str] | None:
    """The texts that calls are given as a keyword argument; None where one is given anything else."""
    found = set()
    for match in re.finditer(rf"{re.escape(keyword)}[\s\\]*=(?!=)", text):
        literal = _LITERAL.match(text, match.end())
        if literal is None:
            return None
        found.add(literal[2])
    return frozenset(found)


def targets(text: str, starts: str) -> frozenset[str] | None:
    """The names of the functions that a text starts as processes; None where one of them is no plain name.

    `starts` is a pattern that matches up to where the name stands.
    """
    found = set()
    for match in re.finditer(starts, text):
        target = _NAME.match(text, match.end())
        if target is None or not _is_own(text, *target[1].rpartition(".")[::2]):
            return None
        found.add(target[1].rpartition(".")[2])
    return frozenset(found)


def _is_own(text: str, owner: str, name: str) -> bool:
    """Whether a name is what a function is defined as: the text does not give it to something else."""
    if owner:
        return name not in stores(text)
    word = re.escape(name)
    if re.search(rf"\b{word}\s*=(?!=)|\bas\s+{word}\b|\bfor\s+{word}\b", text):
        return False
    return bool(
        re.search(
            rf"\bdef\s+{word}\b|\bimport\b[^\n]*\b{word}\b|^\s+{word},?\s*(?:#.*)?$", text, re.MULTILINE
        )
    )
