"""What `ratchet flow` found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ratchet.escape import display_path as inert
from ratchet.report.layout import not_judged
from ratchet.report.values import problems_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.flow import FlowTable
    from ratchet.flow.story import FieldStory, ToldEnd
    from ratchet.report.layout import Line, Style

_HEADS = ("field", "namespace", "record w", "r", "namespace w", "r", "counted by")
_ROLES = {"write": "writes", "change": "changes in place", "read": "reads"}


def flow_json(table: FlowTable) -> dict[str, object]:
    """The report as `flow.schema.json` says."""
    return {
        "version": 1,
        "verb": "flow",
        "engine": table.engine,
        "fields": [
            {
                "field": story.field,
                "namespace": story.namespace,
                "rules": list(story.rules),
                "ends": [_end_json(told) for told in story.ends],
                "wholes": list(story.wholes),
            }
            for story in table.fields
        ],
        "problems": problems_json(table.census.problems),
        "notes": list(table.notes),
    }


def _end_json(told: ToldEnd) -> dict[str, object]:
    access = told.end.access
    return {
        "path": told.end.path,
        "line": access.span.line,
        "column": access.span.column,
        "scope": access.scope,
        "code": access.code,
        "store": told.end.store,
        "role": told.role,
        "origin": access.origin,
        "moment": told.moment,
        "phase": told.phase or None,
        "process": told.process or None,
        "stays": told.stays or None,
        "rules": list(told.rules),
    }


def flow_text(table: FlowTable, in_full: bool) -> Iterator[Line]:
    """The lines of the report: one a field, or one an end where a field is shown in full."""
    if in_full:
        for story in table.fields:
            yield from _full(story)
    else:
        yield from _overview(table.fields)
    yield from map(not_judged, table.census.problems)
    if table.census.found_nothing:
        yield (("no file was found", "bad"),)


def _overview(stories: Sequence[FieldStory]) -> Iterator[Line]:
    rows = [
        (
            inert(story.field),
            inert(story.namespace or "-"),
            str(story.count("record", "write")),
            str(story.count("record", "read")),
            str(story.count("namespace", "write")),
            str(story.count("namespace", "read")),
            ", ".join(story.rules),
        )
        for story in stories
    ]
    widths = [max(len(row[column]) for row in (_HEADS, *rows)) for column in range(len(_HEADS))]
    yield from _table([_HEADS], widths, "title")
    yield from _table(rows, widths, "")
    counted = sum(bool(story.rules) for story in stories)
    fields = plural(len(stories), "field")
    yield ((f"{fields}, {counted:,} with an end that a flow rule counts; ", "faint"), _HINT)


_HINT: tuple[str, Style] = ("`ratchet flow FIELD` shows one in full", "faint")


def _table(rows: Sequence[Sequence[str]], widths: Sequence[int], style: Style) -> Iterator[Line]:
    for row in rows:
        names = "  ".join(cell.ljust(width) for cell, width in zip(row[:2], widths, strict=False))
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(row[2:6], widths[2:6], strict=True))
        last: Line = ((f"  {row[6]}", style or "bad"),) if row[6] else ()
        yield ((f"{names}  {numbers}", style), *last)


def _full(story: FieldStory) -> Iterator[Line]:
    yield ((inert(story.field), "title"), (f" of {inert(story.namespace or 'no namespace')}", ""))
    for role, title in _ROLES.items():
        for store in ("record", "namespace"):
            found = [told for told in story.ends if told.role == role and told.end.store == store]
            if found:
                yield ()
                yield ((f"{title} on the {store}: {len(found)}", "title"),)
                yield from (_end(told) for told in found if told.moment != "resolution")
                yield from _resolving([told for told in found if told.moment == "resolution"])
    if story.wholes:
        yield ()
        yield (("reads the whole configuration, and is no reader of this field:", "title"),)
        yield from (((f"  {inert(place)}", "faint"),) for place in story.wholes)
    if not story.ends:
        yield ()
        yield (("nothing writes or reads it", ""),)


def _resolving(ends: Sequence[ToldEnd]) -> Iterator[Line]:
    """The ends that run while the record is resolved, a line a file."""
    lines: dict[str, list[str]] = {}
    for told in ends:
        lines.setdefault(told.end.path, []).append(str(told.end.access.span.line))
    for path, found in lines.items():
        yield ((f"  {inert(path)}", "path"), (f"  while it is resolved: lines {', '.join(found)}", "faint"))


def _end(told: ToldEnd) -> Line:
    access = told.end.access
    when = told.moment or "any time"
    traits = [inert(access.scope) or "module", access.origin, f"{when}: {told.phase}" if told.phase else when]
    traits += [told.process] * bool(told.process) + [f"boundary: {told.stays}"] * bool(told.stays)
    rules: Line = ((f"  {', '.join(told.rules)}", "bad"),) if told.rules else ()
    where = f"  {inert(told.end.path)}:{access.span.line}:{access.span.column}"
    return ((where, "path"), (f"  {'; '.join(traits)}", "faint"), (f"  {inert(access.code)}", ""), *rules)
