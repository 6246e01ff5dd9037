"""Who owns a field's value: the writes on the record that would still set it after a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.codemod.model import Refusal
from ratchet.codemod.sites import PlanSite
from ratchet.frozen import dataclass
from ratchet.model import COMPUTED

CHANGES = frozenset({"write", "mutate", "delete"})


@dataclass(frozen=True, slots=True)
class Writer:
    """A write on the record, and why it does not move in this run; None where nothing holds it back.

    `separate` says that the record is another one than the process's.
    """

    site: PlanSite
    stays: Refusal | None
    separate: bool = False

    @property
    def owns(self) -> bool:
        """Whether readers of the published value would miss what it writes.

        A process that never publishes has no such readers, a record is whole before it is published, and a
        record of one's own is not the one that is published.
        """
        if self.separate:
            return False
        return self.stays is None or self.stays.reason != "unpublished-process"


@dataclass(frozen=True, slots=True)
class Ownership:
    """The writers of each field that is written at all, and of those that are held, the ones that hold it."""

    writers: Mapping[str, tuple[Writer, ...]]
    holders: Mapping[str, tuple[Writer, ...]]

    def moves(self, field: str | None) -> bool:
        """Whether every write of the field moves in this run, and there is one."""
        return field in self.writers and field not in self.holders

    def refuse(self, field: str | None) -> Refusal | None:
        """Why readers and writers of a field stay, None where no write on the record would own it."""
        holders = self.holders.get(field or "")
        if holders is None:
            return None
        return Refusal("owner-elsewhere", f"the record's own value is written by {listed(holders)}")


def settle(writers: Iterable[Writer]) -> Ownership:
    """Decide for each field whether its writes all move.

    The fields of one override call move together or not at all, so one that is held holds the others.
    """
    by_field: dict[str, list[Writer]] = {}
    calls: dict[object, list[Writer]] = {}
    for writer in writers:
        calls.setdefault((writer.site.path, writer.site.access.span), []).append(writer)
        field = writer.site.access.field
        if field not in (None, COMPUTED) and writer.owns:
            by_field.setdefault(field or "", []).append(writer)
    holders = {
        field: held for field, found in by_field.items() if (held := [one for one in found if one.stays])
    }
    pending = list(holders)
    while pending:
        field = pending.pop()
        for writer in by_field[field]:
            for other in calls[writer.site.path, writer.site.access.span]:
                name = other.site.access.field or ""
                if other.stays is None and name not in holders:
                    holders[name] = [other]
                    pending.append(name)
    return Ownership(
        {field: tuple(found) for field, found in by_field.items()},
        {field: tuple(found) for field, found in holders.items()},
    )


def listed(writers: Iterable[Writer]) -> str:
    """The writers by place and scope, each with what keeps it."""
    return "; ".join(
        f"{writer.site.path}:{writer.site.access.span.line} ({writer.site.access.scope or 'module'}"
        f"{': ' + writer.stays.reason if writer.stays else ': its call also writes a field that stays'})"
        for writer in writers
    )
