"""`ratchet history`: the burn-down of rules out of git."""

from __future__ import annotations

import sys

import click

from ratchet.cli.options import Common, rules_argument, shared_options
from ratchet.cli.output import document, width
from ratchet.escape import display_text


@click.command("history")
@rules_argument
@click.option(
    "--recount", is_flag=True, help="Count the trees of the commits too: the last 200, unless said otherwise."
)
@click.option("--since", metavar="REV", help="Begin with this commit.")
@click.option(
    "--last", type=click.IntRange(min=1), metavar="N", help="Only the last N commits, merges as one."
)
@shared_options("text", "json", "svg")
def history(
    common: Common, rules: tuple[str, ...], recount: bool, since: str | None, last: int | None
) -> int:
    """Show how the sites of every rule, or of the RULES named, became fewer, out of git.

    The numbers are those of the committed baselines, commit by commit along first parents. With --recount
    the trees of the commits are read from git and counted by the rules of today, and a commit whose baseline
    and tree disagree is named. Three rules or fewer are shown with a chart and their steps. The projected end
    is a straight line: the fall over the last ten steps, up to the newest commit, goes on as it did. Where a
    baseline of HEAD cannot be read, that is said, and the exit code is 3.

    \b
    Example:
      ratchet history server-args-override
      ratchet history --output svg:burn-down.svg
      ratchet history --recount --last 200 --format json
    """
    from ratchet.history.story import Request, tell

    with common.session() as session:
        told = tell(session, Request(rules, recount, since, last))

    def render(format: str, color: bool) -> str:
        if format == "json":
            from ratchet.history.document import history_json

            return document("history", history_json(told), session.root_name)
        if format == "svg":
            from ratchet.history.svg import render as draw

            return draw(told)
        from ratchet.history.text import ASCII, UNICODE, lay_out
        from ratchet.report.text import write

        glyphs = UNICODE if _shows(UNICODE.parts) else ASCII
        return write(lay_out(told, width(), glyphs), color=color)

    common.output.write(render)
    for fault in told.faults:
        said = f"{fault}, so that HEAD has no number: mend it (`ratchet check` says how) and commit that"
        click.echo(f"error: {display_text(said)}", err=True)
    return told.exit_code


def _shows(text: str) -> bool:
    """Whether the standard output can show these characters."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
