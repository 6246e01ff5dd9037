"""The number of a series over time, as the charts draw it: in a terminal and as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from ratchet.frozen import dataclass
from ratchet.history.model import Series
from ratchet.history.projection import moment


@dataclass(frozen=True, slots=True)
class Curve:
    """A number that stands from each of its `times` (seconds) to the next, the last one to `end`.

    None is a time in which nobody knows the number. `top` is the largest one.
    """

    times: tuple[float, ...]
    numbers: tuple[int | None, ...]
    end: float

    @classmethod
    def of(cls, series: Series, now: str) -> Curve:
        """The curve of a series up to the time `now` (ISO 8601); empty without a step."""
        times: list[float] = []
        for step in series.steps:
            # Clocks differ: a commit that says it is older than the one before stands beside it.
            times.append(max(moment(step.commit.date).timestamp(), times[-1] if times else 0.0))
        end = max(moment(now).timestamp(), times[-1] if times else 0.0)
        return cls(tuple(times), tuple(step.number for step in series.steps), end)

    @property
    def top(self) -> int:
        """The largest number, at least 1."""
        return max((number for number in self.numbers if number is not None), default=0) or 1

    def samples(self, count: int) -> Sequence[int | None]:
        """The number at the end of each of `count` equal parts of the time; the last one is that of now."""
        if not self.times:
            return []
        start, length = self.times[0], self.end - self.times[0]
        taken: list[int | None] = []
        at = 0
        for part in range(1, count + 1):
            time = self.end if part == count else start + length * part / count
            while at + 1 < len(self.times) and self.times[at + 1] <= time:
                at += 1
            taken.append(self.numbers[at])
        return taken
