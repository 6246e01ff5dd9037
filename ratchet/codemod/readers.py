"""Who reads a field: what a write that moves leaves behind, and whether anything reads it at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.analysis.facts import FileFacts
from ratchet.codemod.model import Refusal
from ratchet.codemod.sites import PlanSite
from ratchet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Readers:
    """How a field is read: how often at all, and where it is that reads of the record stay."""

    count: int = 0
    stale: tuple[str, ...] = ()

    def note(self) -> str:
        """What is to be known of a write that moves; empty where every reader sees it."""
        if not self.count:
            return "nothing reads the field on either store: the write is dead, --delete-dead deletes it"
        return f"these reads stay on the record and go stale: {', '.join(self.stale)}" if self.stale else ""


NO_READERS = Readers()


def readers_of(
    facts: Mapping[str, FileFacts], judged: Iterable[tuple[PlanSite, Refusal | None]]
) -> Mapping[str, Readers]:
    """The readers of every field that is read, on the record and off the namespaces."""
    counts: dict[str, int] = {}
    stale: dict[str, list[str]] = {}
    for found in facts.values():
        for access in found.accesses:
            if access.operation == "read" and access.field is not None:
                counts[access.field] = counts.get(access.field, 0) + 1
    for site, refusal in judged:
        field = site.access.field
        if refusal is not None and field is not None and site.access.operation == "read":
            place = f"{site.path}:{site.access.span.line} ({refusal.reason})"
            stale.setdefault(field, []).append(place)
    return {field: Readers(count, tuple(stale.get(field, ()))) for field, count in counts.items()}
