"""What is left of a migration: each site of each rule, and what a codemod can do about it today."""

from __future__ import annotations

from collections.abc import Iterable

from ratchet.checking.check import count
from ratchet.checking.migration import Migration, Request
from ratchet.checking.owning import owners_of
from ratchet.checking.settled import settled_migration, settled_rule
from ratchet.codemod.model import Edit, Plan, Skip
from ratchet.frozen import dataclass
from ratchet.model import Census, Origin, Rule, RuleVerdict, Site, Span, Verdict
from ratchet.session import Session

WIDEST = Request(everything=True, writes=True, parameters=True, chains=True)
"""A migration that is asked for everything that moves on request."""


@dataclass(frozen=True, slots=True)
class Left:
    """A site that is left. `moves` says whether a codemod plans to rewrite it; `reason` is why it stays, None
    where no codemod plans it by itself. `owner` is empty for a file that nobody owns. `entries` is all that
    the plan says about the site."""

    site: Site
    owner: str
    moves: bool
    reason: str | None = None
    entries: tuple[Edit | Skip, ...] = ()


@dataclass(frozen=True, slots=True)
class Leftover:
    """The sites that are left, by rule; with the plan that says what of them can move."""

    rules: tuple[tuple[RuleVerdict, tuple[Left, ...]], ...]
    migration: Migration
    census: Census


def leftover(session: Session, ids: Iterable[str] = ()) -> Leftover:
    """What is left of the rules of these ids, of all where none is named, in the tree on disk."""
    verdict = count(session, ids).verdict
    return left_of(session, verdict, settled_migration(session, WIDEST))


def left_of(session: Session, verdict: Verdict, migration: Migration) -> Leftover:
    """What is left by a verdict and a plan of the tree on disk."""
    fate = _Fate.of(migration.plan)
    owner_of = owners_of(session)
    rules = []
    for entry in verdict.rules:
        own = entry.rule.own_codemod is not None and entry.sites
        told = _Fate.of(settled_rule(session, migration, entry.rule, entry.sites)) if own else fate
        sites = (told.left(entry.rule, site, owner_of(site.path)) for site in entry.sites)
        rules.append((entry, tuple(sites)))
    return Leftover(tuple(rules), migration, verdict.census)


@dataclass(frozen=True, slots=True)
class _Fate:
    """The entries of a plan, by the text that they are about, and by the field in a file."""

    by_span: dict[tuple[str, Span], list[Edit | Skip]]
    by_field: dict[tuple[str, str | None, Origin | None], list[Edit | Skip]]

    @classmethod
    def of(cls, plan: Plan) -> _Fate:
        fate = cls({}, {})
        entries: list[Edit | Skip] = [*plan.edits, *plan.skips]
        for entry in entries:
            fate.by_span.setdefault((entry.path, entry.span), []).append(entry)
            fate.by_field.setdefault((entry.path, entry.field, entry.origin), []).append(entry)
        return fate

    def left(self, rule: Rule, site: Site, owner: str) -> Left:
        """A site moves where everything that the plan says about it does."""
        entries: list[Edit | Skip] = []
        if rule.filters is not None and rule.filters.unit == "path-field":
            found = self.by_field.get((site.path, site.field, site.origin), [])
            entries = [entry for entry in found if entry.operation == site.operation]
        elif rule.filters is not None or rule.own_codemod is not None:
            entries = self.by_span.get((site.path, site.span), [])
        skips = [entry for entry in entries if isinstance(entry, Skip)]
        if skips:
            return Left(site, owner, False, skips[0].reason, tuple(entries))
        return Left(site, owner, bool(entries), None, tuple(entries))
