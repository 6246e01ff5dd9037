"""`ratchet accesses FILE`: what the analysis sees in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal, cast

import click

from ratchet.cli.options import PLAIN, Common, shared_options


@click.command("accesses")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@shared_options(*PLAIN)
def accesses(common: Common, file: Path) -> int:
    """Print every access to a record or a namespace in FILE (`-` is the standard input).

    The file is analysed by itself. Where it lies in no tree, the pack's default schema serves.

    \b
    Example:
      ratchet accesses srt/managers/scheduler.py --format json
    """
    from ratchet import __version__
    from ratchet.checking.accesses import accesses_of_file
    from ratchet.cli.output import colored
    from ratchet.frozen import replace
    from ratchet.report import Context, render_accesses
    from ratchet.session import set_up

    piped = str(file) == "-"
    data = sys.stdin.buffer.read() if piped else None
    with set_up(common.options, common.config) as setup:
        found = accesses_of_file(setup, None if piped else file, data)

    def render(format: str, color: bool) -> str:
        context = Context(verb="accesses", color=color and colored(), version=__version__)
        as_asked = format == "text" and not piped
        path = file.as_posix() if as_asked else found.path
        problems = [replace(problem, path=path) if as_asked else problem for problem in found.problems]
        return render_accesses(cast(Literal["text", "json"], format), path, found.accesses, problems, context)

    common.output.write(render)
    return 3 if found.problems else 0
