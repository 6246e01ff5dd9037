"""`ratchet count`: the sites of each rule, without any baseline."""

from __future__ import annotations

import click

from ratchet.cli.options import REPORTS, Common, rules_argument, shared_options


@click.command("count")
@rules_argument
@click.option(
    "--namespace",
    metavar="NAME",
    help="Count the accesses of the records' fields that belong to a namespace, outside of the pipeline.",
)
@shared_options(*REPORTS)
def count(common: Common, rules: tuple[str, ...], namespace: str | None) -> int:
    """Count the sites of every rule, or of the RULES named; needs no baseline.

    \b
    Example:
      ratchet count --format json
      ratchet count server-args-override
      ratchet count --namespace exec.moe
    """
    import time

    from ratchet.checking.check import count as count_tree
    from ratchet.cli.reports import report
    from ratchet.errors import UsageError

    if namespace is not None and rules:
        raise UsageError("--namespace counts accesses whatever rules say: name either it or rules")
    start = time.monotonic()
    with common.sessions() as sessions:
        if namespace is not None:
            from ratchet.checking.namespace import count_namespace

            runs = [(session, count_namespace(session, namespace)) for session in sessions]
        else:
            runs = [(session, count_tree(session, rules)) for session in sessions]
        return report(runs, common.output, "count", time.monotonic() - start)
