"""The folder of the baselines: `<rule>.tsv` for each rule; the only module that writes them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from ratchet.atomic import write_files
from ratchet.baseline.format import dump, load
from ratchet.baseline.operations import without_lapsed
from ratchet.errors import JudgeError, UsageError
from ratchet.escape import display_path
from ratchet.frozen import dataclass
from ratchet.model import Baseline, Rule
from ratchet.wording import plural

SUFFIX = ".tsv"

_MANY = 5  # more rules than that are not named, where none has a baseline


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a folder by the id of the rule that uses each (a file under a former name keeps that).

    `faults` are sentences about files that could not be read or belong to no rule; `notes` inform.
    `measured` says that these are the sites of another tree, not committed files.
    """

    folder: Path
    by_rule: Mapping[str, Baseline]
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    measured: bool = False


def baseline_path(folder: Path, rule: str) -> Path:
    """Where the baseline of a rule lies."""
    return folder / f"{rule}{SUFFIX}"


def find_baseline(folder: Path, rule: Rule) -> Path | None:
    """The file of a rule's baseline, under its own name or else a former one; None where there is none."""
    for name in (rule.id, *rule.formerly):
        path = baseline_path(folder, name)
        if os.path.lexists(path):
            return path
    return None


def read_baseline(folder: Path, rule: Rule) -> Baseline | None:
    """The baseline of one rule, None where it has none; raises JudgeError for a damaged one."""
    path = find_baseline(folder, rule)
    return load(path, path.name.removesuffix(SUFFIX)) if path else None


def read_baselines(
    folder: Path, rules: Collection[Rule], skipped: Collection[str] = (), today: str | None = None
) -> Baselines:
    """The baselines of all rules of a run; `skipped` are ids of rules that do not apply and need none.

    Allowances that ended before `today`, an ISO date, are left out, so that their sites are new again.

    One damaged file does not hide the others: it is a fault. Raises UsageError where a rule has no baseline,
    with the command that makes one: it names every such rule, or --all. Rules in the mode `ban` need none.
    """
    found: dict[str, Baseline] = {}
    faults: list[str] = []
    missing: list[str] = []
    for rule in sorted(rules, key=lambda rule: rule.id):
        try:
            baseline = read_baseline(folder, rule)
        except JudgeError as error:
            faults.append(str(error))
            continue
        if baseline:
            found[rule.id] = baseline
        elif rule.mode != "ban" and rule.id not in skipped:
            missing.append(rule.id)
    if missing:
        raise UsageError(_without_baseline(folder, missing, none=not found and not faults))
    faults += _strangers(folder, rules)
    notes = list(_notes(folder, rules, found))
    if today:
        for rule_id, baseline in found.items():
            found[rule_id] = without_lapsed(baseline, today)
            notes += _lapses(baseline_path(folder, baseline.rule), baseline, found[rule_id])
    return Baselines(folder, found, tuple(faults), tuple(notes))


def write_baselines(folder: Path, baselines: Iterable[Baseline]) -> None:
    """Write baselines into the folder, all or none; raises JudgeError where one cannot be written."""
    write_files({baseline_path(folder, each.rule): dump(each).encode("utf-8") for each in baselines})


def write_renamed(folder: Path, baseline: Baseline, old: Baseline | None) -> None:
    """Write one baseline, and remove the file under the rule's former name that it stands for."""
    write_baselines(folder, [baseline])
    if old and old.rule != baseline.rule:
        baseline_path(folder, old.rule).unlink(missing_ok=True)


def _without_baseline(folder: Path, missing: list[str], none: bool) -> str:
    which = "--all" if none and len(missing) > _MANY else " ".join(missing)
    subject = f"the rule {missing[0]} has" if len(missing) == 1 else f"{plural(len(missing), 'rule')} have"
    return f"{subject} no baseline in {folder}: run `ratchet adopt {which}`"


def _strangers(folder: Path, rules: Iterable[Rule]) -> list[str]:
    """Files of rules that are no more: nobody counts their sites, which must not pass for progress."""
    used = {find_baseline(folder, rule) for rule in rules}
    return [
        f"{path} belongs to no rule: delete it, bring the rule back, or name it in `formerly` of another"
        for path in sorted(folder.glob(f"*{SUFFIX}"))
        if path not in used
    ]


def _lapses(file: Path, whole: Baseline, left: Baseline) -> list[str]:
    kept = set(left.rows)
    lapsed = ((display_path(row.path), display_path(row.reason)) for row in whole.rows if row not in kept)
    return [f"{file} allows {path} no more, since its reason has ended: {reason}" for path, reason in lapsed]


def _notes(folder: Path, rules: Iterable[Rule], found: Mapping[str, Baseline]) -> Iterable[str]:
    for rule in rules:
        baseline = found.get(rule.id)
        if not baseline:
            continue
        file = baseline_path(folder, baseline.rule)
        if rule.mode == "ban":
            yield f"{file} is not used, since the rule {rule.id} is a ban: delete it"
        elif baseline.rule != rule.id:
            yield f"the rule {rule.id} uses {file.name}, its former name: run `ratchet tighten {rule.id}`"
