"""`ratchet sites`: the sites of one rule, in groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

import click

from ratchet.cli.options import PLAIN, Common, rule_argument, shared_options
from ratchet.cli.output import Place, aside, document, joined, place_of
from ratchet.escape import display_path
from ratchet.report.values import problems_json, site_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.grouping import By, Group


@click.command("sites")
@rule_argument
@click.option(
    "--by",
    type=click.Choice(["file", "scope", "field", "origin", "owner"]),
    default="file",
    show_default=True,
    help="What to group them by; owners come from CODEOWNERS.",
)
@shared_options(*PLAIN)
def sites(common: Common, rule: str, by: str) -> int:
    """List the sites of RULE, in groups, the largest group first.

    \b
    Example:
      ratchet sites server-args-override
      ratchet sites global-config-read --by owner --format json
    """
    from ratchet.checking.check import count
    from ratchet.checking.grouping import group_sites
    from ratchet.checking.owning import told_ownerless

    with common.session() as session:
        known = session.rule(rule)
        verdict = count(session, [known.id]).verdict
        entry = verdict.rules[0]
        groups = group_sites(session, entry.sites, cast("By", by))
        notes = told_ownerless(session, by)
        place = place_of(session)

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document(
                "sites",
                {
                    "rule": known.id,
                    "by": by,
                    "count": entry.count,
                    "groups": [_json(group) for group in groups],
                    "problems": problems_json(verdict.census.problems),
                },
                session.root_name,
            )
        return joined(_lines(known.id, by, groups, place))

    common.output.write(render)
    aside(notes, verdict.census.problems, place=place)
    return verdict.exit_code


def _json(group: Group) -> dict[str, object]:
    return {
        "name": group.name,
        "count": len(group.sites),
        "sites": [site_json(site) for site in group.sites],
    }


def _name(group: Group, by: str, place: Place) -> str:
    path = group.sites[0].path
    if by not in ("file", "scope"):
        return display_path(group.name)
    return place(path) + display_path(group.name[len(path) :])


def _lines(rule: str, by: str, groups: Sequence[Group], place: Place) -> Iterator[str]:
    for group in groups:
        yield f"{_name(group, by, place)}: {len(group.sites)}"
        for site in group.sites:
            where = f"{place(site.path)}:{site.span.line}:{site.span.column}"
            yield f"  {where}: {display_path(site.code)}"
    total = sum(len(group.sites) for group in groups)
    yield f"{rule}: {plural(total, 'site')} in {plural(len(groups), 'group')}"
