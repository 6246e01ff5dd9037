"""The verdict as JUnit XML: a test case a rule, and one for each file or fault that could not be judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ratchet.escape import display_path as inert
from ratchet.model import RuleVerdict, Verdict
from ratchet.report.context import Context, changes, files_seen, one_line, outcome


def render(verdict: Verdict, context: Context) -> str:
    """A whole XML 1.0 document; what XML cannot hold is shown as an escape."""
    errors = [*_error_cases(verdict)]
    cases = [*(_rule_case(verdict, entry) for entry in verdict.rules), *errors]
    failures = sum(map(verdict.fails, verdict.rules))
    skipped = sum(entry.skipped is not None for entry in verdict.rules)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{len(errors)}"'
    said = "\n".join((files_seen(verdict.census), *(f"note: {one_line(note)}" for note in verdict.notes)))
    time = f"{context.elapsed or 0:.3f}"
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="ratchet" {counts} time="{time}">',
            f'  <testsuite name="ratchet {_text(context.verb)}" {counts} skipped="{skipped}" time="{time}">',
            *cases,
            f"    <system-out>{_text(said)}</system-out>",
            "  </testsuite>",
            "</testsuites>",
            "",
        )
    )


def _text(value: str) -> str:
    """Text for an element or an attribute; lines stay lines."""
    return "\n".join(escape(inert(line)) for line in value.split("\n"))


def _case(classname: str, name: str, body: str) -> str:
    start = f'    <testcase classname="{classname}" name="{_text(inert(name))}" time="0"'
    return f"{start}>\n{body}\n    </testcase>" if body else f"{start}/>"


def _element(tag: str, message: str, lines: Iterable[str]) -> str:
    text = "\n".join(map(_text, lines))
    return f'      <{tag} message="{_text(message)}">{text}</{tag}>'


def _rule_case(verdict: Verdict, entry: RuleVerdict) -> str:
    return _case("ratchet.rules", entry.rule.id, _rule_body(verdict, entry))


def _rule_body(verdict: Verdict, entry: RuleVerdict) -> str:
    if entry.skipped is not None:
        return f'      <skipped message="{_text(one_line(entry.skipped))}"/>'
    rows = [*_rows(entry)]
    if verdict.fails(entry):
        return _element("failure", ", ".join(changes(entry)), [*rows, *_advice(entry)])
    lines = "\n".join(map(_text, rows))
    return f"      <system-out>{lines}</system-out>" if rows else ""


def _rows(entry: RuleVerdict) -> Iterator[str]:
    for site in entry.new:
        where = f"{inert(site.path)}:{site.span.line}:{site.span.column}"
        yield f"new {where}{_in(site.scope)}: {inert(site.code)}"
    for move in entry.moved:
        where = f"{inert(move.site.path)}:{move.site.span.line}:{move.site.span.column}"
        yield f"moved {inert(move.row.path)}{_in(move.row.scope)} to {where}{_in(move.site.scope)}"
    for row in entry.gone:
        times = f" ({row.count} times)" if row.count > 1 else ""
        yield f"gone {inert(row.path)}{_in(row.scope)}: {inert(row.code)}{times}"


def _advice(entry: RuleVerdict) -> Iterator[str]:
    if entry.new:
        yield f"Instead: {one_line(entry.rule.instead)}"
        yield f"Why: {one_line(entry.rule.why)}"
    if entry.gone or entry.moved:
        yield "To bring the baseline up to date: ratchet tighten"


def _in(scope: str) -> str:
    return f" in {inert(scope)}" if scope else ""


def _error_cases(verdict: Verdict) -> Iterator[str]:
    for problem in verdict.census.problems:
        name = f"{problem.path}:{problem.line}" if problem.line else problem.path
        yield _case("ratchet.files", name, _element("error", inert(problem.message), ()))
    for fault in verdict.faults:
        yield _case("ratchet.faults", fault, _element("error", inert(fault), ()))
    if verdict.census.found_nothing:
        yield _case("ratchet.files", "discovery", _element("error", outcome(verdict), ()))
