"""What `ratchet flow` found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ratchet.cli.output import Place
from ratchet.escape import display_path as inert
from ratchet.report.columns import table
from ratchet.report.values import problems_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.flow import FlowTable
    from ratchet.flow.story import FieldStory, ToldEnd
    from ratchet.report.layout import Line

_HEADS = ("field", "namespace", ">record w", ">r", ">namespace w", ">r", "counted by")
_ROLES = {"write": "writes", "change": "changes in place", "read": "reads"}


def flow_json(found: FlowTable) -> dict[str, object]:
    """The report as `flow.schema.json` says."""
    return {
        "engine": found.engine,
        "fields": [
            {
                "field": story.field,
                "namespace": story.namespace,
                "rules": list(story.rules),
                "ends": [_end_json(told) for told in story.ends],
                "wholes": list(story.wholes),
            }
            for story in found.fields
        ],
        "problems": problems_json(found.census.problems),
        "notes": list(found.notes),
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


def flow_text(found: FlowTable, in_full: bool, place: Place) -> Iterator[Line]:
    """The lines of the report: one a field, or one an end where a field is shown in full."""
    if in_full:
        for story in found.fields:
            yield from _full(story, place)
    else:
        yield from _overview(found.fields)


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
    yield from table(_HEADS, rows, ("title", "path", "", "", "", "", "bad"))
    counted = sum(bool(story.rules) for story in stories)
    fields = plural(len(stories), "field")
    hint = "`ratchet flow FIELD` shows one in full"
    yield ((f"{fields}, {counted:,} with an end that a flow rule counts; {hint}", "faint"),)


def _full(story: FieldStory, place: Place) -> Iterator[Line]:
    yield ((inert(story.field), "title"), (f" of {inert(story.namespace or 'no namespace')}", ""))
    for role, title in _ROLES.items():
        for store in ("record", "namespace"):
            found = [told for told in story.ends if told.role == role and told.end.store == store]
            if found:
                yield ()
                yield ((f"{title} on the {store}: {len(found)}", "title"),)
                yield from (_end(told, place) for told in found if told.moment != "resolution")
                yield from _resolving(place, [told for told in found if told.moment == "resolution"])
    if story.wholes:
        yield ()
        yield (("reads the whole configuration, and is no reader of this field:", "title"),)
        yield from (((f"  {place(where)}", "faint"),) for where in story.wholes)
    if not story.ends:
        yield ()
        yield (("nothing writes or reads it", ""),)


def _resolving(place: Place, ends: Sequence[ToldEnd]) -> Iterator[Line]:
    """The ends that run while the record is resolved, a line a file."""
    lines: dict[str, list[str]] = {}
    for told in ends:
        lines.setdefault(told.end.path, []).append(str(told.end.access.span.line))
    for path, found in lines.items():
        yield (
            (f"  {place(path)}", "path"),
            (f"  while it is resolved: {_lines(found)}", "faint"),
        )


def _lines(numbers: Sequence[str]) -> str:
    return f"{'line' if len(numbers) == 1 else 'lines'} {', '.join(numbers)}"


def _end(told: ToldEnd, place: Place) -> Line:
    access = told.end.access
    when = told.moment or "any time"
    traits = [inert(access.scope) or "module", access.origin, f"{when}: {told.phase}" if told.phase else when]
    traits += [told.process] * bool(told.process) + [f"boundary: {told.stays}"] * bool(told.stays)
    rules: Line = ((f"  {', '.join(told.rules)}", "bad"),) if told.rules else ()
    where = f"  {place(told.end.path)}:{access.span.line}:{access.span.column}"
    return ((where, "path"), (f"  {'; '.join(traits)}", "faint"), (f"  {inert(access.code)}", ""), *rules)
