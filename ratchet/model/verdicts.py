"""Sites, the baselines that they are compared with, and the verdict of a run."""

from __future__ import annotations

from ratchet.frozen import dataclass
from ratchet.model.accesses import Form, Operation, Origin, Problem, Span
from ratchet.model.rules import Rule


@dataclass(frozen=True, slots=True)
class Site:
    """An access or a match that a rule counts. Its identity is `key`; its position only locates it."""

    rule: str
    path: str
    span: Span
    scope: str
    code: str
    operation: Operation | None = None
    origin: Origin | None = None
    form: Form | None = None
    field: str | None = None
    namespace: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Path, scope and code: what a baseline row is made of."""
        return (self.path, self.scope, self.code)


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One line of a baseline: a site identity, how many there are, and why they were allowed (or empty)."""

    path: str
    scope: str
    code: str
    count: int
    reason: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Path, scope and code: what a site is compared by."""
        return (self.path, self.scope, self.code)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The committed rows of a rule, sorted, with the fingerprint of the rule that they were adopted for."""

    rule: str
    fingerprint: str
    rows: tuple[Row, ...]

    @property
    def total(self) -> int:
        """How many sites the rows hold together."""
        return sum(row.count for row in self.rows)


@dataclass(frozen=True, slots=True)
class Census:
    """What a run saw: how many files it discovered, analysed, judged by their bytes, and could not judge.

    `judged` holds the paths that were read and judged (by parse or by bytes), so that a partial run knows
    which rows it may call gone; `complete` says whether that is the whole tree. `ignored` counts arguments
    outside of the root. `absent` holds the paths that a partial run was asked about and that are no more.
    """

    discovered: int
    analysed: int
    judged_by_bytes: int
    judged: frozenset[str]
    complete: bool
    problems: tuple[Problem, ...] = ()
    ignored: int = 0
    absent: frozenset[str] = frozenset()

    @property
    def found_nothing(self) -> bool:
        """Whether the run was to see a whole tree and found no file; a part may well hold none."""
        return self.complete and not self.discovered


@dataclass(frozen=True, slots=True)
class Move:
    """A site of now that stands for a baseline row of another path or another scope."""

    site: Site
    row: Row


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The sites of a rule now, against its baseline. `gone` rows carry how many of them are missing.

    `baseline` is None where there is nothing to compare with (`count`); `skipped` says why a rule did not
    apply (an engine version outside its own), and then its count is 0.
    """

    rule: Rule
    sites: tuple[Site, ...]
    baseline: int | None = None
    known: tuple[Site, ...] = ()
    new: tuple[Site, ...] = ()
    moved: tuple[Move, ...] = ()
    gone: tuple[Row, ...] = ()
    skipped: str | None = None

    @property
    def count(self) -> int:
        """How many sites there are now."""
        return len(self.sites)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The whole run: one entry a rule in order of their ids, what was read, and what went wrong.

    `faults` are sentences about packs, rules or baselines that keep the run from judging. `notes` inform.
    `stale_fails` says whether gone and moved rows fail. `pack` and `engine` say what it was judged with.
    """

    rules: tuple[RuleVerdict, ...]
    census: Census
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stale_fails: bool = True
    engine: str | None = None
    packs: tuple[str, ...] = ()
    root: str = ""

    @property
    def exit_code(self) -> int:
        """0 clean, 1 new or stale, 3 could not judge."""
        if self.faults or self.census.problems or self.census.found_nothing:
            return 3
        failing = any(self.fails(entry) for entry in self.rules)
        return 1 if failing else 0

    def fails(self, entry: RuleVerdict) -> bool:
        """Whether this rule fails the run: it has new sites, or stale rows where those fail."""
        if entry.rule.mode == "warn" or entry.baseline is None:
            return False
        return bool(entry.new) or (self.stale_fails and bool(entry.gone or entry.moved))
