"""The text format: the layout joined as it is, or coloured by rich for a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ratchet.escape import display_path as inert
from ratchet.model import Access, Problem, Verdict
from ratchet.report.context import Context
from ratchet.report.layout import Line, Style, lay_out, not_judged
from ratchet.wording import plural

if TYPE_CHECKING:
    from rich.text import Text

_STYLES: dict[Style, str] = {
    "": "",
    "title": "bold",
    "path": "cyan",
    "faint": "dim",
    "bad": "bold red",
    "good": "green",
    "stale": "yellow",
    "command": "bold blue",
}


def render(verdict: Verdict, context: Context) -> str:
    """The report as text, with colours where the context has them; the characters are the same in both."""
    return write(lay_out(verdict, context), color=context.color)


def write(lines: Iterable[Line], *, color: bool) -> str:
    """The lines as one string; rich is imported only to colour them."""
    if color:
        return _colored(lines)
    return "".join("".join(text for text, _ in line) + "\n" for line in lines)


def styled(line: Line) -> Text:
    """A line as a rich text, built without its markup, so that code in brackets stays as it is."""
    from rich.text import Text

    return Text.assemble(*((text, _STYLES[style]) for text, style in line))


def _colored(lines: Iterable[Line]) -> str:
    """The lines between the codes of their styles, which rich gives once for the terminal's colours."""
    marks = _marks()
    return "".join(
        "".join(f"{marks[style][0]}{text}{marks[style][1]}" for text, style in line) + "\n" for line in lines
    )


def _marks() -> dict[Style, tuple[str, str]]:
    """What stands before and after a text of each style; nothing on a terminal without colours."""
    from rich.console import COLOR_SYSTEMS, Console
    from rich.style import Style as RichStyle

    system = Console(force_terminal=True).color_system
    colors = COLOR_SYSTEMS[system] if system else None
    hole = "\0"
    rendered = {
        name: RichStyle.parse(words).render(hole, color_system=colors) for name, words in _STYLES.items()
    }
    return {name: (codes.split(hole)[0], codes.split(hole)[1]) for name, codes in rendered.items()}


def accesses(path: str, found: Iterable[Access], problems: Iterable[Problem], *, color: bool = False) -> str:
    """What the analysis sees in one file: one access a line, in columns."""
    return write(_access_lines(path, tuple(found), tuple(problems)), color=color)


def _access_lines(path: str, found: tuple[Access, ...], problems: tuple[Problem, ...]) -> Iterable[Line]:
    rows = [
        (
            f"{access.span.line}:{access.span.column}",
            access.operation,
            access.origin,
            access.form,
            inert(".".join(part for part in (access.namespace, access.field) if part) or "-"),
            inert(access.code),
        )
        for access in found
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)] if rows else []
    for row in rows:
        cells = "  ".join(cell.ljust(width) for cell, width in zip(row[1:5], widths[1:], strict=True))
        yield ((row[0].ljust(widths[0]), "path"), (f"  {cells}  ", ""), (row[5], "title"))
    yield from map(not_judged, problems)
    yield ((f"{inert(path)}: {plural(len(rows), 'access', 'accesses')}", "faint"),)
