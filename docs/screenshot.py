"""Renders a check as an SVG picture of a terminal, for the README: `screenshot(verdict, context)`."""

from __future__ import annotations

import re
from io import StringIO

from ratchet.model import Verdict
from ratchet.report import Context
from ratchet.report.layout import lay_out
from ratchet.report.text import styled


def screenshot(verdict: Verdict, context: Context, command: str = "ratchet check") -> str:
    """An SVG of what the command prints about the verdict, `context.width` columns wide.

    The same verdict gives the same bytes, and the picture loads nothing from elsewhere (a README's host
    blocks it), so that the reader's own monospaced font shows it.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(
        file=StringIO(), record=True, width=context.width, force_terminal=True, color_system="truecolor"
    )
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    for line in lay_out(verdict, context):
        console.print(styled(line), highlight=False, overflow="fold")
    return _without_fonts(console.export_svg(title=command, unique_id="ratchet"))


def _without_fonts(svg: str) -> str:
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"font-family: [^;]+;", "font-family: Menlo, Consolas, DejaVu Sans Mono, monospace;", svg)
