"""The batches of `ratchet plan`, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ratchet.cli.migrate_json import changes_json
from ratchet.cli.migrate_text import change_text
from ratchet.cli.output import Place
from ratchet.escape import display_path
from ratchet.report.values import problems_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.codemod.model import Edit
    from ratchet.codemod.prediction import Change
    from ratchet.history.agenda import Agenda, Part
    from ratchet.report.layout import Line


def agenda_lines(made: Agenda, place: Place) -> Iterator[Line]:
    """Each batch with what reviewers want to know, and the sums."""
    for part in made.parts:
        yield from _part(part, place)
        yield ()
    moving = sum(len(part.edits) for part in made.parts)
    staying = sum(number for _, number in made.stays)
    batches = "1 batch" if len(made.parts) == 1 else f"{len(made.parts)} batches"
    yield ((f"{plural(moving, 'site')} can move in {batches}", "title"),)
    yield from (_change(change) for change in made.changes)
    if made.dropped:
        parameters = plural(made.dropped, "parameter")
        yield ((f"  with {parameters} dropped that nothing uses then", "faint"),)
    reasons = ", ".join(f"{reason} {number}" for reason, number in made.stays)
    yield ((f"{plural(staying, 'site')} stay" + (f": {reasons}" if reasons else ""), "faint"),)


def _part(part: Part, place: Place) -> Iterator[Line]:
    owner = f", {display_path(part.owner)}" if part.owner else ""
    size = f"{plural(len(part.edits), 'site')} in {plural(len(part.paths), 'file')}"
    yield ((f"batch {part.number}", "title"), (f"  {part.namespace}{owner}: {size}", ""))
    yield from (_change(change) for change in part.changes)
    for written in part.writes:
        places = ", ".join(place(where) for where in written.places)
        yield (("  writer comes along: ", "stale"), (f"{written.namespace}.{written.field} at {places}", ""))
        if written.stale:
            yield ((f"    {display_path(written.stale)}", "faint"),)
    for edit in part.sample:
        where = f"{place(edit.path)}:{edit.span.line}"
        yield (("  read: ", "faint"), (where, "path"), (f"  {_rewrite(edit)}", ""))


def _change(change: Change) -> Line:
    return ((f"  {change_text(change)}", "bad" if change.after > change.before else "good"),)


def _rewrite(edit: Edit) -> str:
    return f"{display_path(edit.before)} → {display_path(edit.after) or '(deleted)'}"


def agenda_json(made: Agenda) -> dict[str, object]:
    """The report as `plan.schema.json` says, without its head."""
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
        "dropped": made.dropped,
        "problems": problems_json(made.problems),
        "notes": list(made.notes),
    }
