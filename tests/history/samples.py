"""Series made by hand, with dates and numbers that say what is drawn."""

from __future__ import annotations

from ratchet.history.model import History, Series, Step
from ratchet.history.projection import project
from ratchet.source.log import Commit


def commit(day: int, author: str = "Ann", subject: str = "Less") -> Commit:
    """A commit on a day of January 2026."""
    return Commit(f"{day:040x}", author, f"2026-01-{day:02}T12:00:00+00:00", subject)


def step(day: int, number: int | None, subject: str = "Less", *, adopted: bool = False) -> Step:
    """A step with a committed number."""
    return Step(commit(day, subject=subject), number, adopted=adopted)


def series(*steps: Step, rule: str = "writes", now: int = 31) -> Series:
    """A series up to a day."""
    return Series(rule, "writes of the record", "ratchet", steps, project(steps, commit(now).date))


def history(*told: Series, now: int = 31) -> History:
    """The history of some series."""
    return History(commit(now), told)
