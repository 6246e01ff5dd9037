"""What the text format says, as styled segments: a writer joins them plainly or colours them.

Every string of a tree, a baseline or a rule passes through `inert` here, so that writers can trust a segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from ratchet.escape import display_path as inert
from ratchet.frozen import replace
from ratchet.model import Problem, RuleVerdict, Site, Verdict
from ratchet.report.context import (
    Context,
    count_gone,
    files_seen,
    one_line,
    outcome,
    rewrite_command,
)
from ratchet.verdict import twins

Style = Literal["", "title", "path", "faint", "bad", "good", "stale", "command"]
Segment = tuple[str, Style]
Line = tuple[Segment, ...]

_INDENT = "    "
_FILE = r"[^\s(),;:'\"`]+\.py"
_SPOT = re.compile(rf"{_FILE}(?=:\d)|(?<=\(){_FILE}(?=\)$)")


def lay_out(verdict: Verdict, context: Context) -> Iterator[Line]:
    """The lines of a report, without newlines: sites first, numbers last, a blank line between parts."""
    parts = (
        *(_new_sites(entry, context) for entry in verdict.rules),
        _moved(verdict, context),
        _gone(verdict, context),
        _numbers(verdict, context),
    )
    separator: tuple[Line, ...] = ()
    for part in filter(None, map(tuple, parts)):
        yield from separator
        yield from part
        separator = ((),)


def _numbers(verdict: Verdict, context: Context) -> Iterator[Line]:
    yield from rules(verdict)
    yield files(verdict)
    yield from _problems(verdict, context)
    for note in verdict.notes:
        yield from _wrapped("note: ", one_line(placed(note, context.place)), context.width)
    yield closing(verdict, context)


def files(verdict: Verdict) -> Line:
    """The line about the files that the run saw."""
    return ((files_seen(verdict.census), "bad" if verdict.census.problems else ""),)


def closing(verdict: Verdict, context: Context) -> Line:
    """The last line: the verb, how the run ended, and its seconds."""
    elapsed = "" if context.elapsed is None else f" ({context.elapsed:.2f} s)"
    style: Style = "bad" if verdict.exit_code else "good"
    return ((f"{context.verb}: {outcome(verdict)}", style), (elapsed, "faint"))


def _new_sites(entry: RuleVerdict, context: Context) -> Iterator[Line]:
    if not entry.new:
        return
    remarks = twins(entry)
    for site in entry.new:
        yield _located(site, f" new {entry.rule.id}", "bad", context)
        yield from _excerpt(site, context)
        if site.key in remarks:
            yield ((f"{_INDENT}{remarks[site.key]}", "faint"),)
        yield from _instead(entry.rule.instead)
    yield from _advice(entry, context)


def _instead(text: str) -> Iterator[Line]:
    label = "instead: "
    for row in text.strip().splitlines():
        yield ((f"{_INDENT}{label}", "faint"), (inert(row), "good"))
        label = " " * len(label)


def _advice(entry: RuleVerdict, context: Context) -> Iterator[Line]:
    yield from _wrapped(f"why {inert(entry.rule.id)}: ", one_line(entry.rule.why), context.width)
    command = rewrite_command(entry, entry.new)
    if command:
        yield (("rewrite: ", "faint"), (inert(command), "command"))


def _located(site: Site, label: str, style: Style, context: Context) -> Line:
    where = f"{inert(context.place(site.path))}:{site.span.line}:{site.span.column}:"
    scope: Line = ((f" in {inert(site.scope)}", "faint"),) if site.scope else ()
    return ((where, "path"), (inert(label), style), *scope)


def _excerpt(site: Site, context: Context) -> Iterator[Line]:
    """The source line with the site marked, cut to the width; the site's code where there is no source."""
    text = context.source_line(site.path, site.span.line)
    if text is None:
        yield ((f"{_INDENT}{inert(site.code)}", ""),)
        return
    room = max(context.width - len(_INDENT), 20)
    reach = 2 * room  # what is further away is cut off anyway, and a line may be very long
    start = site.span.column - 1
    end = site.span.end_column - 1 if site.span.end_line == site.span.line else len(text)
    before = inert(text[max(start - reach, 0) : start].lstrip())
    marked = inert(text[start : min(end, start + reach)].rstrip())
    after = inert(text[end : end + reach].rstrip())
    if len(before) + len(marked) + len(after) > room:
        before, marked, after = _cut(before, marked, after, room)
    yield ((f"{_INDENT}{before}", ""), (marked, "title"), (after, ""))
    yield ((f"{_INDENT}{' ' * _cells(before)}{'^' * max(_cells(marked), 1)}", "bad"),)


