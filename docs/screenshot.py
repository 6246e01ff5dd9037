"""Renders a check as an SVG picture of a terminal: `make screenshot` draws the README's, of a real run."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
import tempfile
from io import StringIO
from pathlib import Path

from ratchet.checking.check import Request, check
from ratchet.cli.output import path_from
from ratchet.cli.reports import source_line
from ratchet.model import Verdict
from ratchet.report import Context
from ratchet.report.layout import lay_out
from ratchet.report.text import styled
from ratchet.session import Options, only_one, open_sessions

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "check.svg"
WIDTH = 100


def main() -> None:
    """Draw the picture into the file that is named, by default the README's."""
    picture = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    picture.write_text(example(), encoding="utf-8")
    print(picture)


def example() -> str:
    """The picture of a check of the small engine tree, in a scratch copy with one site added."""
    demo = runpy.run_path(str(ROOT / "scripts" / "demo.py"))
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(shutil.copytree(demo["EXAMPLE"], Path(scratch) / "engine"))
        demo["add_site"](tree / demo["FILE"])
        with open_sessions(Options(no_cache=True, jobs=1), cwd=tree) as sessions:
            session = only_one(sessions)
            checked = check(session, Request())
            place = path_from(tree, session.place.root)
            context = Context(source_line=source_line(checked.source), place=place, color=True, width=WIDTH)
            return screenshot(checked.verdict, context)


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


if __name__ == "__main__":
    main()
