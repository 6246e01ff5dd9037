"""`ratchet status`: how far a migration is."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options
from ratchet.cli.output import aside, place_of


@click.command("status")
@rules_argument
@click.option(
    "--files",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many files to do next are listed.",
)
@shared_options(*PLAIN)
def status(common: Common, rules: tuple[str, ...], files: int) -> int:
    """Show how far the migration is: by rule, namespace and owner, and the best files to do next.

    Each line has the sites of now, those in the first committed baseline, how many a codemod can move today,
    and how many it refuses, with the reasons. Sites that no codemod plans one by one are `not planned`: what
    goes of them with something else, as a hand-over does with its parameter, `ratchet plan` tells. A place
    that several rules count is a site of each. Owners come from CODEOWNERS.

    \b
    Example:
      ratchet status
      ratchet status global-config-read --files 20 --format json
    """
    from ratchet.cli.status_report import status_json, status_lines
    from ratchet.history.status import status as stand

    with common.session() as session:
        found = stand(session, rules, files)
        place = place_of(session)

    common.output.write_value(
        "status",
        lambda: status_json(found),
        lambda: status_lines(found, place),
        session.root_name,
    )
    aside(found.notes, found.problems, found_nothing=found.found_nothing, place=place)
    return found.exit_code
