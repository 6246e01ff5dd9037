"""`ratchet migrate`: what moves to the namespaces, and why every other site stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.migrate_options import Wanted, migrate_options
from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import Place, aside, document, joined, place_of

if TYPE_CHECKING:
    from ratchet.checking.migration import Migration
    from ratchet.codemod.batches import Batch
    from ratchet.codemod.model import Rewritten


@click.command("migrate")
@migrate_options
@shared_options(*PLAIN)
def migrate(common: Common, wanted: Wanted) -> int:
    """Move reads and writes of the record to its namespaces: each site moves, or stays for a reason.

    Shows a plan; --write carries it out. Every changed file is proved and type checked first, files and
    baselines change in one step, and a run that was killed is finished with --resume or taken back with
    --undo. Without PATHS it is the whole tree. It ends with 0, with 1 under --check when something can move,
    with 2 for wrong arguments, and with 3 when a file could not be judged, proved or verified.

    \b
    Example:
      ratchet migrate --namespace parallel
      ratchet migrate --namespace exec.moe --writes --diff srt/layers
      ratchet migrate --namespace exec.moe --writes --write
      ratchet migrate --all --batch-by owner --max-files 20 --write --commit
      ratchet migrate --all --explain 3f9a0c
      ratchet migrate --rule raw-parallel-getter --diff
    """
    wanted.refuse_contradictions()
    if wanted.resume or wanted.undo:
        from ratchet.cli.migrate_write import restore

        return restore(common, wanted)
    if wanted.rule:
        from ratchet.cli.migrate_rule import migrate_rule

        return migrate_rule(common, wanted)
    if wanted.write or wanted.interactive:
        from ratchet.cli.migrate_write import carry_out

        return carry_out(common, wanted)
    return _plan(common, wanted)


def _plan(common: Common, wanted: Wanted) -> int:
    from ratchet.checking.forecast import foresee
    from ratchet.checking.owning import told_ownerless

    batches: tuple[Batch, ...] = ()
    slicing = wanted.slicing()
    with common.session() as session:
        migration, rewritten = foresee(session, wanted.request(), files=wanted.show_diff)
        notes = told_ownerless(session, slicing.by)
        place = place_of(session)
        if slicing.asked:
            from ratchet.checking.slicing import slices_of

            batches = slices_of(session, migration.plan.edits, slicing)

    def render(format: str, color: bool) -> str:
        if format == "json":
            from ratchet.cli.migrate_json import migration_json

            return document("migrate", migration_json(migration, batches), session.root_name)
        return joined(_lines(migration, wanted, rewritten, batches, color, place))

    common.output.write(render)
    census = migration.census
    told = () if wanted.explain else migration.plan.notes
    said = (*told, *migration.notes, *notes)
    aside(said, census.problems, found_nothing=census.found_nothing, place=place)
    if census.problems or census.found_nothing:
        return 3
    return 1 if wanted.check and migration.plan.edits else 0


def _lines(
    migration: Migration,
    wanted: Wanted,
    rewritten: tuple[Rewritten, ...],
    batches: tuple[Batch, ...],
    color: bool,
    place: Place,
) -> Iterator[str]:
    from ratchet.cli.migrate_text import diff_lines, entry_lines, migration_lines, slice_lines
    from ratchet.codemod.ledger import find

    if wanted.explain:
        yield from entry_lines(find(migration.plan, wanted.explain), place)
        return
    yield from diff_lines(rewritten if wanted.show_diff else (), color, place)
    yield from migration_lines(migration, place)
    yield from slice_lines(batches)
    yield "typecheck: not run (--write runs it)"
