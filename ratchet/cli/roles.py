"""`ratchet roles`: which namespaces the code of each role can read."""

from __future__ import annotations

from pathlib import Path

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import aside, joined, path_from, to_json
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
            text = roles_text.why_lines(shown, place, *why) if why else roles_text.report_lines(shown, place)
            unjudged = [[item.path, item.line, item.message] for item in shown.census.problems]
            document = roles_json.document(shown, session.place.root, why)
            return json.dumps([document, joined(map(display_path, text)), unjudged])

        place = path_from(session.cwd, session.place.root)
        told = [session.cwd, *(audit.read_bytes() for audit in audits)]
        document, text, unjudged = json.loads(remembered(session, [names, why, told], answer))
        problems = [Problem(place(path), line, message) for path, line, message in unjudged]

    common.output.write(lambda format, _color: to_json(document) if format == "json" else text)
    aside(problems=problems)
    return int(document["exit_code"])
