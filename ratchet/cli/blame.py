"""`ratchet blame`: since when each site is there, and by whom."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, rule_argument, shared_options
from ratchet.cli.output import aside, place_of


@click.command("blame")
@rule_argument
@shared_options(*PLAIN)
def blame(common: Common, rule: str) -> int:
    """Say since when each site of RULE is there, and by whom, the oldest first.

    A commit that only reworded or moved a line does not begin a site: it is followed by path, scope and code,
    as `check` does, through renamed files and functions. Of a rule of the kind `flow` or `role` the code is
    dated, whatever made it a site since. Where the tree of HEAD holds sites that its baseline lacks, the
    commit that let them in is named.

    \b
    Example:
      ratchet blame server-args-override
      ratchet blame global-config-read --format json
    """
    from ratchet.cli.blame_report import blame_json, blame_lines
    from ratchet.history.origins import origins

    with common.session() as session:
        found = origins(session, rule)

    common.output.write_value(
        "blame", lambda: blame_json(found), lambda: blame_lines(found, place_of(session)), session.root_name
    )
    aside(problems=found.problems, found_nothing=found.found_nothing, place=place_of(session))
    return found.exit_code
