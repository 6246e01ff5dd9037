"""What may happen to a baseline: it is adopted, tightened, or allowed to grow; all as pure functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ratchet.baseline.rows import Key, counts_of, joined_reasons, sorted_rows
from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass, replace
from ratchet.model import Baseline, Census, Row, Rule, RuleVerdict, Site, Verdict
from ratchet.wording import plural

_UNTIL = re.compile(r"\(until (\d{4}-\d{2}-\d{2})\)")


@dataclass(frozen=True, slots=True)
class Change:
    """A baseline before and after an operation, and the difference: rows with how many sites came and went.

    `old` is None where there was none. Moved sites are in neither `added` nor `removed`.
    """

    old: Baseline | None
    new: Baseline
    added: tuple[Row, ...] = ()
    removed: tuple[Row, ...] = ()
    moved: int = 0

    @property
    def changes_file(self) -> bool:
        """Whether the baseline's file has to be written."""
        return self.old != self.new


def from_sites(rule: Rule, sites: Iterable[Site], reasons: Mapping[Key, str] | None = None) -> Baseline:
    """The baseline that holds exactly these sites, each row with its reason where it has one."""
    counts = Counter(site.key for site in sites)
    return Baseline(rule.id, rule.fingerprint, sorted_rows(counts, reasons or {}))


def adopt(
    rule: Rule,
    sites: Iterable[Site],
    census: Census,
    old: Baseline | None = None,
    *,
    expect: int | None = None,
    reason: str = "",
) -> Change:
    """The rule's first baseline, or a new one for a changed rule; reasons of rows that stay are kept.

    `expect` is the number of sites that must come out. `reason` stands in the rows that a changed rule
    adds, and is asked for where there are any. Raises UsageError where an existing baseline of the same
    rule would grow, for a ban, and for a wrong `expect`; JudgeError where the whole tree was not judged.
    """
    _refuse_ban(rule)
    _refuse_unjudged(rule, census)
    reason = reason.strip()
    found = list(sites)
    now = Counter(site.key for site in found)
    if expect is not None and expect != now.total():
        raise UsageError(
            f"the rule {rule.id} has {plural(now.total(), 'site')}, not {expect} as --expect says:"
            f" run `ratchet sites {rule.id}` to see them"
        )
    before = counts_of(old)
    added = now - before
    if old and added:
        _refuse_growth(rule, old, added, reason)
    reasons = {row.key: row.reason for row in old.rows} if old else {}
    if old:
        reasons |= {key: joined_reasons(reasons.get(key, ""), reason) for key in added}
    new = from_sites(rule, found, reasons)
    return Change(old, new, sorted_rows(added, reasons), sorted_rows(before - now, reasons))


def tighten(baseline: Baseline, entry: RuleVerdict) -> Change:
    """The baseline without the rows that are gone, moved rows rewritten with their reasons; never more.

    A baseline under a former name of the rule gets its present name. Use `tighten_all` for a run's verdict,
    which refuses to lower anything after a run that could not judge.
    """
    if entry.baseline is None:
        return Change(baseline, baseline)
    counts = counts_of(baseline)
    reasons = {row.key: row.reason for row in baseline.rows}
    counts -= Counter({row.key: row.count for row in entry.gone})
    for move in entry.moved:
        counts[move.row.key] -= 1
        counts[move.site.key] += 1
        reasons[move.site.key] = joined_reasons(reasons.get(move.site.key, ""), reasons[move.row.key])
    new = Baseline(entry.rule.id, baseline.fingerprint, sorted_rows(+counts, reasons))
    return Change(baseline, new, removed=entry.gone, moved=len(entry.moved))


def tighten_all(verdict: Verdict, baselines: Mapping[str, Baseline]) -> list[Change]:
    """What tightening changes, of baselines by rule id; JudgeError after a run that could not judge."""
    if verdict.exit_code == 3:
        problems = [
            f"{problem.path}:{problem.line}: {problem.message}" for problem in verdict.census.problems
        ]
        first = [*verdict.faults, *problems, "no file was found"][0]
        raise JudgeError(f"nothing was tightened, since this run could not judge everything: {first}")
    return [
        change
        for entry in verdict.rules
        if entry.rule.id in baselines
        and entry.rule.mode != "ban"
        and (change := tighten(baselines[entry.rule.id], entry)).changes_file
    ]


