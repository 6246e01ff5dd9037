"""`ratchet tighten`: records progress in the baselines."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, rules_argument, shared_options


@click.command("tighten")
@rules_argument
@shared_options(*PLAIN)
def tighten(common: Common, rules: tuple[str, ...]) -> int:
    """Take rows whose sites are gone out of the baselines, and rewrite rows whose sites moved; never add one.

    A baseline that git left unmerged is merged first, as a set of sites. Nothing is written when something
    could not be judged. Without RULES it is all of them.

    \b
    Example:
      ratchet tighten
      git add baselines
    """
    from ratchet.checking.changes import tighten as tighten_rules
    from ratchet.cli.changes import show_changes
    from ratchet.cli.output import shown_path
    from ratchet.cli.reports import refuse_several

    with common.sessions() as sessions:
        refuse_several(sessions, common.output)
        done = [(session, tighten_rules(session, rules)) for session in sessions]
    merged = [path for _, each in done for path in each.merged]
    notes = [f"merged {shown_path(path)}: run `git add` on it" for path in merged]
    written = [(session, each.written) for session, each in done]
    show_changes(written, common.output, "tighten", "nothing to tighten: every row has its sites", notes)
    return 0
