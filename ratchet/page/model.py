"""What the page shows: frozen values, each complete or missing for a reason."""

from __future__ import annotations

from pathlib import Path

from ratchet.flow.model import Finding
from ratchet.frozen import dataclass
from ratchet.history.left import Left
from ratchet.history.model import History
from ratchet.history.status import Status
from ratchet.model import Rule, Verdict
from ratchet.report.context import State
from ratchet.roles.model import Report


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
class Proposal:
    """What a codemod would write: the lines from `line` on as they are and as they would be.

    Where no whole line can be told, `old` and `new` are the expressions, and `note` says so. Nothing new
    means that the statement goes.
    """

    line: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A site with the lines around it, which start at `start`, and what is proposed for it.

    `state` is what it is against the baseline, None where there is none. `details` say why it stays.
    """

    left: Left
    state: State | None
    start: int
    lines: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page.

    `unbased` says why nothing could be compared with the baselines, `ownerless` why no file has an owner.
    """

    verdict: Verdict
    unbased: Missing | None
    ownerless: Missing | None
    status: Status
    sites: tuple[Shown, ...]
    history: History | Missing
    findings: tuple[tuple[Rule, Finding], ...] | Missing
    roles: Report | Missing

    @property
    def alarms(self) -> tuple[str, ...]:
        """What keeps the page from being the whole truth, a sentence each."""
        census = self.verdict.census
        nothing = f"no Python file was found under {self.verdict.root}: correct the root, or what is excluded"
        problems = dict.fromkeys((*census.problems, *self.status.problems))
        told = [f"{each.path}:{each.line}: not judged: {each.message}" for each in problems]
        return (*([nothing] if census.found_nothing else ()), *self.verdict.faults, *told)

    @property
    def exit_code(self) -> int:
        """0, or 3 where something could not be judged."""
        return 3 if self.alarms else 0
