"""What changes baselines: adopt, tighten and allow, over a tree as it lies on disk."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ratchet.baseline import operations
from ratchet.baseline.operations import Change
from ratchet.baseline.store import baseline_path, read_baseline, write_baselines, write_renamed
from ratchet.baseline.unmerged import merge_unmerged
from ratchet.checking.check import Request, check
from ratchet.checking.places import path_in_tree
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, replace
from ratchet.model import Rule
from ratchet.session import Session


@dataclass(frozen=True, slots=True)
class Written:
    """A change of a rule's baseline, and the file that holds it now."""

    rule: Rule
    file: Path
    change: Change


@dataclass(frozen=True, slots=True)
class Tightened:
    """What tightening wrote: the rules whose rows were lowered, and files that git had left unmerged."""

    written: tuple[Written, ...]
    merged: tuple[Path, ...]


def adopt(
    session: Session, rules: Iterable[str], *, expect: int | None = None, reason: str = ""
) -> tuple[Written, ...]:
    """Record the baselines of rules, of all that can have one where none is named; all are written or none.

    Raises UsageError and JudgeError as `operations.adopt` does.
    """
    named = tuple(rules)
    chosen = session.choose(named) if named else tuple(rule for rule in session.rules if rule.mode != "ban")
    if expect is not None and len(chosen) != 1:
        raise UsageError(f"--expect is about one rule, and there are {len(chosen)}: name one")
    found = session.count(session.tree(session.work_tree()))
    folder = session.place.baselines
    changes = []
    for rule in chosen:
        if rule.id in found.skipped:
            if named:
                raise UsageError(f"the rule {rule.id} does not apply to this tree: {found.skipped[rule.id]}")
            continue
        old = read_baseline(folder, rule)
        sites = found.sites.get(rule.id, ())
        changes.append((rule, operations.adopt(rule, sites, found.census, old, expect=expect, reason=reason)))
    return _write(folder, changes)


def tighten(session: Session, rules: Iterable[str]) -> Tightened:
    """Lower baselines to what is there and follow what moved, after merging what git left unmerged.

    Nothing is tightened where the run could not judge everything. Raises as `check` does. Allowances that
    ended are rows as any others here: without a date, none has ended.
    """
    chosen = session.choose(rules)
    merged = merge_unmerged(session.place.baselines)
    verdict = check(session, Request(rules=tuple(rule.id for rule in chosen))).verdict
    folder = session.place.baselines
    known = {rule.id: found for rule in chosen if (found := read_baseline(folder, rule))}
    changes = operations.tighten_all(verdict, known)
    by_id = {rule.id: rule for rule in chosen}
    return Tightened(_write(folder, [(by_id[change.new.rule], change) for change in changes]), tuple(merged))


def allow(
    session: Session, rule_id: str, path: str, reason: str, *, until: str | None, today: str
) -> Written:
    """Add the new sites of one file to a rule's baseline, and why; `until` is an ISO date.

    `path` is relative to the working directory, or else to the source root.
    """
    rule = session.rule(rule_id)
    if until is not None and until < today:
        raise UsageError(f"--until {until} is over: name a day to come, or leave it out")
    place = path_in_tree(session, path)
    baseline = read_baseline(session.place.baselines, rule)
    if rule.mode != "ban" and baseline is None:
        raise UsageError(f"the rule {rule.id} has no baseline yet: run `ratchet adopt {rule.id}`")
    verdict = check(session, Request(rules=(rule.id,), today=today)).verdict
    entry = verdict.rules[0]
    known = operations.without_lapsed(baseline, today) if baseline else operations.from_sites(rule, ())
    change = replace(operations.allow(known, entry, place, reason, until=until), old=baseline)
    return _write(session.place.baselines, [(rule, change)])[0]


def _write(folder: Path, changes: Iterable[tuple[Rule, Change]]) -> tuple[Written, ...]:
    """Write what changed: all of it or nothing."""
    done = tuple(Written(rule, baseline_path(folder, change.new.rule), change) for rule, change in changes)
    write_baselines(folder, [each.change.new for each in done if each.change.changes_file])
    for each in done:
        old = each.change.old
        if old and old.rule != each.change.new.rule:
            write_renamed(folder, each.change.new, old)
    return done
