"""`ratchet allow`: the one way in which a baseline grows."""

from __future__ import annotations

from datetime import datetime

import click

from ratchet.cli.options import PLAIN, Common, rule_argument, shared_options


@click.command("allow")
@rule_argument
@click.argument("path", metavar="PATH")
@click.option("--reason", required=True, help="Why these sites stay; it is kept in the baseline.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last day of the allowance.")
@shared_options(*PLAIN)
def allow(common: Common, rule: str, path: str, reason: str, until: datetime | None) -> int:
    """Add the new sites of RULE in the file PATH to the baseline, with a reason.

    \b
    Example:
      ratchet allow server-args-write srt/managers/scheduler.py --reason "until the launcher moves"
    """
    from datetime import date

    from ratchet.checking.changes import allow as allow_sites
    from ratchet.cli.changes import show_changes

    with common.session() as session:
        written = allow_sites(
            session,
            rule,
            path,
            reason,
            until=until.date().isoformat() if until else None,
            today=date.today().isoformat(),
        )
    show_changes([(session, [written])], common.output, "allow", "")
    return 0