def allow(
    baseline: Baseline, entry: RuleVerdict, path: str, reason: str, *, until: str | None = None
) -> Change:
    """The baseline with the new sites of one file, and why; `until` is an ISO date past which that lapses.

    Raises UsageError without a reason, for a ban, and where the file has no new site.
    """
    rule = entry.rule
    _refuse_ban(rule)
    if not reason.strip():
        raise UsageError(
            f"allowing sites of the rule {rule.id} needs a reason:"
            f" run `ratchet allow {rule.id} {path} --reason WHY`"
        )
    added = Counter(site.key for site in entry.new if site.path == path)
    if not added:
        raise UsageError(
            f"the rule {rule.id} has no new site in {path}, so there is nothing to allow:"
            f" run `ratchet check` to see where new sites are"
        )
    note = f"{reason.strip()} (until {until})" if until else reason.strip()
    reasons = {row.key: row.reason for row in baseline.rows}
    reasons |= {key: joined_reasons(reasons.get(key, ""), note) for key in added}
    counts = counts_of(baseline) + added
    new = Baseline(rule.id, baseline.fingerprint, sorted_rows(counts, reasons))
    return Change(baseline, new, added=sorted_rows(added, reasons))


def without_lapsed(baseline: Baseline, today: str) -> Baseline:
    """The baseline without rows whose allowance ended before `today` (an ISO date): they are new again."""
    return replace(baseline, rows=tuple(row for row in baseline.rows if not _has_lapsed(row, today)))


def with_allowances(then: Baseline, before: Baseline | None, now: Baseline) -> Baseline:
    """`then`, the sites of another tree, and what the file `now` allows beyond `before`, its older self.

    This is what a branch is judged against without its baseline: the merge base's sites, and what the
    branch itself allowed with a reason.
    """
    allowed = Counter({row.key: row.count for row in now.rows if row.reason})
    if before and before.fingerprint == now.fingerprint:
        counts = counts_of(then) + (allowed - counts_of(before))
    else:
        # Rows that the rule's change added stand in both, since `then` was counted by today's rule.
        counts = counts_of(then) | allowed
    reasons = {row.key: row.reason for row in now.rows}
    return replace(then, rows=sorted_rows(counts, reasons))


def _refuse_growth(rule: Rule, old: Baseline, added: Counter[Key], reason: str) -> None:
    if old.fingerprint == rule.fingerprint:
        raise UsageError(
            f"the rule {rule.id} already has a baseline, which adopting would raise by"
            f" {plural(added.total(), 'site')}: rewrite them,"
            f" or run `ratchet allow {rule.id} PATH --reason WHY`"
        )
    if not reason:
        listed = ", ".join(sorted({f"{path} ({scope or 'module level'})" for path, scope, _ in added}))
        raise UsageError(
            f"the new version of the rule {rule.id} adds {plural(added.total(), 'site')}, in {listed}:"
            f" run `ratchet adopt {rule.id} --reason WHY`"
        )


def _has_lapsed(row: Row, today: str) -> bool:
    return any(end < today for end in _UNTIL.findall(row.reason))


def _refuse_ban(rule: Rule) -> None:
    if rule.mode == "ban":
        raise UsageError(
            f"the rule {rule.id} is a ban, which allows no site and has no baseline:"
            f" rewrite the sites that `ratchet sites {rule.id}` lists"
        )


def _refuse_unjudged(rule: Rule, census: Census) -> None:
    if census.problems:
        first = census.problems[0]
        raise JudgeError(
            f"{first.path}:{first.line}: {first.message}: a file that cannot be judged may hold sites of the"
            f" rule {rule.id}, so mend it first, then run `ratchet adopt {rule.id}`"
        )
    if not census.complete or not census.discovered:
        raise JudgeError(
            f"a baseline holds all sites of a tree, and this run saw"
            f" {'only a part of it' if census.discovered else 'no file'}:"
            f" run `ratchet adopt {rule.id} --root FOLDER`"
        )
