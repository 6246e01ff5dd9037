"""What reports have in common as values of JSON: sites, rows of baselines, problems, counts, and a head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ratchet import __version__

if TYPE_CHECKING:
    from ratchet.model import Problem, Row, Site


VERSION = 1
"""Raised when a reader of a document must change; a new key alone does not raise it."""


def head(verb: str, root: str | None = None) -> dict[str, object]:
    """What every document of JSON begins with; `root` is what its paths are relative to."""
    tool = {"name": "ratchet", "version": __version__}
    told: dict[str, object] = {"version": VERSION, "tool": tool, "verb": verb}
    return told if root is None else {**told, "root": root}


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
