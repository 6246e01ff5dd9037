"""The sites of one rule against its baseline: known, new, moved and gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType

from ratchet.frozen import dataclass, field, replace
from ratchet.model import Baseline, Census, Move, Row, Rule, RuleVerdict, Site

Key = tuple[str, str, str]
Renames = Mapping[str, str]
"""Files that git calls renamed: the old path by the new one."""

DefinesScope = Callable[[str, str], bool]
"""Whether the file at a path still defines a scope; asked only about scopes that lost all of their sites."""

NO_RENAMES: Renames = MappingProxyType({})


def compare(
    rule: Rule,
    sites: Iterable[Site],
    baseline: Baseline,
    census: Census,
    renames: Renames = NO_RENAMES,
    defines: DefinesScope | None = None,
) -> RuleVerdict:
    """The sites of a rule against its rows, both as multisets of (path, scope, code).

    Of identical sites beyond a row's count the last ones are new. A row is gone only where the run saw that
    it is: it judged the row's file, or it knows that there is no such file any more. A new site and a gone
    row are one *moved* site where scope and code are the same and the old file is no more, or where path
    and code are the same and the old scope is no more. Without `defines`, a scope that has no site left is
    taken to be no more.
    """
    ordered = tuple(sorted(sites, key=position))
    pairing = _Pairing({row.key: row.count for row in baseline.rows})
    known, excess = pairing.split(ordered)
    evidence = _Evidence.of(census, renames)
    missing = [row for row in baseline.rows if pairing.left[row.key] and evidence.speaks_of(row.path)]
    if missing and excess:
        excess = _moved_files(pairing, excess, missing, evidence)
        excess = _moved_scopes(pairing, excess, missing, _Scopes.of(ordered, baseline, defines))
    return RuleVerdict(
        rule=rule,
        sites=ordered,
        baseline=baseline.total,
        known=tuple(known),
        new=tuple(excess),
        moved=tuple(sorted(pairing.moves, key=lambda move: position(move.site))),
        gone=tuple(replace(row, count=pairing.left[row.key]) for row in missing if pairing.left[row.key]),
    )


def position(site: Site) -> tuple[str, int, int, str, str]:
    """What sites are ordered by: path, then where they stand."""
    return (site.path, site.span.line, site.span.column, site.scope, site.code)


@dataclass(slots=True)
class _Pairing:
    """What is left of each row's count while sites are paired with rows, and the moves found on the way."""

    left: dict[Key, int]
    moves: list[Move] = field(default_factory=list)

    def split(self, sites: Iterable[Site]) -> tuple[list[Site], list[Site]]:
        """Sites within the count of their own row, and sites beyond it."""
        left = self.left
        known: list[Site] = []
        excess: list[Site] = []
        for site in sites:
            key = site.key
            allowed = left.get(key, 0)
            if allowed:
                left[key] = allowed - 1
                known.append(site)
            else:
                excess.append(site)
        return known, excess

    def move(
        self,
        sites: Iterable[Site],
        rows: Sequence[Row],
        of_site: Callable[[Site], Hashable],
        of_row: Callable[[Row], Hashable],
    ) -> list[Site]:
        """Pair sites with rows that are alike, first with first; gives back the sites that found none."""
        if not rows:
            return list(sites)
        waiting: dict[Hashable, list[Row]] = defaultdict(list)
        for row in reversed(rows):
            waiting[of_row(row)].append(row)
        unpaired: list[Site] = []
        for site in sites:
            candidates = waiting.get(of_site(site), [])
            while candidates and not self.left[candidates[-1].key]:
                candidates.pop()
            if candidates:
                self.left[candidates[-1].key] -= 1
                self.moves.append(Move(site, candidates[-1]))
            else:
                unpaired.append(site)
        return unpaired


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a run knows about files: those it judged, those it could not judge, those that git renamed."""

    judged: frozenset[str]
    unjudged: frozenset[str]
    complete: bool
    absent: frozenset[str]
    new_names: Mapping[str, str]

    @classmethod
    def of(cls, census: Census, renames: Renames) -> _Evidence:
        unjudged = frozenset(problem.path for problem in census.problems)
        new_names = {old: new for new, old in renames.items()}
        return cls(census.judged - unjudged, unjudged, census.complete, census.absent, new_names)

    def speaks_of(self, path: str) -> bool:
        return path in self.judged or self.is_gone(path)

    def is_gone(self, path: str) -> bool:
        if path in self.judged or path in self.unjudged:
            return False
        return self.complete or path in self.absent or self.new_names.get(path) in self.judged


@dataclass(frozen=True, slots=True)
class _Scopes:
    """Which scopes of a file lost all of their sites, and which had none before."""

    now: frozenset[tuple[str, str]]
    before: frozenset[tuple[str, str]]
    defines: DefinesScope | None

    @classmethod
    def of(cls, sites: Iterable[Site], baseline: Baseline, defines: DefinesScope | None) -> _Scopes:
        now = frozenset((site.path, site.scope) for site in sites)
        return cls(now, frozenset((row.path, row.scope) for row in baseline.rows), defines)

    def is_gone(self, path: str, scope: str) -> bool:
        # The module's own scope, which has no name, lasts as long as its file.
        if not scope or (path, scope) in self.now:
            return False
        return self.defines is None or not self.defines(path, scope)

    def is_new(self, path: str, scope: str) -> bool:
        return bool(scope) and (path, scope) not in self.before


def _moved_files(
    pairing: _Pairing, sites: list[Site], missing: Iterable[Row], evidence: _Evidence
) -> list[Site]:
    """Sites whose scope and code stood in a file that is no more; in its new name, if git knows it, first."""
    rows = [row for row in missing if evidence.is_gone(row.path)]
    new_names = evidence.new_names
    sites = pairing.move(
        sites,
        [row for row in rows if row.path in new_names],
        lambda site: site.key,
        lambda row: (new_names[row.path], row.scope, row.code),
    )
    return pairing.move(sites, rows, lambda site: (site.scope, site.code), lambda row: (row.scope, row.code))


def _moved_scopes(
    pairing: _Pairing, sites: list[Site], missing: Iterable[Row], scopes: _Scopes
) -> list[Site]:
    """Sites whose path and code stood in a scope that is no more; a scope of the same last name first."""
    wanted = {(site.path, site.code) for site in sites if scopes.is_new(site.path, site.scope)}
    rows = [
        row
        for row in missing
        if pairing.left[row.key] and (row.path, row.code) in wanted and scopes.is_gone(row.path, row.scope)
    ]
    sites = pairing.move(
        sites,
        rows,
        # False, the key of a site in a scope that had sites before, is no row's.
        lambda site: scopes.is_new(site.path, site.scope) and (site.path, site.code, _last_name(site.scope)),
        lambda row: (row.path, row.code, _last_name(row.scope)),
    )
    return pairing.move(
        sites,
        [row for row in rows if pairing.left[row.key]],
        lambda site: scopes.is_new(site.path, site.scope) and (site.path, site.code),
        lambda row: (row.path, row.code),
    )


def _last_name(scope: str) -> str:
    return scope.rpartition(".")[2]
