"""What a plan does to the baselines: the sites that access rules count before it and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ratchet.analysis.facts import FileFacts
from ratchet.codemod.model import Drop, Edit
from ratchet.codemod.shapes import holds
from ratchet.frozen import dataclass, replace
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Access, Pack, Rule, Schema, Site, Span, Via


@dataclass(frozen=True, slots=True)
class Change:
    """A rule whose count a plan changes."""

    rule: str
    before: int
    after: int


def predict(
    rules: Sequence[Rule],
    pack: Pack,
    schema: Schema,
    engine: str | None,
    facts: Mapping[str, FileFacts],
    edits: Iterable[Edit],
    drops: Iterable[Drop] = (),
) -> tuple[Change, ...]:
    """The access rules whose counts change when these edits and drops are made, in order of their ids."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    gone: dict[str, list[Span]] = {}
    for drop in drops:
        gone.setdefault(drop.path, []).append(drop.span)
    matcher = SiteMatcher([rule for rule in rules if rule.kind == "access"], schema, engine)
    overrides = frozenset(item.override for item in pack.objects if item.override)
    totals: dict[str, int] = {}
    changes: dict[str, int] = {}
    for path, found in facts.items():
        before = matcher.sites(path, found.accesses).sites
        _add(totals, before, 1)
        if path in by_path or path in gone:
            spans = gone.get(path, ())
            left = [one for one in found.accesses if not any(holds(span, one.span) for span in spans)]
            after = _after(left, by_path.get(path, ()), overrides)
            _add(changes, matcher.sites(path, after).sites, 1)
            _add(changes, before, -1)
    return tuple(
        Change(rule, totals.get(rule, 0), totals.get(rule, 0) + change)
        for rule, change in sorted(changes.items())
        if change
    )


def _add(counts: dict[str, int], sites: Iterable[Site], step: int) -> None:
    for site in sites:
        counts[site.rule] = counts.get(site.rule, 0) + step


def _after(accesses: Iterable[Access], edits: Sequence[Edit], overrides: frozenset[str]) -> list[Access]:
    """The accesses of a file when its edits are made; positions are those of now."""
    moved = {(edit.span, edit.field): edit for edit in edits}
    calls: set[Span] = {edit.span for edit in edits if edit.operation == "write"}
    result = []
    for access in accesses:
        edit = moved.get((access.span, access.field or ""))
        if edit is not None and access.operation == edit.operation and access.origin != "namespace":
            if not edit.after:
                continue  # a dead write that is deleted
            via: Via = "override" if edit.operation == "write" else "attribute"
            result.append(
                replace(
                    access,
                    origin="namespace",
                    form="accessor",
                    root="accessor",
                    via=via,
                    object="",
                    code=edit.after,
                )
            )
        elif not (access.operation == "call" and access.field in overrides and access.span in calls):
            result.append(access)
    return result
