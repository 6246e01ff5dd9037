"""A migration as text: its plan by namespace, file and reason, and line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.output import Place
from ratchet.escape import display_path
from ratchet.frozen import replace
from ratchet.report.layout import placed
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.migration import Migration
    from ratchet.codemod.batches import Batch
    from ratchet.codemod.ledger import Entry
    from ratchet.codemod.model import Edit, Parameter, Rewritten, Skip
    from ratchet.codemod.prediction import Change
    from ratchet.model import Site


def migration_lines(migration: Migration, place: Place) -> Iterator[str]:
    """The plan as a table: by namespace, file and reason; then the reasons, and what rules will count."""
    from ratchet.codemod.ledger import reasons_of

    plan = migration.plan
    spaces: dict[str, dict[str, tuple[list[Edit], list[Skip]]]] = {}
    for edit in plan.edits:
        spaces.setdefault(edit.namespace, {}).setdefault(edit.path, ([], []))[0].append(edit)
    for skip in plan.skips:
        spaces.setdefault(skip.namespace or "", {}).setdefault(skip.path, ([], []))[1].append(skip)
    for space, files in sorted(spaces.items()):
        yield from _space(space or "no namespace", files, place)
        yield ""
    moving, staying = len(plan.edits), len(plan.skips)
    paths = len({edit.path for edit in plan.edits})
    yield f"{counted(moving, paths)} can move, {staying:,} stay"
    yield from (f"  {count:5}  {reason}" for reason, count in reasons_of(plan.skips).items())
    yield from _parameters(plan.parameters, place)
    yield from count_lines(migration.baseline, migration.new, place)
    if migration.new:
        yield (
            f"{plural(len(migration.new), 'site')} would be new: --write writes nothing on which"
            " `ratchet check` would fail, unless --allow-new gives a reason, which the baselines keep"
        )


def count_lines(changes: Iterable[Change], new: Iterable[Site], place: Place) -> Iterator[str]:
    """What rules count before and after, each with the sites that it counts afterwards only."""
    arrived: dict[str, list[Site]] = {}
    for site in new:
        arrived.setdefault(site.rule, []).append(site)
    told = {change.rule: change_text(change) for change in changes}
    for rule in sorted({*told, *arrived}):
        sites = arrived.get(rule, ())
        yield told.get(rule, f"{rule}  as many as before") + (f", {len(sites)} new" if sites else "")
        for site in sites:
            scope = f", in {site.scope}" if site.scope else ""
            where = f"{place(site.path)}:{site.span.line}:{site.span.column}"
            yield f"  {where}: {display_path(f'{site.code}{scope}')}"


def change_text(change: Change) -> str:
    """What a rule counts before and after."""
    return f"{change.rule}  {change.before} → {change.after}"


def _parameters(parameters: Iterable[Parameter], place: Place) -> Iterator[str]:
    """The parameters that became dead: how many places each goes from, or why it stays."""
    for one in parameters:
        where = f"{place(one.path)}:{one.span.line}: {one.name} of {one.function}"
        if one.kept is not None:
            why = f"{one.kept.reason}: {placed(one.kept.detail, place)}"
            yield display_path(f"{where} is dead and stays: {why}")
        else:
            calls = sum(drop.kind == "argument" for drop in one.drops)
            yield f"{where} is dropped, with {plural(calls, 'argument')}"


def _space(name: str, files: dict[str, tuple[list[Edit], list[Skip]]], place: Place) -> Iterator[str]:
    from ratchet.codemod.ledger import reasons_of

    moving = sum(len(edits) for edits, _ in files.values())
    staying = sum(len(skips) for _, skips in files.values())
    yield f"{name}: {moving:,} can move, {staying:,} stay"
    for path, (edits, skips) in sorted(files.items()):
        reasons = ", ".join(f"{reason} {count}" for reason, count in reasons_of(skips).items())
        parts = [f"{len(edits)} can move"] * bool(edits) + [f"{len(skips)} stay ({reasons})"] * bool(skips)
        yield f"  {place(path)}: {', '.join(parts)}"


def entry_lines(entry: Entry, place: Place) -> Iterator[str]:
    """What is planned for one site, and why."""
    from ratchet.codemod.ledger import told
    from ratchet.codemod.model import Skip

    if isinstance(entry, Skip):
        entry = replace(entry, path=place(entry.path), detail=placed(entry.detail, place))
    else:
        entry = replace(entry, path=place(entry.path), note=placed(entry.note, place))
    yield from map(display_path, told(entry))


def slice_lines(batches: Iterable[Batch | None]) -> Iterator[str]:
    """The slices of a plan, one a line."""
    for number, batch in enumerate(batches, 1):
        if batch is not None:
            yield f"slice {number}{named(batch)}: {counted(len(batch.edits), len(batch.paths))}"


def named(batch: Batch) -> str:
    """What a slice is called beside its number: what its sites share."""
    return f" ({display_path(batch.key)})" if batch.key else ""


def counted(sites: int, files: int) -> str:
    """So many sites in so many files."""
    return f"{plural(sites, 'site')} in {plural(files, 'file')}"


def diff_lines(rewritten: Iterable[Rewritten], color: bool, place: Place = display_path) -> Iterator[str]:
    """The changes as a unified diff."""
    from difflib import unified_diff

    for item in rewritten:
        old, new = (data.decode("utf-8", "replace").splitlines() for data in (item.old, item.new))
        name = place(item.path).lstrip("/")
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""):
            yield _colored(display_path(line)) if color else display_path(line)


_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def _colored(line: str) -> str:
    return click.style(line, fg=_COLORS.get(line[:1]), bold=line.startswith(("+++", "---")))
