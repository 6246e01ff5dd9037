"""`ratchet flow`: who writes and who reads the fields of the record, on both of its stores."""

from __future__ import annotations

import click

from ratchet.cli.options import Common, shared_options
from ratchet.cli.output import aside, document, place_of


@click.command("flow")
@click.argument("field", required=False)
@click.option("--graph", is_flag=True, help="Draw FIELD: as SVG, or with --format dot for Graphviz.")
@shared_options("text", "json", "svg", "dot")
def flow(common: Common, field: str | None, graph: bool) -> int:
    """List the fields with their writers and readers, on the record and on the namespace; or FIELD in full.

    Each end of FIELD is shown with the moment at which it runs, where that can be told: at import, while the
    record is resolved, before or after it is published. What reads the whole configuration is named, and is
    no reader. A rule of kind `flow` that counts an end stands behind it.

    \b
    Example:
      ratchet flow
      ratchet flow page_size
      ratchet flow page_size --graph --output svg:page_size.svg
    """
    from ratchet.checking.flow import flow_table
    from ratchet.cli.flow_report import flow_json, flow_text
    from ratchet.errors import UsageError
    from ratchet.flow.draw import dot, svg
    from ratchet.report.text import write

    drawn = graph or any(format in ("svg", "dot") for format in (common.output.format, *_formats(common)))
    if drawn and field is None:
        raise UsageError("a picture shows one field: name it, as in `ratchet flow page_size --graph`")
    with common.session() as session:
        table = flow_table(session, field)

    def render(format: str, color: bool) -> str:
        if format == "json":
            return document("flow", flow_json(table), session.root_name)
        if format in ("svg", "dot"):
            return (svg if format == "svg" else dot)(table.fields[0])
        return write(flow_text(table, field is not None, place_of(session)), color=color)

    common.output.write(render, "svg" if graph and not common.output.files else "text")
    census = table.census
    aside(table.notes, census.problems, found_nothing=census.found_nothing, place=place_of(session))
    return 3 if census.problems or census.found_nothing else 0


def _formats(common: Common) -> tuple[str, ...]:
    return tuple(format for format, _ in common.output.files)
