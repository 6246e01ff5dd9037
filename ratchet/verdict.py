"""The verdict of a run: every rule's sites against its baseline, and what kept the run from judging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ratchet.baseline.store import Baselines, baseline_path
from ratchet.comparison import NO_RENAMES, DefinesScope, Key, Renames, compare, position
from ratchet.model import Baseline, Census, Rule, RuleVerdict, Site, Verdict
from ratchet.wording import plural

NONE_SKIPPED: Mapping[str, str] = MappingProxyType({})


def judge(
    rules: Iterable[Rule],
    sites: Mapping[str, Sequence[Site]],
    baselines: Baselines,
    census: Census,
    *,
    skipped: Mapping[str, str] = NONE_SKIPPED,
    renames: Renames = NO_RENAMES,
    defines: DefinesScope | None = None,
    faults: Iterable[str] = (),
    notes: Iterable[str] = (),
    stale_fails: bool = True,
    engine: str | None = None,
    packs: tuple[str, ...] = (),
    root: str = "",
) -> Verdict:
    """The verdict of a run: `sites` and `skipped` (why a rule does not apply) go by the rules' ids.

    `renames` and `defines` are as in `compare`. A rule that cannot be compared with its baseline is a fault
    of the verdict, never a difference in sites; so is a rule that nobody looked for.
    """
    ordered = sorted(rules, key=lambda rule: rule.id)
    own_faults = [_fault(rule, sites, baselines, skipped) for rule in ordered]
    entries = []
    for rule in ordered:
        found = sites.get(rule.id, ())
        baseline = _comparable(rule, baselines)
        if rule.id in skipped:
            entries.append(RuleVerdict(rule, (), skipped=skipped[rule.id]))
        elif baseline is None:
            entries.append(RuleVerdict(rule, tuple(sorted(found, key=position))))
        else:
            entries.append(compare(rule, found, baseline, census, renames, defines))
    return Verdict(
        rules=tuple(entries),
        census=census,
        faults=(*faults, *baselines.faults, *filter(None, own_faults)),
        notes=(*notes, *baselines.notes),
        stale_fails=stale_fails,
        engine=engine,
        packs=packs,
        root=root,
    )


def twins(entry: RuleVerdict) -> dict[Key, str]:
    """For new sites that have identical twins, by key, a remark on how many there are and how many are known.

    Which of several identical sites was added cannot be known, so whoever names one of them should say so.
    """
    now = Counter(site.key for site in entry.sites)
    known = Counter(site.key for site in entry.known)
    return {
        key: f"one of {now[key]} identical ones in this scope, {known[key]} of them known"
        for key in dict.fromkeys(site.key for site in entry.new)
        if now[key] > 1
    }


def _comparable(rule: Rule, baselines: Baselines) -> Baseline | None:
    """What the rule's sites can be compared with; nothing at all is allowed by a ban.

    A tree of another time may hold sites of a ban, and they are not this one's fault.
    """
    if rule.mode == "ban" and not baselines.measured:
        return Baseline(rule.id, rule.fingerprint, ())
    baseline = baselines.by_rule.get(rule.id)
    return baseline if baseline and baseline.fingerprint == rule.fingerprint else None


def _fault(
    rule: Rule, sites: Mapping[str, Sequence[Site]], baselines: Baselines, skipped: Mapping[str, str]
) -> str | None:
    """Why a rule cannot be judged against its baseline, None where it can."""
    baseline = None if rule.mode == "ban" else baselines.by_rule.get(rule.id)
    file = baseline_path(baselines.folder, baseline.rule if baseline else rule.id)
    if rule.id in skipped:
        # Nobody counts these sites any more, and silence must not pass for progress.
        return (
            f"{file} still has {plural(baseline.total, 'known site')} of the rule {rule.id}, which does not"
            f" apply ({skipped[rule.id]}): give the right --engine, or delete the file"
            if baseline and baseline.rows
            else None
        )
    if rule.id not in sites:
        return f"the rule {rule.id} was not looked for in this run: please report this as a bug of ratchet"
    if baseline and baseline.fingerprint != rule.fingerprint:
        return (
            f"{file} was adopted for another version of the rule {rule.id}:"
            f" run `ratchet adopt {rule.id} --reason WHY`, which lists what the new version adds"
        )
    return None
