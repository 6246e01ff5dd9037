"""Where a verb's result goes: the standard output in one format, and files in any number of others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.run import silence
from ratchet.frozen import dataclass

if TYPE_CHECKING:
    from ratchet.model import Problem
    from ratchet.report.layout import Line
    from ratchet.session import Session

WIDTH = 100
"""The width of text that no terminal shows, in characters."""


@dataclass(frozen=True, slots=True)
class Output:
    """The format of the standard output (None: not chosen), and files with theirs."""

    format: str | None
    files: tuple[tuple[str, Path], ...] = ()

    def write(self, render: Callable[[str, bool], str], default: str = "text") -> None:
        """Write what `render` makes of a format (and of whether to colour) to every place that was asked for.

        Files come first, so that a reader of the standard output finds them complete.
        """
        for format, path in self.files:
            write_report(path, render(format, False))
        format = self.format or default
        write_out(render(format, format == "text" and colored()))

    def write_value(
        self,
        verb: str,
        value: Callable[[], Mapping[str, object]],
        lines: Callable[[], Iterable[Line]],
        root: str | None = None,
    ) -> None:
        """Write a verb's result that has two forms to every place: as JSON, or as lines of text.

        `root` is what the paths in the JSON are relative to.
        """

        def render(format: str, color: bool) -> str:
            if format == "json":
                return document(verb, value(), root)
            from ratchet.report.text import write

            return write(lines(), color=color)

        self.write(render)


Place = Callable[[str], str]
"""Gives a path that is relative to the source root as the reader of a terminal can use it, safe to print."""


def place_of(session: Session) -> Place:
    """How text shows the paths of a tree: as arguments at the working directory."""
    from ratchet.escape import display_path

    seen = path_from(session.cwd, session.place.root)
    return lambda path: display_path(seen(path))


def path_from(cwd: Path, root: Path) -> Callable[[str], str]:
    """A function that gives paths relative to the root as arguments at `cwd`: below it, else absolute."""
    below = cwd.resolve()

    def place(path: str) -> str:
        there = root / path
        return there.relative_to(below).as_posix() if there.is_relative_to(below) else str(there)

    return place


def write_out(text: str) -> None:
    """Write to the standard output; a reader that went away ends that in silence."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def write_report(path: Path, text: str) -> None:
    """Write a report to a file, whole or not at all; a pipe or a device is written to as it is."""
    from ratchet.atomic import write_file
    from ratchet.errors import JudgeError

    data = text.encode("utf-8", "backslashreplace")
    if not path.exists() or path.is_file():
        write_file(path, data)
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise JudgeError(f"{path} could not be written ({error.strerror}): name another file") from error


def colored() -> bool:
    """Whether the standard output shows colours: a terminal, and nobody said NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The terminal's width; a fixed one elsewhere, so that the same run gives the same bytes."""
    if not sys.stdout.isatty():
        return WIDTH
    from shutil import get_terminal_size

    return get_terminal_size((WIDTH, 24)).columns


def shown_path(path: Path) -> str:
    """A path from the working directory where it lies below, safe to print."""
    from ratchet.escape import display_path

    here = Path.cwd()
    return display_path(path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path))


def note(sentence: str) -> None:
    """Say something about the run, beside its result."""
    from ratchet.escape import display_text

    click.echo(f"note: {display_text(sentence)}", err=True)


def aside(
    notes: Iterable[str] = (),
    problems: Iterable[Problem] = (),
    verb: str = "not judged",
    found_nothing: bool = False,
    place: Place = str,
) -> None:
    """Say beside a result what belongs to it: notes, files that could not be judged, that there was none.

    `place` shows the paths of files, in the notes too.
    """
    for sentence in notes:
        from ratchet.report.layout import placed

        note(placed(sentence, place))
    for problem in problems:
        from ratchet.frozen import replace
        from ratchet.report.layout import not_judged

        shown = replace(problem, path=place(problem.path)) if problem.path else problem
        click.echo("".join(text for text, _ in not_judged(shown, verb)).lstrip(), err=True)
    if found_nothing:
        from ratchet.wording import NO_FILES

        click.echo(NO_FILES, err=True)


def joined(lines: Iterable[str]) -> str:
    """Lines as a text."""
    return "".join(f"{line}\n" for line in lines)


def document(verb: str, value: Mapping[str, object], root: str | None = None) -> str:
    """What a verb says as one line of JSON, with the head that all of them have."""
    from ratchet.report.values import head

    return to_json({**head(verb, root), **value})


def to_json(value: Mapping[str, object]) -> str:
    """One line of ASCII JSON."""
    import json

    return json.dumps(value, separators=(",", ":")) + "\n"


def append_summary(environ: Mapping[str, str], text: Callable[[], str]) -> None:
    """Append a job summary to the file that GitHub Actions names; without one, nothing is made."""
    place = environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    try:
        with open(place, "ab") as file:  # noqa: PTH123
            file.write(text().encode("utf-8", "backslashreplace"))
    except OSError as error:
        note(f"the job summary {place} could not be written: {error.strerror}")
