"""`ratchet blame`: since when each site is there, and by whom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, rule_argument, shared_options
from ratchet.cli.output import aside
from ratchet.escape import display_path
from ratchet.report.values import problems_json, site_json

if TYPE_CHECKING:
    from ratchet.history.origins import Origin, Origins
    from ratchet.report.layout import Line
    from ratchet.source.log import Commit


@click.command("blame")
@rule_argument
@shared_options(*PLAIN)
def blame(common: Common, rule: str) -> int:
    """Say since when each site of RULE is there, and by whom, the oldest first.

    A commit that only reworded or moved a line does not begin a site: it is followed by path, scope and code,
    as `check` does, through renamed files and functions. Where the tree of HEAD holds sites that its baseline
    lacks, the commit that let them in is named.

    \b
    Example:
      ratchet blame server-args-override
      ratchet blame global-config-read --format json
    """
    from ratchet.history.origins import origins

    with common.session() as session:
        found = origins(session, rule)

    common.output.write_value("blame", lambda: _json(found), lambda: _lines(found), session.root_name)
    aside(problems=found.problems, found_nothing=found.found_nothing)
    return found.exit_code


def _lines(found: Origins) -> Iterator[Line]:
    from ratchet.wording import plural

    names = max((len(_author(each)) for each in found.origins), default=0)
    for each in found.origins:
        site = each.site
        place = f"{display_path(site.path)}:{site.span.line}"
        when = f"{each.commit.date[:10]} {each.commit.id[:9]}" if each.commit else f"{'not committed':<20}"
        moved = (
            "" if each.commit is None or each.path == site.path else f", then in {display_path(each.path)}"
        )
        yield (
            (f"{when}  ", "faint"),
            (f"{_author(each):<{names}}  ", "title"),
            (place, "path"),
            (f"  {display_path(site.code)}", ""),
            (moved, "faint"),
        )
    authors = len({_author(each) for each in found.origins})
    yield (
        (f"{found.rule.id}: {plural(len(found.origins), 'site')} by {plural(authors, 'author')}", "title"),
    )
    if found.red is not None:
        commit, before = found.red.commit, " or earlier" if found.red.since_start else ""
        yield (
            (f"red since {commit.date[:10]} {commit.id[:9]}{before}", "bad"),
            (f"  {display_path(commit.author)}: {display_path(commit.subject)}", ""),
        )
        yield ((f"  HEAD holds {plural(found.red.unrecorded, 'site')} that its baseline lacks", "bad"),)


def _author(each: Origin) -> str:
    return display_path(each.commit.author) if each.commit else ""


def _json(found: Origins) -> dict[str, object]:

    return {
        "rule": found.rule.id,
        "sites": [
            {
                **site_json(each.site),
                "commit": _commit_json(each.commit),
                "then": {"path": each.path, "line": each.line} if each.commit else None,
            }
            for each in found.origins
        ],
        "red": None
        if found.red is None
        else {
            "commit": _commit_json(found.red.commit),
            "unrecorded": found.red.unrecorded,
            "since_start": found.red.since_start,
        },
        "problems": problems_json(found.problems),
    }


def _commit_json(commit: Commit | None) -> dict[str, object] | None:
    if commit is None:
        return None
    return {"id": commit.id, "author": commit.author, "date": commit.date, "subject": commit.subject}
