"""`ratchet check`: fails when a site was added."""

from __future__ import annotations

from pathlib import Path

import click

from ratchet.cli.options import REPORTS, Common, rule_option, shared_options


@click.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@rule_option
@click.option(
    "--since", metavar="REF", help="Compare with the tree where this branch left REF, not with baselines."
)
@click.option("--staged", is_flag=True, help="Read git's index: what the next commit will hold.")
@click.option("--stdin-filename", metavar="FILE", help="Judge the standard input as this file's content.")
@click.option(
    "--stale", type=click.Choice(["fail", "warn"]), help="Whether rows without a site fail; they do."
)
@click.option(
    "--message",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Check the numbers in a commit message instead, such as `39 -> 35`.",
)
@click.option("--exit-zero", is_flag=True, help="End with 0 for new or stale sites, not with 1.")
@shared_options(*REPORTS)
def check(
    common: Common,
    paths: tuple[str, ...],
    rules: tuple[str, ...],
    since: str | None,
    staged: bool,
    stdin_filename: str | None,
    stale: str | None,
    message: Path | None,
    exit_zero: bool,
) -> int:
    """Compare the sites of a tree with their baselines; new sites fail, and so do rows that are stale.

    Without PATHS it is the whole tree. It never writes. It ends with 0 when nothing changed, 1 for new or
    stale sites, 2 for wrong arguments and 3 when something could not be judged.

    \b
    Example:
      ratchet check
      ratchet check --since origin/main --format json
      ratchet check --staged srt/managers/scheduler.py
    """
    import sys
    import time
    from datetime import date

    from ratchet.checking.check import Request
    from ratchet.checking.check import check as judge_tree
    from ratchet.cli.reports import report

    start = time.monotonic()
    request = Request(
        paths=paths,
        rules=rules,
        since=since,
        staged=staged,
        unsaved=(stdin_filename, sys.stdin.buffer.read()) if stdin_filename else None,
        stale="warn" if stale == "warn" else "fail" if stale == "fail" else None,
        today=date.today().isoformat(),
    )
    with common.sessions() as sessions:
        if message is not None:
            from ratchet.cli.message import check_message
            from ratchet.session import only_one

            return check_message(only_one(sessions), message, staged, common.output)
        runs = [(session, judge_tree(session, request)) for session in sessions]
        code: int = report(runs, common.output, "check", time.monotonic() - start, since is None)
    return 0 if exit_zero and code == 1 else code
