"""`ratchet adopt`: records a rule's baseline."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options


@click.command("adopt")
@rules_argument
@click.option("--all", "every", is_flag=True, help="Every rule of the packs, bans left out.")
@click.option("--expect", type=click.IntRange(min=0), metavar="N", help="Adopt only if there are N sites.")
@click.option("--reason", default="", help="Why, where a rule has changed and counts more than before.")
@shared_options(*PLAIN)
def adopt(common: Common, rules: tuple[str, ...], every: bool, expect: int | None, reason: str) -> int:
    """Record the sites of today as the baseline of RULES, and list what that adds.

    A rule that has a baseline is adopted again only where the rule itself has changed: sites are added with
    `ratchet allow`, and removed with `ratchet tighten`.

    \b
    Example:
      ratchet adopt server-args-override --expect 18
      ratchet adopt --all
    """
    from ratchet.checking.changes import adopt as adopt_rules
    from ratchet.cli.changes import show_changes
    from ratchet.cli.reports import refuse_several
    from ratchet.errors import UsageError

    if every == bool(rules):
        raise UsageError("adopt takes the rules to adopt, or --all for every one; `ratchet count` lists them")
    with common.sessions() as sessions:
        refuse_several(sessions, common.output)
        written = [
            (session, adopt_rules(session, rules, expect=expect, reason=reason)) for session in sessions
        ]
    show_changes(written, common.output, "adopt", "no rule of the packs applies to this tree")
    return 0
