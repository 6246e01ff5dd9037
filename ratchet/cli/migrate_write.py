"""The writing half of `ratchet migrate`: --write, --interactive, --resume and --undo."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from ratchet.cli.migrate_options import Wanted
from ratchet.cli.migrate_text import change_text, count_lines, counted, diff_lines, named
from ratchet.cli.options import Common
from ratchet.cli.output import Place, aside, document, joined, note, place_of, shown_path
from ratchet.cli.restored import show_restored
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.migrating import Choose, Done, Outcome
    from ratchet.checking.preparing import Prepared
    from ratchet.checking.typechecking import TypeCheck
    from ratchet.checking.writing import Written
    from ratchet.model import Site
    from ratchet.session import Session


UNVERIFIED = "nothing was written: --no-typecheck writes what no type checker has verified"


def carry_out(common: Common, wanted: Wanted) -> int:
    """Write what may move, and say what was written."""
    from ratchet.checking.migrating import Writing, migrate_tree
    from ratchet.checking.owning import told_ownerless

    with common.session() as session:
        place = place_of(session)
        choose: Choose | None = None
        if wanted.interactive:
            from ratchet.cli.asking import choose_edits

            choose = partial(choose_edits, place)
        writing = Writing(
            wanted.slicing(),
            not wanted.no_typecheck,
            wanted.allow_dirty,
            wanted.commit,
            choose,
            allow_new=wanted.allow_new,
        )
        for sentence in told_ownerless(session, writing.slicing.by):
            note(sentence)
        try:
            outcome = migrate_tree(session, wanted.request(), writing)
        except KeyboardInterrupt:
            _say_pending(session)
            raise

    def render(format: str, color: bool) -> str:
        if format == "json":
            from ratchet.cli.migrate_json import outcome_json

            return document("migrate", outcome_json(outcome), session.root_name)
        return joined(_lines(outcome, wanted, color, place))

    common.output.write(render)
    _say(outcome, place)
    return outcome.exit_code


def _say_pending(session: Session) -> None:
    """Say how to go on, where the run was interrupted between two files."""
    from ratchet.checking.writing import refuse_pending
    from ratchet.errors import RatchetError

    try:
        refuse_pending(session)
    except RatchetError as error:
        note(str(error))


def restore(common: Common, wanted: Wanted) -> int:
    """Finish the last run, or take it back."""
    from ratchet.checking.writing import journal_of, resume_write, undo_write

    with common.session() as session:
        done = resume_write(session) if wanted.resume else undo_write(session)
        journal = journal_of(session)

    return show_restored(done, wanted.resume, common.output, "migrate", journal)


def _lines(outcome: Outcome, wanted: Wanted, color: bool, place: Place) -> Iterator[str]:
    several = len(outcome.done) > 1
    for number, one in enumerate(outcome.done, 1):
        if one.written is None:
            continue
        if one.written.held:
            yield from count_lines(one.written.counts, one.written.new, place)
            continue
        if wanted.show_diff:
            yield from diff_lines(one.prepared.files, color, place)
        if several and one.batch is not None:
            commit = f", commit {one.commit[:10]}" if one.commit else ""
            yield f"slice {number}{named(one.batch)}: {_size(one)}{commit}"
        for file in one.prepared.files:
            yield f"  {place(file.path)}: {len(file.edits)} moved"
        if several:
            yield from (f"  {change_text(change)}" for change in one.written.counts)
    yield from count_lines(outcome.counts, _new(outcome), place)
    yield from _summary(outcome)


def _new(outcome: Outcome) -> Iterator[Site]:
    """The sites that rules count because of what was written."""
    for one in outcome.done:
        if one.written is not None and not one.written.held:
            yield from one.written.new


def _summary(outcome: Outcome) -> Iterator[str]:
    written = [one for one in outcome.done if one.written is not None and not one.written.held]
    sites = sum(len(one.prepared.edits) for one in written)
    paths = {file.path for one in written for file in one.prepared.files}
    yield f"{counted(sites, len(paths))} moved, {len(outcome.migration.plan.skips):,} stay"
    yield f"typecheck: {checked_text(outcome.typecheck)}"
    if any(one.written is None for one in outcome.done):
        yield UNVERIFIED
    if paths:
        committed = any(one.commit for one in written)
        undone = "`git revert` takes back a slice" if committed else "`ratchet migrate --undo` takes it back"
        yield f"next: run your tests; {undone}"
    if outcome.left > 0:
        yield f"{plural(outcome.left, 'slice is', 'slices are')} left: run it again"


def _size(one: Done) -> str:
    return counted(len(one.prepared.edits), len(one.prepared.files))


def checked_text(check: TypeCheck) -> str:
    """How a type check ended."""
    if check.status == "clean":
        return f"clean ({plural(check.sites, 'site')})"
    return f"{check.status} ({check.detail})" if check.detail else check.status


def _say(outcome: Outcome, place: Place) -> None:
    migration = outcome.migration
    aside((*migration.plan.notes, *migration.notes), place=place)
    for one in outcome.done:
        tell_unwritten(one.prepared, one.written, place)


def tell_unwritten(prepared: Prepared, written: Written | None, place: Place) -> None:
    """Say which files of a run were not written and why, and what else its writing has to say."""
    aside(written.notes if written else (), prepared.failed, "not written, its proof failed", place=place)
    for path in written.refused if written else ():
        click.echo(f"{shown_path(path)}: not written, it changed meanwhile", err=True)
