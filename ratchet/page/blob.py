"""The page's data as JSON that may stand in HTML, with every text made harmless to show.

A text may hold anything: file names that are no UTF-8, writing-direction marks, the end of a script. Each one
passes `display_path`, so that what is not printable shows as an escape; what is left is ASCII JSON without
`<`, `>` and `&`. The page puts texts into text nodes and attributes only, never into markup.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping

from ratchet import __version__
from ratchet.codemod.reasons import REASONS
from ratchet.escape import display_path
from ratchet.flow.model import Finding
from ratchet.history.model import History, Series, Step
from ratchet.history.status import RuleStanding, Standing
from ratchet.history.svg import change, plot
from ratchet.model import Rule, RuleVerdict, Verdict
from ratchet.page.model import Missing, Page, Rewrite, Shown
from ratchet.page.roles import roles_data
from ratchet.report.context import count_gone, count_unjudged, outcome

VERSION = 2
"""The version of the data's form, which only the script of the same release reads."""

WIDE, NARROW = 760, 360
"""The widths of a burn-down in pixels: one for a desk, one for a phone."""

_SAFE = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}
_TAB = 4


def blob(page: Page) -> str:
    """The data of a page: one line of ASCII that may stand in a script element."""
    return json.dumps(_inert(data(page)), separators=(",", ":")).translate(_SAFE)


def data(page: Page) -> dict[str, object]:
    """The data of a page, its texts as they are."""
    verdict = page.verdict
    return {
        "version": VERSION,
        "tool": __version__,
        "root": verdict.root,
        "engine": verdict.engine,
        "packs": list(verdict.packs),
        "head": _head(page.history),
        "files": _files(verdict),
        "outcome": outcome(verdict),
        "alarms": list(page.alarms),
        "notes": list(dict.fromkeys((*verdict.notes, *page.status.notes))),
        "unbased": page.unbased.reason if page.unbased else None,
        "ownerless": page.ownerless.reason if page.ownerless else None,
        "rules": list(_rules(page)),
        "namespaces": [_standing(each) for each in page.status.namespaces],
        "owners": [_standing(each) for each in page.status.owners],
        "reasons": {each.code: each.sentence for each in REASONS},
        "sites": _sites(page.sites, page.rewrites),
        "gone": list(_gone(verdict)),
        "history": _history(page.history),
        "findings": _findings(page.findings),
        "roles": roles_data(page.roles),
    }


def _inert(value: object) -> object:
    """The same value with every text harmless: on one line, without anything that is not printable."""
    if isinstance(value, str):
        return display_path(value.expandtabs(_TAB))
    if isinstance(value, Mapping):
        return {str(_inert(key)): _inert(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_inert(item) for item in value]
    return value


def _missing(part: Missing) -> dict[str, object]:
    return {"missing": part.reason}


def _files(verdict: Verdict) -> dict[str, int]:
    census = verdict.census
    return {
        "discovered": census.discovered,
        "analysed": census.analysed,
        "by_bytes": census.judged_by_bytes,
        "not_judged": count_unjudged(census),
    }


# Standings


def _rules(page: Page) -> Iterator[dict[str, object]]:
    verdicts = {entry.rule.id: entry for entry in page.verdict.rules}
    for each in page.status.rules:
        yield {**_standing(each.standing), **_about(each), **_against(verdicts[each.rule.id], page.verdict)}


def _about(each: RuleStanding) -> dict[str, object]:
    rule = each.rule
    return {
        "title": rule.title,
        "mode": rule.mode,
        "kind": rule.kind,
        "wide": rule.filters is not None and rule.filters.unit == "path-field",
        "why": _prose(rule.why),
        "instead": _prose(rule.instead),
        "skipped": each.skipped,
    }


def _against(entry: RuleVerdict, verdict: Verdict) -> dict[str, object]:
    return {
        "baseline": entry.baseline,
        "new": len(entry.new),
        "moved": len(entry.moved),
        "gone": count_gone(entry),
        "fails": verdict.fails(entry),
    }


def _standing(each: Standing) -> dict[str, object]:
    return {
        "name": each.name,
        "now": each.now,
        "first": each.first,
        "moves": each.moves,
        "stays": [[reason, number] for reason, number in each.stays],
        "others": each.others,
    }


def _gone(verdict: Verdict) -> Iterator[list[object]]:
    for entry in verdict.rules:
        for row in entry.gone:
            yield [entry.rule.id, row.path, row.scope, row.code, row.count]


def _prose(text: str) -> str:
    return " ".join(text.split())


# Sites


def _sites(sites: Iterable[Shown], rewrites: Mapping[str, Rewrite]) -> dict[str, object]:
    """The sites as rows of numbers and texts; what repeats stands once: paths, owners and rewrites."""
    paths: dict[str, int] = {}
    owners: dict[str, int] = {}
    rows = []
    for each in sites:
        site, left = each.left.site, each.left
        rows.append(
            [
                site.rule,
                paths.setdefault(site.path, len(paths)),
                site.span.line,
                site.scope,
                " ".join(site.code.split()),
                site.namespace,
                site.field,
                owners.setdefault(left.owner, len(owners)),
                each.state,
                1 if left.moves else 0,
                left.reason,
                each.start,
                site.span.end_line,
                list(each.lines),
                list(each.hunks),
                list(each.details),
            ]
        )
    changed = {str(at): _rewrite(rewrites[path]) for path, at in paths.items() if path in rewrites}
    return {"paths": list(paths), "owners": list(owners), "rewrites": changed, "rows": rows}


def _rewrite(file: Rewrite) -> dict[str, object]:
    return {
        "hunks": [[hunk.line, list(hunk.old), list(hunk.new)] for hunk in file.hunks],
        "along": list(file.along),
    }


# History


def _head(history: History | Missing) -> dict[str, object] | None:
    if isinstance(history, Missing):
        return None
    return {"commit": history.head.id[:12], "date": history.head.date}


def _history(history: History | Missing) -> dict[str, object]:
    if isinstance(history, Missing):
        return _missing(history)
    return {
        "series": [_series(each, history) for each in history.series if any(each.numbers)],
        "empty": [each.rule for each in history.series if each.steps and not any(each.numbers)],
        "without": [each.rule for each in history.series if not each.steps],
        "notes": list(history.notes),
    }


def _series(each: Series, history: History) -> dict[str, object]:
    return {
        "rule": each.rule,
        "title": each.title,
        "change": change(each),
        "charts": [_picture(plot(each, history, width)) for width in (WIDE, NARROW)],
        "steps": [_step(step) for step in each.steps],
    }


def _picture(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")


def _step(step: Step) -> list[object]:
    said = [step.fault] * bool(step.fault) + ["adopted for another version of the rule"] * step.adopted
    commit = step.commit
    return [commit.date[:10], commit.id[:12], commit.author, commit.subject, step.number, "; ".join(said)]


# Coherence


def _findings(findings: tuple[tuple[Rule, Finding], ...] | Missing) -> dict[str, object]:
    if isinstance(findings, Missing):
        return _missing(findings)
    rows = [
        [
            rule.id,
            finding.end.access.field or "",
            finding.end.path,
            finding.end.access.span.line,
            finding.end.access.scope,
            " ".join(finding.end.access.code.split()),
            finding.note,
            [f"{other.place}: {' '.join(other.access.code.split())}" for other in finding.others],
        ]
        for rule, finding in findings
    ]
    return {"rows": rows}
