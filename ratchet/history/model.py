"""The frozen types of the story of rules in git: steps, series, and where they lead."""

from __future__ import annotations

from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Mode
from ratchet.source.log import Commit

Outlook = Literal["done", "falling", "not-falling", "unknown"]


@dataclass(frozen=True, slots=True)
class Projection:
    """Where the last steps lead, if all goes on as it did.

    `steps` is how many of the last steps it stands on. `per_week` is by how many sites the number fell in a
    week, from the first of these steps to the newest commit. `end` is the ISO date on which it would be 0,
    None unless `outlook` is `falling`.
    """

    outlook: Outlook
    steps: int = 0
    per_week: float = 0.0
    end: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A commit after which a rule had another number than before it.

    `committed` is the number in its baseline file, None where there is none or none that can be read (`fault`
    says why). `counted` is the number of sites in the commit's tree by today's rule, None where nobody
    counted, or the rule did not apply to that engine version. `unjudged` is how many files of that tree could
    not be judged, so that `counted` may be too low. `adopted` says that the baseline was made for another
    version of the rule than the one before: the two numbers cannot be compared. Where a tree was counted
    and its baseline is of today's rule, `unrecorded` are its sites that the baseline lacks, and `stale` the
    sites of the baseline that it lacks.
    """

    commit: Commit
    committed: int | None
    counted: int | None = None
    unjudged: int = 0
    adopted: bool = False
    unrecorded: int = 0
    stale: int = 0
    fault: str = ""

    @property
    def number(self) -> int | None:
        """The number of sites: what was counted, else what was committed."""
        return self.committed if self.counted is None else self.counted

    @property
    def disagrees(self) -> bool:
        """Whether the committed baseline and the counted tree differ."""
        return bool(self.unrecorded or self.stale)


@dataclass(frozen=True, slots=True)
class Series:
    """The steps of one rule, oldest first. `mode` is None for a rule that the packs no longer have."""

    rule: str
    title: str
    mode: Mode | None
    steps: tuple[Step, ...]
    projection: Projection

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the steps that have one."""
        return tuple(step.number for step in self.steps if step.number is not None)


@dataclass(frozen=True, slots=True)
class History:
    """The story of the rules of a tree, up to the commit `head`.

    `recounted` is how many trees of commits were counted, 0 where only baseline files were read.
    """

    head: Commit
    series: tuple[Series, ...]
    recounted: int = 0
    notes: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the number of `head` is not known, a sentence for each rule of which that is so."""
        last = (each.steps[-1] for each in self.series if each.steps)
        return tuple(dict.fromkeys(step.fault for step in last if step.fault))

    @property
    def exit_code(self) -> int:
        """0, or 3 where the number of `head` is not known for a rule."""
        return 3 if self.faults else 0