def _cut(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """The three parts of a line with their far ends left out, in at most `room` characters."""
    if len(marked) > room - 6:
        marked = marked[: room - 6] + "..."
        after = ""
    spare = room - len(marked) - 6
    if len(before) > spare // 2 + 3:
        before = "..." + before[len(before) - spare // 2 :]
    if len(after) > room - len(before) - len(marked):
        after = after[: max(room - len(before) - len(marked) - 3, 0)] + "..."
    return before, marked, after


def _cells(text: str) -> int:
    """How many terminal cells a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _moved(verdict: Verdict, context: Context) -> Iterator[Line]:
    for entry in verdict.rules:
        for move in entry.moved:
            yield _located(move.site, f" moved {entry.rule.id}", "stale", context)
            yield ((f"{_INDENT}{inert(move.site.code)}", ""),)
            scope = f" in {inert(move.row.scope)}" if move.row.scope else ""
            yield ((f"{_INDENT}from {inert(context.place(move.row.path))}{scope}", "faint"),)
    if any(entry.moved for entry in verdict.rules) and not any(entry.gone for entry in verdict.rules):
        yield from _tighten("follow the moved sites", context)


def _gone(verdict: Verdict, context: Context) -> Iterator[Line]:
    for entry in verdict.rules:
        for row in entry.gone:
            times = f" ({row.count} times)" if row.count > 1 else ""
            scope = f" in {inert(row.scope)}" if row.scope else ""
            label: Segment = (f" gone {inert(entry.rule.id)}", "good")
            yield ((f"{inert(context.place(row.path))}:", "path"), label, (scope + times, "faint"))
            yield ((f"{_INDENT}{inert(row.code)}", ""),)
    if any(entry.gone for entry in verdict.rules):
        yield from _tighten("record the progress", context)


def _tighten(purpose: str, context: Context) -> Iterator[Line]:
    unless = "" if context.committed else ", where the baselines do not have it yet"
    yield ((f"{purpose}{unless}: ", "faint"), ("ratchet tighten", "command"))


def _problems(verdict: Verdict, context: Context) -> Iterator[Line]:
    for problem in verdict.census.problems:
        yield not_judged(replace(problem, path=context.place(problem.path)))
    for fault in verdict.faults:
        yield ((f"fault: {inert(placed(fault, context.place))}", "bad"),)


def placed(sentence: str, place: Callable[[str], str]) -> str:
    """A sentence about a tree: a `FILE:LINE` in it, or a `(FILE)` at its end, as `place` shows the file."""
    return _SPOT.sub(lambda spot: place(spot[0]), sentence)


def not_judged(problem: Problem, verb: str = "not judged") -> Line:
    """The line about a file that could not be judged, or of which something else could not be done."""
    line = f":{problem.line}" if problem.line else ""
    path = f"{inert(problem.path)}{line}:" if problem.path else ""
    return ((path, "path"), (f" {verb}: {inert(problem.message)}", "bad"))


def rules(verdict: Verdict) -> Iterator[Line]:
    """One line a rule: its id, baseline and count in columns, then what changed and what is special."""
    ids = max((len(inert(entry.rule.id)) for entry in verdict.rules), default=0)
    baselines = [entry.baseline for entry in verdict.rules if entry.baseline is not None]
    olds = max((len(str(baseline)) for baseline in baselines), default=0)
    news = max((len(str(entry.count)) for entry in verdict.rules), default=0)
    for entry in verdict.rules:
        name: Segment = (inert(entry.rule.id).ljust(ids), "title" if entry.new else "")
        new, old = str(entry.count).rjust(news), "" if entry.baseline is None else str(entry.baseline)
        numbers = _compared(old, new, olds, whole=verdict.census.complete)
        yield (name, (f"  {numbers}", ""), *_changes(entry))
    if not verdict.rules:
        yield (("no rule ran", "bad"),)


def _compared(old: str, new: str, width: int, *, whole: bool) -> str:
    """`18 → 19`, or `2 of 18` for a part of the tree; a rule without a baseline leaves its column empty."""
    if not width:
        return new
    if whole:
        return f"{old.rjust(width)} {'→' if old else ' '} {new}"
    return f"{new} {'of' if old else '  '} {old.rjust(width)}"


def _changes(entry: RuleVerdict) -> Iterator[Segment]:
    gone = count_gone(entry)
    if entry.new:
        yield (f"  +{len(entry.new)}", "bad")
    if gone:
        yield (f"  -{gone}", "good")
    if entry.moved:
        yield (f"  {len(entry.moved)} moved", "stale")
    if entry.rule.mode == "warn" and (entry.new or gone or entry.moved):
        yield ("  (warns only)", "faint")
    if entry.skipped:
        yield (f"  not applied: {one_line(entry.skipped)}", "faint")


def _wrapped(label: str, text: str, width: int) -> Iterator[Line]:
    """A paragraph behind a label, its further lines indented."""
    from textwrap import wrap

    first, *rest = wrap(
        label + text,
        max(width, 20),
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield ((first[: len(label)], "faint"), (first[len(label) :], ""))
    for row in rest:
        yield ((row, ""),)
