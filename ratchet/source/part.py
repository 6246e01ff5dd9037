"""Some of the files of a source: what a run over staged files reads."""

from __future__ import annotations

from collections.abc import Collection

from ratchet.frozen import dataclass, field, replace
from ratchet.model import Problem
from ratchet.source.entries import Entry, Listing, Source


@dataclass(frozen=True, slots=True)
class Part:
    """Of a source only the files and folders named in `only`, by their paths from the root."""

    under: Source
    only: frozenset[str]
    listing: Listing = field(init=False)

    def __post_init__(self) -> None:
        below = self.under.listing
        entries = tuple(entry for entry in below.entries if is_within(entry.path, self.only))
        problems = tuple(problem for problem in below.problems if is_within(problem.path, self.only))
        object.__setattr__(self, "listing", replace(below, entries=entries, problems=problems))

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        return self.listing.entries

    def read(self, path: str) -> bytes | Problem:
        """The bytes of a file, or why they cannot be had."""
        return self.under.read(path)

    def close(self) -> None:
        """Close the source below."""
        self.under.close()


def is_within(path: str, places: Collection[str]) -> bool:
    """Whether a path is one of the places, or lies in one that is a folder; best asked of a set."""
    while path:
        if path in places:
            return True
        path = path.rpartition("/")[0]
    return "" in places
