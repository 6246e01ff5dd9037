"""How changes of baselines are shown: what each file held and holds, and the rows that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ratchet.cli.output import Output, Place, document, joined, place_of, shown_path
from ratchet.escape import display_path
from ratchet.model import Row
from ratchet.report.values import row_json

if TYPE_CHECKING:
    from ratchet.checking.changes import Written
    from ratchet.session import Session

Changed = tuple["Session", Sequence["Written"]]
"""A tree, and what changed in its baselines."""


def show_changes(
    trees: Sequence[Changed], output: Output, verb: str, nothing: str, notes: Sequence[str] = ()
) -> None:
    """Print changes of baselines; `nothing` is said where there are none. `notes` are lines before them.

    As JSON it is one tree: see `refuse_several`.
    """
    if not any(changes for _, changes in trees):
        notes = (*notes, nothing)

    def render(format: str, _color: bool) -> str:
        if format == "json":
            ((session, changes),) = trees
            value = {"notes": list(notes), "changes": [_json(each) for each in changes]}
            return document(verb, value, session.root_name)
        lines = (line for session, changes in trees for line in _lines(changes, place_of(session)))
        return joined((*notes, *lines))

    output.write(render)


def _lines(changes: Sequence[Written], place: Place) -> Iterator[str]:
    for each in changes:
        change = each.change
        old = "none" if change.old is None else str(change.old.total)
        yield f"{each.rule.id}  {old} → {change.new.total}  {shown_path(each.file)}"
        yield from (f"  + {_row(row, place)}" for row in change.added)
        yield from (f"  - {_row(row, place)}" for row in change.removed)
        if change.moved:
            yield f"  {change.moved} moved"
        if not change.changes_file:
            yield "  unchanged"


def _row(row: Row, place: Place) -> str:
    scope = f" in {display_path(row.scope)}" if row.scope else ""
    times = f" ({row.count} times)" if row.count > 1 else ""
    return f"{place(row.path)}{scope}: {display_path(row.code)}{times}"


def _json(each: Written) -> dict[str, object]:
    change = each.change
    return {
        "rule": each.rule.id,
        "file": shown_path(each.file),
        "old": None if change.old is None else change.old.total,
        "new": change.new.total,
        "added": [row_json(row) for row in change.added],
        "removed": [row_json(row) for row in change.removed],
        "moved": change.moved,
        "written": change.changes_file,
    }
