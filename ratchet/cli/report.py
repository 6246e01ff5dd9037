"""`ratchet report`: the migration as a page."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options
from ratchet.cli.output import note, shown_path, write_report
from ratchet.escape import display_path


@click.command("report")
@rules_argument
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The page to write: one file that loads nothing.",
)
@click.option("--roles", is_flag=True, help="Show the roles too; that takes as long as a cold check.")
@click.option(
    "--audit",
    "audits",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Show the roles beside what record mode wrote to this file. Repeatable.",
)
@shared_options(*PLAIN)
def report(common: Common, rules: tuple[str, ...], html: Path, roles: bool, audits: tuple[Path, ...]) -> int:
    """Write one page about the migration: how far it is, its burn-down, and every site with what is proposed.

    The page has a map of the files and tables that sort, and filter by rule, namespace, owner and reason.
    What is not known (no history in git, a rule without a baseline) is named there, never left out. The exit
    code is 0, or 3 when something could not be judged: the page is written all the same, and says so.

    \b
    Example:
      ratchet report --html migration.html
      ratchet report --html migration.html --roles global-config-read
    """
    from ratchet.page.document import document
    from ratchet.page.gather import gather
    from ratchet.page.model import Wanted
    from ratchet.wording import plural

    with common.session() as session:
        page = gather(session, Wanted(rules, date.today().isoformat(), roles, audits))
    text = document(page)
    write_report(html, text)

    files = len({each.left.site.path for each in page.sites})
    shown = f"{shown_path(html)}: {plural(len(page.sites), 'site')} in {plural(files, 'file')}"
    told = {
        "file": str(html),
        "bytes": len(text.encode()),
        "sites": len(page.sites),
        "files": files,
        "alarms": list(page.alarms),
        "exit_code": page.exit_code,
    }
    common.output.write_value("report", lambda: told, lambda: [((shown, ""),)], session.root_name)
    if page.unbased:
        note(page.unbased.reason)
    for alarm in page.alarms:
        click.echo(display_path(alarm), err=True)
    return page.exit_code
