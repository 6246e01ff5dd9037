"""The verdict as JSON: the format that `docs/json.md` and `schemas/report.schema.json` describe."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ratchet.model import Access, Census, Move, Problem, RuleVerdict, Site, Verdict
from ratchet.report.context import Context, State, count_gone, count_unjudged, states
from ratchet.report.values import VERSION, problems_json, row_json

Object = dict[str, object]


def render(verdict: Verdict, context: Context) -> str:
    """The whole verdict as one line of ASCII JSON; the same verdict gives the same bytes."""
    head: Object = {
        "version": VERSION,
        "tool": {"name": "ratchet", "version": context.version},
        "verb": context.verb,
        "root": verdict.root,
        "engine": verdict.engine,
        "packs": verdict.packs,
        "exit_code": verdict.exit_code,
        "files": _files(verdict.census),
        "problems": problems_json(verdict.census.problems),
        "faults": verdict.faults,
        "notes": verdict.notes,
    }
    strings = _Strings()
    return _ending_in(head, "rules", [_rule(entry, strings) for entry in verdict.rules]) + "\n"


def accesses(path: str, found: Iterable[Access], problems: Iterable[Problem], version: str = "") -> str:
    """What the analysis sees in one file, as one line of ASCII JSON."""
    report: Object = {
        "version": VERSION,
        "tool": {"name": "ratchet", "version": version},
        "verb": "accesses",
        "path": path,
        "accesses": [_access(access) for access in found],
        "problems": problems_json(problems),
    }
    return _dump(report) + "\n"


class _Strings(dict[str | None, str]):
    """Strings as JSON, each encoded once: sites repeat their paths, scopes and words."""

    def __missing__(self, value: str | None) -> str:
        encoded = self[value] = json.dumps(value)
        return encoded


def _dump(value: Object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _ending_in(head: Object, key: str, items: Iterable[str]) -> str:
    """An object whose last key holds a list of values that are JSON already."""
    return f'{_dump(head)[:-1]},"{key}":[{",".join(items)}]}}'


def _files(census: Census) -> Object:
    return {
        "discovered": census.discovered,
        "analysed": census.analysed,
        "judged_by_bytes": census.judged_by_bytes,
        "not_judged": count_unjudged(census),
        "ignored": census.ignored,
        "complete": census.complete,
    }


def _rule(entry: RuleVerdict, strings: _Strings) -> str:
    compared = entry.baseline is not None
    head: Object = {
        "id": entry.rule.id,
        "kind": entry.rule.kind,
        "mode": entry.rule.mode,
        "title": entry.rule.title,
        "skipped": entry.skipped,
        "count": entry.count,
        "baseline": entry.baseline,
        "known": len(entry.known) if compared else None,
        "new": len(entry.new) if compared else None,
        "moved": len(entry.moved) if compared else None,
        "gone": count_gone(entry) if compared else None,
        "moves": [_move(move) for move in entry.moved],
        "gone_rows": [row_json(row) for row in entry.gone],
    }
    state = states(entry)
    return _ending_in(head, "sites", [_site(site, state(site), strings) for site in entry.sites])


def _site(site: Site, state: State | None, of: _Strings) -> str:
    # A template and not a dict: a run may print 30,000 sites, and this takes a third of the time.
    span = site.span
    return (
        f'{{"path":{of[site.path]},"line":{span.line},"column":{span.column}'
        f',"end_line":{span.end_line},"end_column":{span.end_column}'
        f',"scope":{of[site.scope]},"code":{of[site.code]}'
        f',"operation":{of[site.operation]},"origin":{of[site.origin]},"form":{of[site.form]}'
        f',"field":{of[site.field]},"namespace":{of[site.namespace]},"state":{of[state]}}}'
    )


def _move(move: Move) -> Object:
    site, span = move.site, move.site.span
    to = {"path": site.path, "line": span.line, "column": span.column, "scope": site.scope, "code": site.code}
    return {"from": row_json(move.row), "to": to}


def _access(access: Access) -> Object:
    span = access.span
    return {
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "operation": access.operation,
        "origin": access.origin,
        "form": access.form,
        "root": access.root,
        "via": access.via,
        "field": access.field,
        "namespace": access.namespace,
        "scope": access.scope,
        "code": access.code,
    }
