"""What `ratchet blame` found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ratchet.cli.output import Place
from ratchet.escape import display_path
from ratchet.report.values import problems_json, site_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.history.origins import Origin, Origins
    from ratchet.report.layout import Line
    from ratchet.source.log import Commit


def blame_lines(found: Origins, place: Place) -> Iterator[Line]:
    """The sites, the oldest first, and what turned the branch red."""
    names = max((len(_author(each)) for each in found.origins), default=0)
    for each in found.origins:
        site = each.site
        where = f"{place(site.path)}:{site.span.line}"
        when = f"{each.commit.date[:10]} {each.commit.id[:9]}" if each.commit else f"{'not committed':<20}"
        moved = "" if each.commit is None or each.path == site.path else f", then in {place(each.path)}"
        yield (
            (f"{when}  ", "faint"),
            (f"{_author(each):<{names}}  ", "title"),
            (where, "path"),
            (f"  {display_path(site.code)}", ""),
            (moved, "faint"),
        )
    authors = len({_author(each) for each in found.origins})
    yield (
        (f"{found.rule.id}: {plural(len(found.origins), 'site')} by {plural(authors, 'author')}", "title"),
    )
    if found.origins and found.rule.kind in ("flow", "role"):
        younger = "the code is as old as that; what makes it a site may be younger: "
        yield ((younger, "faint"), (f"ratchet history {display_path(found.rule.id)} --recount", "command"))
    if found.red is not None:
        commit, before = found.red.commit, " or earlier" if found.red.since_start else ""
        yield (
            (f"red since {commit.date[:10]} {commit.id[:9]}{before}", "bad"),
            (f"  {display_path(commit.author)}: {display_path(commit.subject)}", ""),
        )
        yield ((f"  HEAD holds {plural(found.red.unrecorded, 'site')} that its baseline lacks", "bad"),)


def _author(each: Origin) -> str:
    return display_path(each.commit.author) if each.commit else ""


def blame_json(found: Origins) -> dict[str, object]:
    """The report as `blame.schema.json` says, without its head."""
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
