"""`ratchet plan`: what is left, in batches that can be reviewed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import aside
from ratchet.cli.plan_json import changes_json
from ratchet.cli.plan_text import change_text
from ratchet.escape import display_path
from ratchet.report.values import problems_json

if TYPE_CHECKING:
    from ratchet.codemod.model import Edit
    from ratchet.history.agenda import Agenda, Part
    from ratchet.report.layout import Line


@click.command("plan")
@click.option(
    "--namespace", "namespaces", multiple=True, metavar="NAME", help="Only this namespace. Repeatable."
)
@click.option(
    "--max-sites",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many sites in a batch; else 50, and more only where more have to move together.",
)
@click.option(
    "--max-files", type=click.IntRange(min=1), metavar="N", help="At most so many files in a batch."
)
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="How many sites of each batch to read by hand.",
)
@click.option(
    "--seed", default="", metavar="TEXT", help="Choose other sites to read; the same text, the same."
)
@shared_options(*PLAIN)
def plan(
    common: Common,
    namespaces: tuple[str, ...],
    max_sites: int | None,
    max_files: int | None,
    sample: int,
    seed: str,
) -> int:
    """Split what a codemod can move into batches, by namespace and in it by owner.

    Each batch has the lines of the ratchet as they will be when the batches before it are done, the fields
    whose writers have to come along, and some sites to read by hand. Everything that moves on request is
    asked for. Nothing is written; `ratchet migrate` does.

    \b
    Example:
      ratchet plan
      ratchet plan --namespace exec.moe --max-files 10 --sample 5 --seed july
    """
    from ratchet.checking.migration import Request
    from ratchet.history.agenda import Limits, agenda

    request = Request(namespaces, not namespaces, writes=True, parameters=True, chains=True)
    with common.session() as session:
        made = agenda(session, request, Limits(max_sites, max_files, sample, seed))

    common.output.write_value("plan", lambda: _json(made), lambda: _lines(made), session.root_name)
    aside(made.notes, made.problems, found_nothing=made.found_nothing)
    return made.exit_code


def _lines(made: Agenda) -> Iterator[Line]:
    from ratchet.wording import plural

    for part in made.parts:
        yield from _part(part)
        yield ()
    moving = sum(len(part.edits) for part in made.parts)
    staying = sum(number for _, number in made.stays)
    batches = "1 batch" if len(made.parts) == 1 else f"{len(made.parts)} batches"
    yield ((f"{plural(moving, 'site')} can move in {batches}", "title"),)
    yield from (((f"  {change_text(change)}", ""),) for change in made.changes)
    reasons = ", ".join(f"{reason} {number}" for reason, number in made.stays)
    yield ((f"{plural(staying, 'site')} stay" + (f": {reasons}" if reasons else ""), "faint"),)


def _part(part: Part) -> Iterator[Line]:
    from ratchet.wording import plural

    owner = f", {display_path(part.owner)}" if part.owner else ""
    size = f"{plural(len(part.edits), 'site')} in {plural(len(part.paths), 'file')}"
    yield ((f"batch {part.number}", "title"), (f"  {part.namespace}{owner}: {size}", ""))
    yield from (((f"  {change_text(change)}", "good"),) for change in part.changes)
    for written in part.writes:
        places = ", ".join(display_path(place) for place in written.places)
        yield (("  writer comes along: ", "stale"), (f"{written.namespace}.{written.field} at {places}", ""))
        if written.stale:
            yield ((f"    {display_path(written.stale)}", "faint"),)
    for edit in part.sample:
        place = f"{display_path(edit.path)}:{edit.span.line}"
        yield (("  read: ", "faint"), (place, "path"), (f"  {_rewrite(edit)}", ""))


def _rewrite(edit: Edit) -> str:
    return f"{display_path(edit.before)} → {display_path(edit.after) or '(deleted)'}"


def _json(made: Agenda) -> dict[str, object]:
    return {
        "batches": [
            {
                "number": part.number,
                "namespace": part.namespace,
                "owner": part.owner,
                "sites": len(part.edits),
                "paths": list(part.paths),
                "ids": [edit.id for edit in part.edits],
                "changes": changes_json(part.changes),
                "writes": [
                    {
                        "field": each.field,
                        "namespace": each.namespace,
                        "places": list(each.places),
                        "stale": each.stale,
                    }
                    for each in part.writes
                ],
                "sample": [
                    {
                        "id": edit.id,
                        "path": edit.path,
                        "line": edit.span.line,
                        "before": edit.before,
                        "after": edit.after,
                    }
                    for edit in part.sample
                ],
            }
            for part in made.parts
        ],
        "stays": dict(made.stays),
        "changes": changes_json(made.changes),
        "problems": problems_json(made.problems),
        "notes": list(made.notes),
    }
