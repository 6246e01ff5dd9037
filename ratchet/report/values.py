"""What reports have in common as values of JSON: sites, rows of baselines, problems, changed counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratchet.model import Problem, Row, Site


def site_json(site: Site) -> dict[str, object]:
    """A site with all that is known of it."""
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
    }


def row_json(row: Row) -> dict[str, object]:
    """A row of a baseline."""
    return {
        "path": row.path,
        "scope": row.scope,
        "code": row.code,
        "count": row.count,
        "reason": row.reason,
    }


def problems_json(problems: Iterable[Problem]) -> list[dict[str, object]]:
    """The files that could not be judged, or proved; line 0 is the file as a whole."""
    return [{"path": each.path, "line": each.line, "message": each.message} for each in problems]
