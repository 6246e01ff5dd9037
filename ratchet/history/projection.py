"""Where a series leads: a straight line through its last steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ratchet.history.model import Projection, Step

WINDOW = 10
"""How many of the last steps a projection stands on, at most."""

_FARTHEST_DAYS = 36_525.0
_SECONDS_A_DAY = 86_400.0


def project(steps: Sequence[Step], now: str) -> Projection:
    """The projection at the time `now` (ISO 8601) of the newest commit.

    The rate is the fall from the number of the first of the last steps to the number of now, over the time in
    between; so a number that stands still slows down the longer it does. Steps before the last adoption for
    another version of the rule are left out, and those with files that could not be judged. No number now, or
    less than a day in between, is `unknown`: a pace of hours says nothing of weeks.
    """
    known = [
        (step, number)
        for step in _comparable(steps)
        if (number := step.number) is not None and not step.unjudged
    ]
    if not known or known[-1][0] is not steps[-1]:
        return Projection("unknown")
    last = known[-1][1]
    if last == 0:
        return Projection("done")
    window = known[-WINDOW:]
    start, end = moment(window[0][0].commit.date), moment(now)
    days = (end - start).total_seconds() / _SECONDS_A_DAY
    if days < 1:
        return Projection("unknown", len(window))
    rate = (window[0][1] - last) / days
    if rate <= 0 or last / rate > _FARTHEST_DAYS:
        return Projection("not-falling", len(window), round(rate * 7, 3))
    finished = end + timedelta(days=last / rate)
    return Projection("falling", len(window), round(rate * 7, 3), finished.date().isoformat())


def moment(date: str) -> datetime:
    """The time that git says, which Python 3.10 reads only with the zone spelled out."""
    return datetime.fromisoformat(f"{date[:-1]}+00:00" if date.endswith("Z") else date)


def _comparable(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps since the rule was last adopted in another version."""
    start = max((at for at, step in enumerate(steps) if step.adopted), default=0)
    return steps[start:]
