"""A program's text laid out in odd ways: the same tree, on other lines."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random

_SIMPLE = (
    *(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Import, ast.ImportFrom),
    *(ast.Pass, ast.Delete, ast.Global, ast.Raise),
)
_WORDS = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
_IN_BRACKETS = ("\n  ", " # (c\n    ", "\n\n", "\t", " \\\n")
_ANYWHERE = (" \\\n    ", "\t", "  ", " \\\n")


def laid_out(text: str, random: Random) -> str:
    """The same program with statements that share lines, lines that go on, and perhaps other line ends."""
    for change in (joined, spread):
        made = change(text, random)
        text = made if random.random() < 0.8 and _same(made, text) else text
    text = text.rstrip("\n") if random.random() < 0.1 else text
    return text.replace("\n", "\r\n") if random.random() < 0.15 else text


def joined(text: str, random: Random) -> str:
    """Statements put behind others on their line, and behind the header of their block."""
    lines, moved = text.split("\n"), list[tuple[int, str]]()
    for header, block in _blocks(ast.parse(text)):
        pairs = list(pairwise(block))
        follows = [
            isinstance(one, _SIMPLE)
            and isinstance(other, _SIMPLE)
            and one.end_lineno == other.lineno - 1
            and random.random() < 0.35
            for one, other in pairs
        ]
        moved += [
            (other.lineno, random.choice(("; ", "; ", "; ", " ; \\\n    ")))
            for (_, other), put in zip(pairs, follows, strict=True)
            if put
        ]
        first = block[0]
        opens = header and lines[first.lineno - 2].rstrip().endswith(":")
        if opens and all(follows) and isinstance(first, _SIMPLE) and random.random() < 0.3:
            moved.append((first.lineno, " "))
    for number, sign in sorted(moved, reverse=True):
        lines[number - 2 : number] = [lines[number - 2].rstrip() + sign + lines[number - 1].lstrip()]
    return "\n".join(lines)


def _blocks(tree: ast.Module) -> Iterator[tuple[bool, Sequence[ast.stmt]]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield not isinstance(node, ast.Module), block


def spread(text: str, random: Random) -> str:
    """Blanks, line ends and comments put between words, where they mean nothing."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    parts, done, depth, before = [], 0, 0, False
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = min(starts[token.start[0] - 1] + token.start[1], len(text))
        end = min(starts[min(token.end[0], len(starts)) - 1] + token.end[1], len(text))
        parts.append(text[done:start])
        word = token.type in _WORDS
        if word and before and random.random() < 0.04:
            parts.append(random.choice(_IN_BRACKETS if depth else _ANYWHERE))
        parts.append(text[start:end])
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        done, before = end, word
    return "".join(parts)


def _same(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False
