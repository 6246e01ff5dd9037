"""What `ratchet status` found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ratchet.cli.output import Place
from ratchet.escape import display_path
from ratchet.report.columns import table
from ratchet.report.values import problems_json

if TYPE_CHECKING:
    from ratchet.history.status import Standing, Status
    from ratchet.report.layout import Line, Style


def status_lines(found: Status, place: Place) -> Iterator[Line]:
    """The tables by rule, namespace and owner, and the files to do next."""
    parts = [("rule", [each.standing for each in found.rules if not each.skipped])]
    groups = (("namespace", list(found.namespaces)), ("owner", list(found.owners)))
    parts += [(name, standings) for name, standings in groups if standings]
    for number, (name, standings) in enumerate(parts):
        if number:
            yield ()
        yield from _standings(name, standings)
    if found.files:
        yield ()
        rows = [
            (place(each.path), str(each.moves), str(each.leaves), display_path(each.owner))
            for each in found.files
        ]
        yield from table(
            ("next file", ">can move", ">leaves", "owner"), rows, ("path", "good", "stale", "faint")
        )
    for each in found.rules:
        if each.skipped:
            yield ((f"{each.rule.id} does not apply: {each.skipped}", "faint"),)


def _standings(name: str, standings: Sequence[Standing]) -> Iterator[Line]:
    """A table, with a column of first numbers where any is known."""
    known = any(each.first is not None for each in standings)
    heads = (name, ">now", *[">first"] * known, ">can move", ">stay", "because")
    counts: tuple[Style, ...] = ("title", "") if known else ("title",)
    styles: tuple[Style, ...] = ("path", *counts, "good", "stale", "faint")
    return table(heads, [_row(each, known) for each in standings], styles)


def _row(each: Standing, known: bool) -> tuple[str, ...]:
    reasons = [f"{reason} {number}" for reason, number in each.stays]
    reasons += [f"not planned {each.others}"] * bool(each.others)
    first = "-" if each.first is None else f"{each.first:,}"
    return (
        display_path(each.name),
        f"{each.now:,}",
        *[first] * known,
        f"{each.moves:,}",
        f"{each.now - each.moves:,}",
        ", ".join(reasons),
    )


def status_json(found: Status) -> dict[str, object]:
    """The report as `status.schema.json` says, without its head."""
    return {
        "rules": [
            {
                **_standing_json(each.standing),
                "title": each.rule.title,
                "skipped": each.skipped,
                "since": each.since.id if each.since else None,
            }
            for each in found.rules
        ],
        "namespaces": [_standing_json(each) for each in found.namespaces],
        "owners": [_standing_json(each) for each in found.owners],
        "files": [
            {"path": each.path, "owner": each.owner, "moves": each.moves, "leaves": each.leaves}
            for each in found.files
        ],
        "problems": problems_json(found.problems),
        "notes": list(found.notes),
    }


def _standing_json(each: Standing) -> dict[str, object]:
    return {
        "name": each.name,
        "now": each.now,
        "first": each.first,
        "moves": each.moves,
        "stays": dict(each.stays),
        "others": each.others,
    }
