"""`ratchet roles`: which namespaces the code of each role can read."""

from __future__ import annotations

from pathlib import Path

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import aside, joined, to_json
from ratchet.escape import display_path


@click.command("roles")
@click.argument("names", nargs=-1, metavar="[ROLE]...")
@click.option(
    "--why",
    nargs=2,
    metavar="ROLE NAMESPACE",
    help="Show the way from where the role publishes to each read of the namespace, the shortest first.",
)
@click.option(
    "--audit",
    "audits",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="What record mode wrote: the namespaces that each role was seen to read. May be repeated.",
)
@shared_options(*PLAIN)
def roles(
    common: Common, names: tuple[str, ...], why: tuple[str, str] | None, audits: tuple[Path, ...]
) -> int:
    """Show what each publishing role can read, statically, beside what is declared and what was observed.

    A read counts as reached where calls lead to it, and as possible where only names suggest it. A declared
    set that reached reads contradict fails; the rule of the kind `role` makes it fail in `ratchet check` too.

    \b
    Example:
      ratchet roles
      ratchet roles dp_controller --audit audit.jsonl
      ratchet roles --why dp_controller exec
    """
    import json

    from ratchet.checking.roles import remembered, show_roles
    from ratchet.checking.roles import why as reads_of
    from ratchet.cli import roles_json, roles_text
    from ratchet.model import Problem

    if why is not None and (names or audits):
        raise click.UsageError("--why asks about one role and one namespace: name no others, and no audit")
    with common.session() as session:

        def answer() -> str:
            shown = reads_of(session, *why) if why else show_roles(session, audits, names)
            lines = roles_text.why_lines(shown, *why) if why else roles_text.report_lines(shown)
            unjudged = [[item.path, item.line, item.message] for item in shown.census.problems]
            text = joined(map(display_path, lines))
            return json.dumps([roles_json.document(shown, session.place.root, why), text, unjudged])

        told = [audit.read_bytes() for audit in audits]
        document, text, unjudged = json.loads(remembered(session, [names, why, told], answer))

    common.output.write(lambda format, _color: to_json(document) if format == "json" else text)
    aside(problems=[Problem(*item) for item in unjudged])
    return int(document["exit_code"])
