"""Asks which edits of a plan are wanted: file by file, or site by site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.migrate_text import diff_lines
from ratchet.cli.output import Place
from ratchet.codemod.batches import units
from ratchet.escape import display_path
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.migration import Migration
    from ratchet.codemod.model import Edit, Rewritten

_HELP = "y: move it; n: leave it; s: ask site by site; a: move all the rest; q: leave all the rest"
_KEYS = click.Choice(["y", "n", "s", "a", "q"])
_SITE_KEYS = click.Choice(["y", "n"])


def choose_edits(place: Place, migration: Migration, rewritten: Iterable[Rewritten]) -> frozenset[str]:
    """The ids of the edits that somebody at the terminal wants; `place` shows the paths of files.

    Sites that have to move together are moved only where all of them are wanted.
    """
    accepted = set(_accepted(rewritten, place))
    wanted: set[str] = set()
    for unit in units(migration.plan.edits):
        ids = {edit.id for edit in unit}
        if ids <= accepted:
            wanted |= ids
        elif ids & accepted:
            fields = ", ".join(sorted({edit.field for edit in unit}))
            sites = plural(len(unit), "site")
            _say(f"left as they are: {sites} of {fields} move together, and not all are wanted")
    return frozenset(wanted)


def _accepted(rewritten: Iterable[Rewritten], place: Place) -> Iterator[str]:
    everything = False
    _say(_HELP)
    for file in rewritten:
        answer = "y"
        if not everything:
            for line in diff_lines([file], False, place):
                _say(line)
            answer = _ask(f"move {len(file.edits)} in {place(file.path)}?", _KEYS)
        if answer == "q":
            return
        everything = everything or answer == "a"
        if answer in ("y", "a"):
            yield from (edit.id for edit in file.edits)
        elif answer == "s":
            yield from (edit.id for edit in file.edits if _ask_site(edit, place) == "y")


def _ask_site(edit: Edit, place: Place) -> str:
    _say(f"{place(edit.path)}:{edit.span.line}: {display_path(edit.before)}")
    return _ask(f"  → {display_path(edit.after or '(deleted)')}", _SITE_KEYS)


def _ask(text: str, keys: click.Choice[str]) -> str:
    answer = click.prompt(text, type=keys, err=True)
    assert isinstance(answer, str)
    return answer


def _say(line: str) -> None:
    click.echo(line, err=True)
