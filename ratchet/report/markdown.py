"""The verdict in GitHub-flavoured Markdown: a table of the rules, then the sites; also the job summary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ratchet.escape import display_path as inert
from ratchet.model import RuleVerdict, Site, Verdict
from ratchet.report.context import Context, count_gone, files_seen, one_line, outcome, rewrite_command
from ratchet.wording import plural

_SPECIAL = re.compile(r"([\\`*_\[\]<>#!|~&])")


def render(verdict: Verdict, context: Context) -> str:
    """The whole verdict in Markdown; nothing out of a tree or a rule can become markup or HTML."""
    elapsed = "" if context.elapsed is None else f" ({context.elapsed:.2f} s)"
    parts: list[Iterable[str]] = [
        [f"## ratchet {prose(context.verb)}: {prose(outcome(verdict))}{elapsed}"],
        _table(verdict.rules),
        *(_new(entry) for entry in verdict.rules if entry.new),
        _stale(verdict.rules),
        _unjudged(verdict),
        [f"- {prose(one_line(note))}" for note in verdict.notes],
        [files_seen(verdict.census)],
    ]
    return "\n\n".join(filter(None, ("\n".join(part) for part in parts))) + "\n"


def prose(text: str) -> str:
    """Text that Markdown shows as it is: every character that could be markup escaped."""
    return (
        _SPECIAL.sub(r"\\\1", inert(text))
        .replace("\\<", "&lt;")
        .replace("\\>", "&gt;")
        .replace("\\&", "&amp;")
    )


def code(text: str) -> str:
    """A code span, fenced by more backticks than the text holds in a row; empty for an empty text."""
    if not text:
        return ""
    shown = inert(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _cell(text: str) -> str:
    """A code span in a table, where a bar ends the cell even inside of code."""
    return code(text).replace("|", "\\|")


def _table(rules: Iterable[RuleVerdict]) -> Iterator[str]:
    yield "| rule | baseline | now | new | gone | moved | |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for entry in rules:
        baseline = "" if entry.baseline is None else str(entry.baseline)
        changes = (f"+{len(entry.new)}", f"-{count_gone(entry)}", str(len(entry.moved)))
        shown = ("" if change in ("+0", "-0", "0") else change for change in changes)
        remark = prose(one_line(entry.skipped)) if entry.skipped else _remark(entry)
        yield f"| {_cell(entry.rule.id)} | {baseline} | {entry.count} | {' | '.join(shown)} | {remark} |"


def _remark(entry: RuleVerdict) -> str:
    return "warns only" if entry.rule.mode == "warn" else ""


def _new(entry: RuleVerdict) -> Iterator[str]:
    rule = entry.rule
    yield f"### {plural(len(entry.new), 'new site')} of {code(rule.id)}"
    yield ""
    yield f"{prose(one_line(rule.why))}"
    yield ""
    yield f"Instead: {code(one_line(rule.instead))}"
    yield ""
    yield from (_site(site) for site in entry.new)
    command = rewrite_command(entry, entry.new)
    if command:
        yield ""
        yield f"To rewrite what can be rewritten: {code(command)}"


def _site(site: Site) -> str:
    scope = f" in {code(site.scope)}" if site.scope else ""
    return f"- {code(f'{site.path}:{site.span.line}:{site.span.column}')}{scope}: {code(site.code)}"


def _stale(rules: Iterable[RuleVerdict]) -> Iterator[str]:
    rows = [(entry, row) for entry in rules for row in entry.gone]
    moves = [(entry, move) for entry in rules for move in entry.moved]
    if not rows and not moves:
        return
    yield "### Gone and moved sites"
    yield ""
    for entry, row in rows:
        times = f", {row.count} times" if row.count > 1 else ""
        yield f"- gone from {code(entry.rule.id)}: {code(row.path)}{_in(row.scope)}: {code(row.code)}{times}"
    for entry, move in moves:
        where = f"{code(move.row.path)}{_in(move.row.scope)} to {code(move.site.path)}{_in(move.site.scope)}"
        yield f"- moved in {code(entry.rule.id)}: {code(move.site.code)} from {where}"
    yield ""
    yield "To bring the baseline up to date: `ratchet tighten`"


def _in(scope: str) -> str:
    return f" in {code(scope)}" if scope else ""


def _unjudged(verdict: Verdict) -> Iterator[str]:
    if not verdict.census.problems and not verdict.faults:
        return
    yield "### Could not judge"
    yield ""
    for problem in verdict.census.problems:
        line = f":{problem.line}" if problem.line else ""
        yield f"- {code(problem.path + line)}: {prose(one_line(problem.message))}"
    for fault in verdict.faults:
        yield f"- {prose(one_line(fault))}"
