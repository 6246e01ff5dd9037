"""Facts about regular expressions: whether they compile, which words they need, where they can match."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

ASCII = frozenset(chr(code) for code in range(128))


@lru_cache(maxsize=256)
def compile_regex(regex: str) -> re.Pattern[str]:
    """The compiled expression; `^` and `$` stand for the ends of lines."""
    return re.compile(regex, re.MULTILINE)


def required_words(regex: str) -> tuple[str, ...]:
    """Texts of which every match holds at least one; empty where that cannot be told."""
    if compile_regex(regex).flags & re.IGNORECASE:
        return ()
    words = min(_required(parsed(regex)), key=_cost, default=())
    return tuple(word for word in words if not any(other != word and other in word for other in words))


def stays_on_line(regex: str) -> bool:
    """Whether no match can hold a line end, so that lines can be looked at one by one."""
    return not compile_regex(regex).flags & re.DOTALL and _stays(parsed(regex))


def parsed(regex: str) -> Any:
    """The parts of an expression, as pairs of what each is and what it holds."""
    # The parser of `re` has no public name; its tree is the same on all supported versions.
    if sys.version_info >= (3, 11):
        parser = getattr(re, "_parser")  # noqa: B009
    else:
        import sre_parse as parser
    return parser.parse(regex, re.MULTILINE)


def _cost(words: tuple[str, ...]) -> tuple[int, int]:
    """Words are better the longer the shortest of them is, up to a point, and the fewer they are."""
    return (-min(8, *map(len, words), 8), len(words))


def _required(items: Any) -> Iterator[tuple[str, ...]]:
    """Alternatives for the texts that a sequence needs: runs of literals, and what its parts need."""
    run = ""
    for code, value in items:
        name = str(code)
        if name == "LITERAL":
            run += chr(value)
        elif name != "AT":
            yield from _with_branch(run, value[1]) if name == "BRANCH" else _as_words(run)
            yield from _required_of(name, value)
            run = ""
    yield from _as_words(run)


def _with_branch(run: str, branches: Any) -> Iterator[tuple[str, ...]]:
    """A run of literals, and it with what each branch after it starts with: the parser splits those."""
    yield from _as_words(run)
    joined = tuple(dict.fromkeys(run + _leading(branch) for branch in branches))
    if all(joined):
        yield joined


def _as_words(run: str) -> Iterator[tuple[str, ...]]:
    if run:
        yield (run,)


def _leading(items: Any) -> str:
    """The literals that a sequence starts with."""
    run = ""
    for code, value in items:
        if str(code) != "LITERAL":
            break
        run += chr(value)
    return run


def _required_of(name: str, value: Any) -> Iterator[tuple[str, ...]]:
    if name == "SUBPATTERN" and not value[1] & re.IGNORECASE:
        yield from _required(value[-1])
    elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
        yield from _required(value[2])
    elif name == "BRANCH":
        each = [min(_required(branch), key=_cost, default=()) for branch in value[1]]
        if all(each):
            yield tuple(dict.fromkeys(word for words in each for word in words))


def _stays(items: Any) -> bool:
    return all(_stays_part(str(code), value) for code, value in items)


def _stays_part(name: str, value: Any) -> bool:
    if name == "SUBPATTERN":
        return not value[1] & re.DOTALL and _stays(value[-1])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _stays(value[2])
    if name == "BRANCH":
        return all(map(_stays, value[1]))
    if name in ("ASSERT", "ASSERT_NOT"):
        # What is looked at, not matched, may be the line end itself but nothing behind it.
        return bool(value[1].getwidth()[1] <= 1)
    if name == "AT":
        return "STRING" not in str(value)
    return name in ("LITERAL", "NOT_LITERAL", "IN", "ANY") and "\n" not in characters(name, value)


def characters(name: str, value: Any, universe: frozenset[str] = ASCII) -> frozenset[str]:
    """Those characters out of `universe` that a part of an expression, which stands for one, can match."""
    if name == "LITERAL":
        return frozenset(chr(value))
    if name == "NOT_LITERAL":
        return universe - {chr(value)}
    if name == "RANGE":
        return frozenset(char for char in universe if value[0] <= ord(char) <= value[1])
    if name == "CATEGORY":
        return _category(str(value), universe)
    if name == "IN":
        parts = [(str(code), inner) for code, inner in value]
        found = frozenset().union(*(characters(*part, universe) for part in parts if part[0] != "NEGATE"))
        return universe - found if parts[0][0] == "NEGATE" else found
    return universe - {"\n"} if name == "ANY" else universe


def _category(name: str, universe: frozenset[str]) -> frozenset[str]:
    kind = name.rpartition("_")[2]
    escapes = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
    found = frozenset(re.findall(escapes.get(kind, "[^x]|x"), "".join(sorted(universe)), re.DOTALL))
    return universe - found if "_NOT_" in name else found
