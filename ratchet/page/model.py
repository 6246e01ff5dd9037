"""What the page shows: frozen values, each complete or missing for a reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ratchet.codemod.hunks import Hunk
from ratchet.flow.model import Finding
from ratchet.frozen import dataclass
from ratchet.history.left import Left
from ratchet.history.model import History
from ratchet.history.status import Status
from ratchet.model import Rule, Verdict
from ratchet.report.context import State
from ratchet.roles.model import Report
from ratchet.wording import NO_FILES


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the page is to hold. `rules` are ids, all where there are none.

    `today` is an ISO date, as in a check. `roles` asks for the roles, which takes as long as a cold check;
    `audits` are files that record mode wrote.
    """

    rules: tuple[str, ...] = ()
    today: str = ""
    roles: bool = False
    audits: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """A part of the page for which there is no evidence, and why: it is never shown as empty."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What the codemod makes of a file when all of its sites that can move do: its changed lines, in order.

    `along` are the places in `hunks` of those that no site stands in: imports, and names that lost their use.
    """

    hunks: tuple[Hunk, ...]
    along: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A site with the lines around it, which start at `start`, and what is proposed for it.

    `state` is what it is against the baseline, None where there is none. `hunks` are places in those of its
    file's rewrite: the lines of the site, or of its reads, that change. `details` say why it stays.
    """

    left: Left
    state: State | None
    start: int
    lines: tuple[str, ...]
    hunks: tuple[int, ...]
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page.

    `unbased` says why nothing could be compared with the baselines, `ownerless` why no file has an owner.
    `rewrites` are the files that a codemod can change today, by path.
    """

    verdict: Verdict
    unbased: Missing | None
    ownerless: Missing | None
    status: Status
    sites: tuple[Shown, ...]
    rewrites: Mapping[str, Rewrite]
    history: History | Missing
    findings: tuple[tuple[Rule, Finding], ...] | Missing
    roles: Report | Missing

    @property
    def alarms(self) -> tuple[str, ...]:
        """What keeps the page from being the whole truth, a sentence each."""
        census = self.verdict.census
        problems = dict.fromkeys((*census.problems, *self.status.problems))
        told = [f"{each.path}:{each.line}: not judged: {each.message}" for each in problems]
        return (*([NO_FILES] if census.found_nothing else ()), *self.verdict.faults, *told)

    @property
    def exit_code(self) -> int:
        """0, or 3 where something could not be judged."""
        return 3 if self.alarms else 0
