"""`ratchet plan`: what is left, in batches that can be reviewed."""

from __future__ import annotations

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import aside, place_of


@click.command("plan")
@click.option(
    "--namespace", "namespaces", multiple=True, metavar="NAME", help="Only this namespace. Repeatable."
)
@click.option(
    "--max-sites",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most so many sites in a batch; else 50, and more only where more have to move together.",
)
@click.option(
    "--max-files", type=click.IntRange(min=1), metavar="N", help="At most so many files in a batch."
)
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="How many sites of each batch to read by hand.",
)
@click.option(
    "--seed", default="", metavar="TEXT", help="Choose other sites to read; the same text, the same."
)
@shared_options(*PLAIN)
def plan(
    common: Common,
    namespaces: tuple[str, ...],
    max_sites: int | None,
    max_files: int | None,
    sample: int,
    seed: str,
) -> int:
    """Split what a codemod can move into batches, by namespace and in it by owner.

    Each batch has the line of every rule that it changes, counted in the tree as it will be when the batches
    before it are done; the fields whose writers have to come along; and some sites to read by hand. A count
    that grows is told too: `ratchet migrate --write` asks for a reason there. A parameter is dropped with the
    batch that leaves it without a use. Everything that moves on request is asked for. Nothing is written;
    `ratchet migrate` does.

    \b
    Example:
      ratchet plan
      ratchet plan --namespace exec.moe --max-files 10 --sample 5 --seed july
    """
    from ratchet.checking.migration import Request
    from ratchet.cli.plan_report import agenda_json, agenda_lines
    from ratchet.history.agenda import Limits, agenda

    request = Request(namespaces, not namespaces, writes=True, parameters=True, chains=True)
    with common.session() as session:
        made = agenda(session, request, Limits(max_sites, max_files, sample, seed))

    common.output.write_value(
        "plan", lambda: agenda_json(made), lambda: agenda_lines(made, place_of(session)), session.root_name
    )
    aside(made.notes, made.problems, found_nothing=made.found_nothing, place=place_of(session))
    return made.exit_code
