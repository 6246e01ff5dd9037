"""A source with some contents put in the place of its own: what an editor holds and has not saved."""

from __future__ import annotations

from collections.abc import Mapping

from ratchet.frozen import dataclass, field
from ratchet.model import Problem
from ratchet.source.blob import blob_id
from ratchet.source.entries import Entry, Listing, Source


@dataclass(frozen=True, slots=True)
class Overlay:
    """A source in which `contents` stand for the files of those paths, whether or not `under` has them.

    `blobs` are the ids of contents of the files under them, as far as somebody has read those already.
    """

    under: Source
    contents: Mapping[str, bytes]
    blobs: Mapping[str, str] = field(default_factory=dict)
    listing: Listing = field(init=False)

    def __post_init__(self) -> None:
        below = self.under.listing
        kept = (entry for entry in below.entries if entry.path not in self.contents)
        blobs = self.blobs
        entries = [Entry(e.path, e.signature, blobs.get(e.path, e.blob)) for e in kept]
        entries += [Entry(path, None, blob_id(data)) for path, data in self.contents.items()]
        problems = [problem for problem in below.problems if problem.path not in self.contents]
        merged = Listing.of(entries, problems, below.notes, below.excluded, below.taken_ns)
        object.__setattr__(self, "listing", merged)

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        return self.listing.entries

    def read(self, path: str) -> bytes | Problem:
        """Return the content put in the place of a file, else the file's own."""
        data = self.contents.get(path)
        return self.under.read(path) if data is None else data

    def close(self) -> None:
        """Close the source below."""
        self.under.close()


@dataclass(frozen=True, slots=True)
class Empty:
    """A source of no files, for contents that stand alone."""

    listing: Listing = field(default=Listing.of(()))

    def entries(self) -> tuple[Entry, ...]:
        """No files."""
        return ()

    def read(self, path: str) -> bytes | Problem:
        """The problem that there is no such file."""
        return Problem(path, 0, "is not there")

    def close(self) -> None:
        """Nothing is open."""
