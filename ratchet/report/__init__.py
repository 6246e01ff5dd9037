"""A verdict as text: one module a format, and the one function that picks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Literal, cast, get_args

from ratchet.model import Access, Problem, Verdict
from ratchet.report.context import Context

Format = Literal["text", "json", "sarif", "github", "junit", "markdown"]

FORMATS: tuple[str, ...] = get_args(Format)

__all__ = ["FORMATS", "Context", "Format", "render", "render_accesses", "under_actions"]


def render(format: Format, verdict: Verdict, context: Context) -> str:
    """The verdict in a format, ending in a newline; only that format's module is imported."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: one of {', '.join(FORMATS)}")
    module = import_module(f"ratchet.report.{format}")
    return cast(str, module.render(verdict, context))


def render_accesses(
    format: Literal["text", "json"],
    path: str,
    accesses: Iterable[Access],
    problems: Iterable[Problem],
    context: Context,
) -> str:
    """What the analysis sees in one file, for `ratchet accesses FILE`; ends in a newline."""
    if format == "json":
        from ratchet.report import json

        return json.accesses(path, accesses, problems, context.version)
    from ratchet.report import text

    return text.accesses(path, accesses, problems, color=context.color)


def under_actions(environ: Mapping[str, str]) -> bool:
    """Whether this is a step of GitHub Actions, where the format `github` is the default."""
    return environ.get("GITHUB_ACTIONS") == "true"
