"""A rewritten file as its changed lines: what a diff shows, from the splices that made the difference."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ratchet.analysis.lines import Lines
from ratchet.codemod.model import Rewritten
from ratchet.codemod.splice import Splice, splice
from ratchet.frozen import dataclass
from ratchet.syntax.document import text_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a file and what stands in their place, without line ends.

    `old` begins at line `line` of the file as it is; where nothing is old, `new` comes before that line.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]

    def touches(self, first: int, last: int) -> bool:
        """Whether one of the lines from `first` to `last` changes."""
        return bool(self.old) and self.line <= last and first < self.line + len(self.old)


def hunks_of(file: Rewritten) -> tuple[Hunk, ...]:
    """The changed lines of a rewritten file, in order; put in their places, they give it as it becomes."""
    text = text_of(file.old)
    lines = Lines(text)
    starts = (*lines.starts, len(text))
    found = []
    for first, last, splices in _grouped(file, lines):
        start, end = starts[first - 1], starts[min(last, len(starts) - 1)]
        old, new = _lines(text[start:end]), _lines(splice(text, splices, start, end))
        same = _common(old, new)
        old, new = old[same:], new[same:]
        tail = _common(old[::-1], new[::-1])
        hunk = Hunk(first + same, old[: len(old) - tail], new[: len(new) - tail])
        if hunk.old or hunk.new:
            found.append(hunk)
    return tuple(found)


def _grouped(file: Rewritten, lines: Lines) -> list[tuple[int, int, list[Splice]]]:
    """The splices of neighbouring lines together, with the first and the last of these."""
    groups: list[tuple[int, int, list[Splice]]] = []
    for change in sorted(file.changes):
        first, last = lines.line_of(change[0]), _last(change, lines)
        if groups and first <= groups[-1][1]:
            start, before, splices = groups.pop()
            groups.append((start, max(before, last), [*splices, Splice(*change)]))
        else:
            groups.append((first, last, [Splice(*change)]))
    return groups


def _last(change: tuple[int, int, str], lines: Lines) -> int:
    """The last line of a change; that before its end where it takes whole lines."""
    start, end, text = change
    last = lines.line_of(end)
    whole = text.endswith(("\n", "\r")) or (not text and lines.starts[lines.line_of(start) - 1] == start)
    return last - 1 if whole and start < end and end == lines.starts[last - 1] else last


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.rstrip("\r\n") for line in _LINE.findall(text))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
