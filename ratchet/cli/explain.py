"""`ratchet explain`: what a rule is for, or what there is in a line and who counts it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, complete_rules, shared_options
from ratchet.cli.output import Place, document, joined, place_of
from ratchet.escape import display_path
from ratchet.frozen import replace
from ratchet.model import Example, Exemption, Rule
from ratchet.report.layout import not_judged
from ratchet.report.values import problems_json, row_json, site_json

if TYPE_CHECKING:
    from ratchet.checking.explain import Counted, LineExplained
    from ratchet.flow.model import Finding
    from ratchet.session import Session

_SHOWN = 8
"""How many other ends, and how many findings, are listed."""


@click.command("explain")
@click.argument("what", metavar="RULE|PATH:LINE", shell_complete=complete_rules)
@shared_options(*PLAIN)
def explain(common: Common, what: str) -> int:
    """Say what RULE counts, why, and what to write instead; or what is in a line and which rules count it.

    \b
    Example:
      ratchet explain server-args-override
      ratchet explain srt/managers/scheduler.py:120
    """
    path, colon, line = what.rpartition(":")
    if colon and path and line.isdigit():
        return _explain_line(common, path, int(line))
    return _explain_rule(common, what)


def _explain_line(common: Common, path: str, line: int) -> int:
    from ratchet.checking.explain import explain_line

    with common.session() as session:
        found = explain_line(session, path, line)
        place = place_of(session)
    common.output.write(
        lambda format, _color: (
            document("explain", _line_json(found), session.root_name)
            if format == "json"
            else joined(_line_text(found, place))
        )
    )
    return 3 if found.problems or found.faults else 0


def _line_text(found: LineExplained, place: Place) -> Iterator[str]:
    for problem in found.problems:
        yield "".join(text for text, _ in not_judged(replace(problem, path=place(problem.path))))
    yield from (f"fault: {display_path(fault)}" for fault in found.faults)
    for judged in found.accesses:
        access = judged.access
        where = f"{place(found.path)}:{access.span.line}:{access.span.column}"
        field = ".".join(part for part in (access.namespace, access.field) if part) or "-"
        traits = f"{access.operation} {access.origin} {access.form} {field}"
        yield f"{where}: {traits}: {display_path(access.code)}"
        yield f"  counted by: {', '.join(judged.counted_by) or 'no rule of accesses'}"
        yield from (f"  not by {rule}: {display_path(reason)}" for rule, reason in judged.others)
    for counted in found.sites:
        yield f"site of {counted.site.rule}: {display_path(counted.site.code)}"
        yield f"  {_row_text(counted)}"
    for rule, finding in found.parted:
        yield f"{rule.id}: {place(finding.end.place)}"
        yield from _other_ends(finding, place)
        first, *rest = rule.instead.strip("\n").splitlines()
        yield f"  instead: {first}"
        yield from (f"  {line}" for line in rest)
    if not (found.accesses or found.sites or found.problems):
        yield f"{place(found.path)}:{found.line}: no access, and no site of any rule"


def _other_ends(finding: Finding, place: Place) -> Iterator[str]:
    """Why an end is out of step, and with what."""
    yield f"  {display_path(finding.note)}"
    for other in islice(finding.others, _SHOWN):
        yield f"  {other.access.operation} on the {other.store}: {place(other.place)}"
    if len(finding.others) > _SHOWN:
        field = finding.end.access.field
        yield f"  and {len(finding.others) - _SHOWN} more: see `ratchet flow {field}`"


def _row_text(counted: Counted) -> str:
    if counted.row is None:
        return "no row in the baseline: new" if counted.has_baseline else "the rule has no baseline"
    reason = f", allowed: {display_path(counted.row.reason)}" if counted.row.reason else ""
    return f"in the baseline, {counted.row.count} of it in this scope{reason}"


def _line_json(found: LineExplained) -> dict[str, object]:
    return {
        "path": found.path,
        "line": found.line,
        "accesses": [
            {
                "line": judged.access.span.line,
                "column": judged.access.span.column,
                "operation": judged.access.operation,
                "origin": judged.access.origin,
                "form": judged.access.form,
                "field": judged.access.field,
                "namespace": judged.access.namespace,
                "code": judged.access.code,
                "counted_by": list(judged.counted_by),
                "not_counted_by": dict(judged.others),
            }
            for judged in found.accesses
        ],
        "sites": [
            {"rule": each.site.rule, **site_json(each.site), "row": row_json(each.row) if each.row else None}
            for each in found.sites
        ],
        "problems": problems_json(found.problems),
        "faults": list(found.faults),
        "flow": [
            {
                "rule": rule.id,
                "note": finding.note,
                "others": [
                    {"path": other.path, "line": other.access.span.line, "store": other.store}
                    for other in finding.others
                ],
            }
            for rule, finding in found.parted
        ],
    }


def _explain_rule(common: Common, rule_id: str) -> int:
    from ratchet.baseline.store import read_baseline
    from ratchet.checking.check import count

    with common.session() as session:
        rule = session.rule(rule_id)
        verdict = count(session, [rule.id]).verdict
        baseline = read_baseline(session.place.baselines, rule) if rule.mode != "ban" else None
        parted = _parted_by(session, rule)
        place = place_of(session)
    now, known = verdict.rules[0].count, baseline.total if baseline else None
    common.output.write(
        lambda format, _color: (
            document("explain", _rule_json(rule, now, known), session.root_name)
            if format == "json"
            else joined((*_rule_text(rule, now, known), *_ends_text(parted, place)))
        )
    )
    return verdict.exit_code


def _rule_text(rule: Rule, now: int, known: int | None) -> Iterator[str]:
    yield f"{rule.id}: {rule.title}"
    compared = "no baseline" if known is None else f"{known} in the baseline"
    yield f"  {rule.kind} rule, mode {rule.mode}; {now} now, {compared}"
    yield f"  to change it, edit {rule.file}"
    yield from ("", "why:", *_indented(rule.why), "", "instead:", *_indented(rule.instead))
    if rule.engines:
        yield from ("", f"engine versions: {rule.engines}")
    if rule.paths:
        yield from ("", "looks at:", *(f"  {path}" for path in rule.paths))
    if rule.exempt:
        yield from ("", "does not count:", *(f"  {_exemption(entry)}" for entry in rule.exempt))
    for example in rule.examples:
        yield from _example(example)


def _parted_by(session: Session, rule: Rule) -> Sequence[Finding]:
    """What a flow rule counts in the tree."""
    if rule.kind != "flow":
        return ()
    from ratchet.checking.flow import findings_in

    return [finding for _, finding in findings_in(session, [rule])]


def _ends_text(findings: Sequence[Finding], place: Place) -> Iterator[str]:
    """The first of what a flow rule counts, each with its other ends."""
    if findings:
        yield from ("", "both ends:")
    for finding in findings[:_SHOWN]:
        yield f"  {place(finding.end.place)} {finding.end.access.operation} {finding.end.access.field}"
        yield from (f"  {text}" for text in _other_ends(finding, place))
    if len(findings) > _SHOWN:
        yield f"  and {len(findings) - _SHOWN} more"


def _indented(text: str) -> list[str]:
    return [f"  {line}".rstrip() for line in text.strip("\n").splitlines()]


def _exemption(entry: Exemption) -> str:
    what = ", ".join((*entry.paths, *entry.scopes, *entry.fields))
    extra = [f"owner {entry.owner}"] * bool(entry.owner) + [f"see {entry.issue}"] * bool(entry.issue)
    extra += [f"until {entry.until}"] * bool(entry.until)
    return f"{what}: {entry.reason}" + (f" ({', '.join(extra)})" if extra else "")


def _example(example: Example) -> Iterator[str]:
    for label, code in (("bad", example.bad), ("fixed", example.fixed), ("good", example.good)):
        if code is not None:
            yield from ("", f"{label} ({example.path}):", *_indented(code))
    for path, code in example.files:
        yield from ("", f"beside it ({path}):", *_indented(code))


def _rule_json(rule: Rule, now: int, known: int | None) -> dict[str, object]:
    return {
        "id": rule.id,
        "title": rule.title,
        "kind": rule.kind,
        "mode": rule.mode,
        "why": rule.why,
        "instead": rule.instead,
        "codemod": "migrate" if rule.own_codemod is not None else rule.codemod,
        "engines": rule.engines,
        "paths": list(rule.paths),
        "file": rule.file,
        "count": now,
        "baseline": known,
        "exempt": [
            {
                "paths": list(entry.paths),
                "scopes": list(entry.scopes),
                "fields": list(entry.fields),
                "reason": entry.reason,
                "owner": entry.owner,
                "issue": entry.issue,
                "until": entry.until,
            }
            for entry in rule.exempt
        ],
        "examples": [
            {
                "path": each.path,
                "bad": each.bad,
                "good": each.good,
                "fixed": each.fixed,
                "files": dict(each.files),
            }
            for each in rule.examples
        ],
    }
