"""Findings: one place in code that uses an engine, and what becomes of it with a newer release."""

from __future__ import annotations

from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Problem, Span

Kind = Literal[
    "import",
    "module",
    "attribute",
    "call",
    "string",
    "star",
    "field",
    "leaf",
    "method",
    "keyword",
    "subclass",
]
Change = Literal["gone", "moved", "refuses", "changed", "absent", "unknown"]
"""`absent`: no release of the range has it. `refuses`: it is there and only raises. `unknown`: no telling."""


@dataclass(frozen=True, slots=True)
class Use:
    """A dotted name of the engine at a place in a file.

    `guarded` where the code expects that it may be missing: in a `try` that catches that, in a getattr with a
    default; `safe` where it also catches what a function raises that only raises. `alternatives` are the
    other dotted names that the same `try` binds to the same name.
    """

    path: str
    span: Span
    kind: Kind
    dotted: str
    guarded: bool = False
    alternatives: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A use that the newer release does not have, or has elsewhere.

    `since` is the first release of the range that lacks it, None for what none has or nothing is known of.
    `instead` is a dotted name or an expression to write, empty where none is known; `advice` the sentence for
    people. `sure` says that nothing else can be meant and that the code does not expect it to be missing;
    `rewritable` that `--write` rewrites it, and `kept` why it does not although it is sure what to write.
    """

    path: str
    span: Span
    kind: Kind
    what: str
    change: Change
    since: str | None
    instead: str
    advice: str
    guarded: bool
    sure: bool
    rewritable: bool = False
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What a run found: of `discovered` files `analysed` were parsed, the others hold no tracked name.

    `rewritten` are the files that were written.
    """

    old: str
    new: str
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]
    discovered: int
    analysed: int
    rewritten: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 where nothing is to be done, 1 with findings that are not guarded, 3 where not all is judged."""
        if self.problems or not self.discovered:
            return 3
        return int(any(not finding.guarded for finding in self.findings))
