"""The verdict as JSON: the format that `docs/json.md` and `schemas/report.schema.json` describe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from ratchet.model import Access, Census, Move, Problem, Row, RuleVerdict, Site, Verdict
from ratchet.report.context import Context, State, count_gone, states

VERSION = 1
"""Raised when a reader of the format must change; a new key alone does not raise it."""

Object = dict[str, object]


def render(verdict: Verdict, context: Context) -> str:
    """The whole verdict as one line of ASCII JSON; the same verdict gives the same bytes."""
    return _dump(
        {
            "version": VERSION,
            "tool": {"name": "ratchet", "version": context.version},
            "verb": context.verb,
            "root": verdict.root,
            "engine": verdict.engine,
            "packs": verdict.packs,
            "files": _files(verdict.census),
            "problems": _problems(verdict.census.problems),
            "faults": verdict.faults,
            "notes": verdict.notes,
            "rules": [_rule(entry) for entry in verdict.rules],
            "exit_code": verdict.exit_code,
        }
    )


def accesses(path: str, found: Iterable[Access], problems: Iterable[Problem], version: str = "") -> str:
    """What the analysis sees in one file, as one line of ASCII JSON."""
    return _dump(
        {
            "version": VERSION,
            "tool": {"name": "ratchet", "version": version},
            "path": path,
            "accesses": [_access(access) for access in found],
            "problems": _problems(problems),
        }
    )


def _dump(value: Object) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _files(census: Census) -> Object:
    return {
        "discovered": census.discovered,
        "analysed": census.analysed,
        "judged_by_bytes": census.judged_by_bytes,
        "not_judged": len({problem.path for problem in census.problems}),
        "ignored": census.ignored,
        "complete": census.complete,
    }


def _problems(problems: Iterable[Problem]) -> list[Object]:
    return [{"path": found.path, "line": found.line, "message": found.message} for found in problems]


def _rule(entry: RuleVerdict) -> Object:
    compared = entry.baseline is not None
    state = states(entry)
    return {
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
        "sites": [_site(site, state) for site in entry.sites],
        "moves": [_move(move) for move in entry.moved],
        "gone_rows": [_row(row) for row in entry.gone],
    }


def _site(site: Site, state: Callable[[Site], State | None]) -> Object:
    span = site.span
    return {
        "path": site.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
        "scope": site.scope,
        "code": site.code,
        "operation": site.operation,
        "origin": site.origin,
        "form": site.form,
        "field": site.field,
        "namespace": site.namespace,
        "state": state(site),
    }


def _move(move: Move) -> Object:
    site, span = move.site, move.site.span
    to = {"path": site.path, "line": span.line, "column": span.column, "scope": site.scope, "code": site.code}
    return {"from": _row(move.row), "to": to}


def _row(row: Row) -> Object:
    return {
        "path": row.path,
        "scope": row.scope,
        "code": row.code,
        "count": row.count,
        "reason": row.reason,
    }


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
