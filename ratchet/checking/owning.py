"""Who owns the files of a tree, and what to say where nobody is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ratchet.escape import display_path
from ratchet.owners import PLACES, find_owners, load_owners

if TYPE_CHECKING:
    from ratchet.session import Session


def owners_of(session: Session) -> Callable[[str], str]:
    """A function that gives the owners of a path from the source root, as one text."""
    place = session.place
    owners = load_owners(place.repository, place.owners)
    prefix = f"{place.prefix}/" if place.prefix else ""
    return lambda path: " ".join(owners.owners_of(prefix + path))


def told_ownerless(session: Session, by: str | None) -> tuple[str, ...]:
    """The notes on a result that is cut `by` something: that nobody owns anything, where it is by owner."""
    found = no_owners(session) if by == "owner" else None
    return (found,) if found else ()


def no_owners(session: Session) -> str | None:
    """Why no file has an owner, and what to do; None where the tree has a CODEOWNERS file."""
    place = session.place
    if find_owners(place.repository, place.owners) is not None:
        return None
    where = display_path(str(place.repository or place.root))
    return (
        f"{where} has no CODEOWNERS file, so no file has an owner: write {PLACES[0]}, or name one as `owners`"
        " in the configuration"
    )
