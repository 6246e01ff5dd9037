"""Workflow commands of GitHub Actions: an annotation a new site, stale row and problem, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ratchet.escape import display_path as inert
from ratchet.model import Problem, Row, RuleVerdict, Site, Verdict
from ratchet.report import layout, markdown, text
from ratchet.report.context import Context, one_line, outcome, rewrite_command
from ratchet.verdict import twins


def render(verdict: Verdict, context: Context) -> str:
    """Annotations with paths relative to the repository, and the plain numbers for whoever reads the log."""
    commands = "".join(f"{command}\n" for command in _commands(verdict, context))
    numbers = (*layout.rules(verdict), layout.files(verdict), layout.closing(verdict, context))
    return commands + _unread(text.write(numbers, color=False))


def _unread(lines: str) -> str:
    """Text in which the runner finds no command, whatever the names in it are."""
    return lines.replace("::", ": :").replace("##[", "## [")


def summary(verdict: Verdict, context: Context) -> str:
    """The job summary in Markdown, to be appended to the file that $GITHUB_STEP_SUMMARY names."""
    return markdown.render(verdict, context)


def _commands(verdict: Verdict, context: Context) -> Iterator[str]:
    for entry in verdict.rules:
        remarks = twins(entry) if entry.new else {}
        level = "warning" if entry.rule.mode == "warn" else "error"
        for site in entry.new:
            yield _command(level, _message(entry, site, remarks.get(site.key)), _place(site, context), entry)
    for entry in verdict.rules:
        for row in entry.gone:
            yield _command(
                "warning", _gone(row, context.committed), {"file": context.in_repository(row.path)}, entry
            )
        for move in entry.moved:
            message = f"Moved from {inert(move.row.path)}: run `ratchet tighten`."
            yield _command("warning", message, _place(move.site, context), entry)
    for problem in verdict.census.problems:
        yield _command("error", f"Not judged: {inert(problem.message)}", _spot(problem, context))
    for fault in verdict.faults:
        yield _command("error", inert(fault), {})
    if verdict.census.found_nothing:
        yield _command("error", outcome(verdict), {})
    for note in verdict.notes:
        yield _command("notice", inert(note), {})


def _message(entry: RuleVerdict, site: Site, remark: str | None) -> str:
    scope = f" in {inert(site.scope)}" if site.scope else ""
    command = rewrite_command(entry, (site,))
    lines = (
        f"New{scope}: {inert(site.code)}",
        remark and f"({remark})",
        f"Instead: {one_line(entry.rule.instead)}",
        f"Why: {one_line(entry.rule.why)}",
        command and f"Rewrite: {inert(command)}",
    )
    return "\n".join(filter(None, lines))


def _gone(row: Row, committed: bool) -> str:
    scope = f" in {inert(row.scope)}" if row.scope else ""
    times = f" ({row.count} times)" if row.count > 1 else ""
    unless = "" if committed else ", where the baselines do not have it yet"
    return f"Gone{scope}: {inert(row.code)}{times}\nRun `ratchet tighten` to record the progress{unless}."


def _place(site: Site, context: Context) -> dict[str, str]:
    """GitHub takes columns only where a site begins and ends on one line."""
    span = site.span
    place = {"file": context.in_repository(site.path), "line": str(span.line), "endLine": str(span.end_line)}
    if span.line == span.end_line:
        place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    return place


def _spot(problem: Problem, context: Context) -> dict[str, str]:
    spot = {"file": context.in_repository(problem.path)} if problem.path else {}
    return spot | ({"line": str(problem.line)} if problem.line else {})


def _command(level: str, message: str, properties: dict[str, str], entry: RuleVerdict | None = None) -> str:
    title = f"ratchet: {entry.rule.id}" if entry else "ratchet"
    given = ",".join(f"{key}={_property(value)}" for key, value in (properties | {"title": title}).items())
    return f"::{level} {given}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(inert(value)).replace(":", "%3A").replace(",", "%2C")
