"""Why a regular expression cannot serve: it is none, it matches everywhere, or it can run away.

It runs away where it takes a time that doubles with every further character. That is so where, inside of a
repetition, the same text can be matched in two ways: a text that holds it n times and fails behind it is
tried in two to the n ways. The parts of the expression that take a character are its positions (Glushkov's
automaton, with how often one leads to another); it runs away where a position comes back to itself in two
ways with the same characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ratchet.frozen import dataclass
from ratchet.matching.regex import ASCII, characters, compile_regex, parsed

_MANY = 10
"""More repetitions than this are as bad as any number of them: two to the tenth is no time to wait."""

_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_IGNORES_CASE = re.compile(r"\(\?[a-zA-Z]*i")
_TAKES_ALL = re.compile(r"\(\?[a-zA-Z]*s")

_Pair = tuple[int, int]


def regex_fault(regex: str) -> str | None:
    """Why a regular expression cannot serve, None where it can."""
    try:
        compiled = compile_regex(regex)
        if compiled.search(""):
            return "it matches the empty string, which is everywhere"
        runs_away = can_run_away(regex)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return "it can run away: it repeats what matches in several ways, as (a+)+ does" if runs_away else None


def can_run_away(regex: str) -> bool:
    """Whether an expression can take exponential time on some texts, as `(a+)+` and `(a?){30}` do."""
    reading = _Reading(regex)
    reading.sequence(parsed(regex), 1)
    return reading.repeats_nothing or reading.is_ambiguous()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an expression: in how many ways it matches nothing, and the positions at its ends."""

    empty: int
    first: Counter[int]
    last: Counter[int]


_NOTHING = _Part(1, Counter(), Counter())


class _Reading:
    """The positions of an expression with their characters, and how often each leads to which others.

    Positions are numbered from left to right, so that those of a loop are a range.
    """

    def __init__(self, regex: str) -> None:
        flags = compile_regex(regex).flags
        self._universe = ASCII | frozenset(regex)
        self._folds = bool(flags & re.IGNORECASE or _IGNORES_CASE.search(regex))
        self._takes_all = bool(flags & re.DOTALL or _TAKES_ALL.search(regex))
        self._characters: list[frozenset[str]] = []
        self._loops: list[range] = []
        self._groups: dict[int | None, frozenset[str]] = {}
        self._follow: dict[int, Counter[int]] = {}
        self.repeats_nothing = False

    def sequence(self, items: Iterable[Any], times: int) -> _Part:
        """Read parts that stand one after the other, `times` of them as they are repeated around."""
        whole = _NOTHING
        for code, value in items:
            whole = self._joined(whole, self._read(str(code), value, times))
        return whole

    def _read(self, name: str, value: Any, times: int) -> _Part:
        if name in _REPEATS:
            least, most, body = value
            return self._repeated(name, least, most, body, times)
        if name == "SUBPATTERN":
            return self._group(value[0], value[-1], times)
        if name == "BRANCH":
            return _either(self.sequence(branch, times) for branch in value[1])
        if name == "GROUPREF_EXISTS":
            return _either(self.sequence(branch or (), times) for branch in value[1:])
        if name == "ATOMIC_GROUP":
            return self.sequence(value, times)
        if name in ("ASSERT", "ASSERT_NOT"):
            self.sequence(value[1], times)
            return _NOTHING
        if name == "AT":
            return _NOTHING
        return self._position(name, value)

    def _group(self, number: int | None, body: Any, times: int) -> _Part:
        start = len(self._characters)
        part = self.sequence(body, times)
        self._groups[number] = frozenset().union(*self._characters[start:])
        return part

    def _position(self, name: str, value: Any) -> _Part:
        number = len(self._characters)
        known = self._groups.get(value) if name == "GROUPREF" else None
        found = characters(name, value, self._universe) if known is None else known
        if self._folds:
            found |= frozenset(other for char in found for other in (char.lower(), char.upper()))
        self._characters.append(found | {"\n"} if name == "ANY" and self._takes_all else found)
        self._follow[number] = Counter()
        return _Part(int(name == "GROUPREF"), Counter([number]), Counter([number]))

    def _repeated(self, name: str, least: int, most: int, body: Any, times: int) -> _Part:
        if most * times > _MANY:
            start = len(self._characters)
            part = self.sequence(body, times)
            self.repeats_nothing |= bool(part.empty and part.first and int(least) * times > _MANY)
            if name != "POSSESSIVE_REPEAT":
                self._lead(part.last, part.first)
                outermost = [loop for loop in self._loops if loop.start < start]
                self._loops = [*outermost, range(start, len(self._characters))]
            return _Part(min(part.empty, 1) if least else 1, part.first, part.last)
        whole = _NOTHING
        for number in range(most, 0, -1):
            part = self.sequence(body, times * most)
            whole = self._joined(part, whole)
            if number > least:
                # An optional round that matches nothing is the same as none.
                whole = _Part(1, whole.first, whole.last)
        return whole

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._lead(left.last, right.first)
        return _Part(
            min(left.empty * right.empty, 2),
            left.first + _times(right.first, left.empty),
            right.last + _times(left.last, right.empty),
        )

    def _lead(self, before: Counter[int], after: Counter[int]) -> None:
        for one, ways in before.items():
            self._follow[one].update(_times(after, ways))

    def is_ambiguous(self) -> bool:
        """Whether a position comes back to itself in two ways, over the same characters."""
        return any(self._parts_ways(position, loop) for loop in self._loops for position in loop)

    def _parts_ways(self, position: int, loop: range) -> bool:
        """Whether two round trips from a position, inside of the outermost loop around it, differ."""
        start = (position, position)
        back: dict[_Pair, list[_Pair]] = {start: []}
        pending = [start]
        while pending:
            pair = pending.pop()
            for other in self._next(*pair, loop):
                if other not in back:
                    back[other] = []
                    pending.append(other)
                back[other].append(pair)
        home: set[_Pair] = set()
        pending = [start]
        while pending:
            for pair in back[pending.pop()]:
                if pair not in home:
                    home.add(pair)
                    pending.append(pair)
        return any(one != other or self._leads_twice(one, home) for one, other in home)

    def _next(self, one: int, other: int, loop: range) -> Iterator[_Pair]:
        rights = [right for right in self._follow[other] if right in loop]
        for left in self._follow[one]:
            if left in loop:
                taken = self._characters[left]
                yield from ((left, right) for right in rights if taken & self._characters[right])

    def _leads_twice(self, position: int, home: set[_Pair]) -> bool:
        return any(ways > 1 and (to, to) in home for to, ways in self._follow[position].items())


def _either(parts: Iterable[_Part]) -> _Part:
    whole = _Part(0, Counter(), Counter())
    for part in parts:
        whole = _Part(min(whole.empty + part.empty, 2), whole.first + part.first, whole.last + part.last)
    return whole


def _times(positions: Counter[int], ways: int) -> Counter[int]:
    return Counter({position: count * ways for position, count in positions.items() if ways})
