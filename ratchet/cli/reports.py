"""Verdicts as reports: rendered with their sources, in the format that was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from ratchet import __version__
from ratchet.cli.output import Output, append_summary, colored, path_from, width
from ratchet.errors import UsageError
from ratchet.frozen import replace

if TYPE_CHECKING:
    from ratchet.checking.check import Checked
    from ratchet.report import Context, Format
    from ratchet.session import Session
    from ratchet.source.entries import Source

_ONE_A_FILE = ("json", "sarif", "junit")

Judged = tuple["Session", "Checked"]


def report(runs: Sequence[Judged], output: Output, verb: str, elapsed: float, committed: bool = True) -> int:
    """Write the verdicts of one or more trees; returns the exit code, the worst of theirs.

    `committed` is as for the context of a report.

    Under GitHub Actions, `check` annotates and appends a job summary unless a format is chosen.
    """
    from ratchet.report import under_actions

    default = "github" if verb == "check" and under_actions(os.environ) else "text"
    refuse_several([session for session, _ in runs], output, default)

    def render(format: str, color: bool) -> str:
        return "\n".join(_rendered(run, format, verb, elapsed, color, committed) for run in runs)

    output.write(render, default)
    if output.format is None and default == "github":
        append_summary(os.environ, lambda: render("markdown", False))
    return max(checked.verdict.exit_code for _, checked in runs)


def refuse_several(sessions: Sequence[Session], output: Output, default: str = "text") -> None:
    """Raise UsageError where a document that is about one tree is asked for several."""
    for format in (output.format or default, *(format for format, _ in output.files)):
        if len(sessions) > 1 and format in _ONE_A_FILE:
            names = ", ".join(session.place.name for session in sessions)
            raise UsageError(
                f"a report in {format} is about one tree, and there are {names}; choose one with --tree"
            )


def _rendered(run: Judged, format: str, verb: str, elapsed: float, color: bool, committed: bool) -> str:
    from ratchet.report import render

    session, checked = run
    context = replace(_context(session, checked.source, verb, elapsed, color), committed=committed)
    return render(cast("Format", format), checked.verdict, context)


def _context(session: Session, source: Source, verb: str, elapsed: float, color: bool) -> Context:
    from ratchet.report import Context

    return Context(
        verb=f"{verb} {session.place.name}".rstrip(),
        elapsed=elapsed,
        source_line=source_line(source),
        prefix=session.place.prefix,
        place=path_from(session.cwd, session.place.root),
        color=color and colored(),
        width=width(),
        version=__version__,
    )


def source_line(source: Source) -> Callable[[str, int], str | None]:
    """A function that gives a line of a file; an unreadable one has no lines."""
    from ratchet.source.lines import line_reader

    lines_of = line_reader(source)

    def read(path: str, line: int) -> str | None:
        lines = lines_of(path)
        return lines[line - 1] if 0 < line <= len(lines) else None

    return read
