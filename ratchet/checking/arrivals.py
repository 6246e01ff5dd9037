"""What a migration makes rules count: the counts that change, and the sites that were none before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from ratchet.analysis.lines import Lines
from ratchet.baseline import operations
from ratchet.codemod.model import Rewritten
from ratchet.codemod.prediction import Change
from ratchet.codemod.shifts import Shifts
from ratchet.comparison import compare
from ratchet.frozen import replace
from ratchet.model import Baseline, Rule, RuleVerdict, Site, Span, Verdict
from ratchet.syntax.document import text_of
from ratchet.tally import Tally


def changes_between(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Change, ...]:
    """The rules that count otherwise afterwards, in order of their ids, given the counts of rules by id."""
    rules = sorted(before.keys() | after.keys())
    counts = ((rule, before.get(rule, 0), after.get(rule, 0)) for rule in rules)
    return tuple(Change(rule, old, new) for rule, old, new in counts if old != new)


def arrivals(rules: Iterable[Rule], before: Tally, after: Tally) -> tuple[Site, ...]:
    """The sites that rules count afterwards and did not before, by rule and position.

    A rule may count fewer sites in all, and among them some that were none.
    """
    found: list[Site] = []
    for rule in sorted(rules, key=lambda rule: rule.id):
        old, new = before.sites.get(rule.id, ()), after.sites.get(rule.id, ())
        if old != new:
            found += compare(rule, new, operations.from_sites(rule, old), after.census).new
    return tuple(found)


def as_they_stand(sites: Iterable[Site], files: Iterable[Rewritten]) -> tuple[Site, ...]:
    """Sites of rewritten files where they stand in the files as they are now.

    A site in new text stands where the text begins that it replaces. What a formatter moved is not known.
    """
    known = {file.path: file for file in files if file.changes}
    places: dict[str, _Places] = {}
    found = []
    for site in sites:
        if site.path in known and site.path not in places:
            places[site.path] = _Places(known[site.path])
        place = places.get(site.path)
        found.append(site if place is None else replace(site, span=place.before(site.span)))
    return tuple(found)


class _Places:
    """Where the places of a rewritten file lie in it as it is now."""

    def __init__(self, file: Rewritten) -> None:
        self._old, self._new = Lines(text_of(file.old)), Lines(text_of(file.new))
        self._shifts = Shifts(file.changes)

    def before(self, span: Span) -> Span:
        start, _ = self._shifts.before(self._offset(span.line, span.column))
        _, end = self._shifts.before(self._offset(span.end_line, span.end_column))
        return Span(*self._position(start), *self._position(end))

    def _offset(self, line: int, column: int) -> int:
        return self._new.starts[line - 1] + column - 1

    def _position(self, offset: int) -> tuple[int, int]:
        line = self._old.line_of(offset)
        return line, offset - self._old.starts[line - 1] + 1


# Against the baselines


def unexpected(verdict: Verdict, sites: Iterable[Site]) -> tuple[Site, ...]:
    """Those of some new sites for which `ratchet check` fails afterwards: no row of a baseline knows them."""
    failing = {
        entry.rule.id: Counter(site.key for site in entry.new)
        for entry in verdict.rules
        if entry.baseline is not None and entry.rule.mode != "warn"
    }
    found = []
    for site in sites:
        left = failing.get(site.rule)
        if left and left[site.key]:
            left[site.key] -= 1
            found.append(site)
    return tuple(found)


def allowed(baseline: Baseline, entry: RuleVerdict, sites: Iterable[Site], reason: str) -> Baseline:
    """A rule's baseline with these of its new sites and no other ones, each with the reason."""
    mine = tuple(site for site in sites if site.rule == entry.rule.id)
    for path in sorted({site.path for site in mine}):
        baseline = operations.allow(baseline, replace(entry, new=mine), path, reason).new
    return baseline


def told(sites: Iterable[Site]) -> Iterator[str]:
    """New sites in a clause for each rule: how many there are, and where the first ones stand."""
    by_rule: dict[str, list[Site]] = {}
    for site in sites:
        by_rule.setdefault(site.rule, []).append(site)
    for rule, found in by_rule.items():
        places = [f"{site.path}:{site.span.line}" for site in found[:3]]
        more = [f"{len(found) - 3} more"] * (len(found) > 3)
        yield f"{len(found)} of {rule} ({', '.join([*places, *more])})"
