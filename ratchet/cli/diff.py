"""`ratchet diff`: what came and went since another commit."""

from __future__ import annotations

from collections.abc import Iterator

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import Place, aside, document, place_of
from ratchet.escape import display_path
from ratchet.model import Row, RuleVerdict, Site
from ratchet.report.values import row_json, site_json


@click.command("diff")
@click.argument("rev")
@shared_options(*PLAIN)
def diff(common: Common, rev: str) -> int:
    """Show the sites that were added and removed since the commit REV, rule by rule.

    Both trees are judged by today's rules. It ends with 0 whatever the difference is, and with 3 when one of
    the trees could not be judged.

    \b
    Example:
      ratchet diff HEAD~20
      ratchet diff v0.5.16 --format json
    """
    from ratchet.checking.difference import compare_with

    with common.session() as session:
        found = compare_with(session, rev)
        place = place_of(session)
    verdict = found.checked.verdict

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document(
                "diff",
                {
                    "rev": rev,
                    "commit": found.commit,
                    "notes": list(verdict.notes),
                    "rules": [_json(entry) for entry in verdict.rules],
                },
                session.root_name,
            )
        return "".join(f"{line}\n" for entry in verdict.rules for line in _lines(entry, place))

    common.output.write(render)
    aside(verdict.notes, verdict.census.problems, place=place)
    return 3 if verdict.exit_code == 3 else 0


def _lines(entry: RuleVerdict, place: Place) -> Iterator[str]:
    gone = sum(row.count for row in entry.gone)
    signs = [f"+{len(entry.new)}"] * bool(entry.new) + [f"-{gone}"] * bool(gone)
    moved = [f"{len(entry.moved)} moved"] * bool(entry.moved)
    yield "  ".join([f"{entry.rule.id}  {entry.baseline} → {entry.count}", *signs, *moved])
    yield from (f"  + {_site(site, place)}" for site in entry.new)
    yield from (f"  - {_row(row, place)}" for row in entry.gone)
    for move in entry.moved:
        yield f"  > {_site(move.site, place)}, from {place(move.row.path)}{_scope(move.row.scope)}"


def _site(site: Site, place: Place) -> str:
    where = f"{place(site.path)}:{site.span.line}:{site.span.column}"
    return f"{where}: {display_path(site.code)}{_scope(site.scope)}"


def _row(row: Row, place: Place) -> str:
    times = f" ({row.count} times)" if row.count > 1 else ""
    return f"{place(row.path)}: {display_path(row.code)}{_scope(row.scope)}{times}"


def _scope(scope: str) -> str:
    return f" in {display_path(scope)}" if scope else ""


def _json(entry: RuleVerdict) -> dict[str, object]:
    return {
        "id": entry.rule.id,
        "old": entry.baseline,
        "new": entry.count,
        "added": [site_json(site) for site in entry.new],
        "removed": [row_json(row) for row in entry.gone],
        "moved": [{"from": row_json(move.row), "to": site_json(move.site)} for move in entry.moved],
    }
