"""Whether an engine says the same before and after its migration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from ratchet.codemod.sites import Selection
from tests.codemod.differential.migrating import Change, Migrated, migrate, shown
from tests.codemod.differential.running import FIELDS, Program, Runtime, Seen


@dataclass(frozen=True, slots=True)
class Compared:
    """An engine before and after, and what is different: nothing where the migration holds.

    `told` says that the plan itself lists reads that go stale, so that nothing was compared.
    """

    migrated: Migrated
    differences: tuple[str, ...]
    told: bool = False

    @property
    def edits(self) -> int:
        """How many sites moved."""
        return len(self.migrated.plan.edits)


def compared(
    runtime: Runtime,
    program: Program,
    selection: Selection,
    change: Change | None = None,
    again: bool = True,
) -> Compared:
    """Run a program, migrate it, run it again; `again` plans the result once more."""
    migrated = migrate(program, selection, change, again)
    if not migrated.plan.edits:
        return Compared(migrated, migrated.faults)
    if migrated.stale:
        return Compared(migrated, migrated.faults, told=True)
    before, after = runtime.run(program), runtime.run(migrated.program)
    if any("NameError" in note for note in before.notes):  # a fault of the generator
        return Compared(migrated, migrated.faults)
    return Compared(migrated, (*migrated.faults, *_differences(before, after, migrated)))


def _differences(before: Seen, after: Seen, migrated: Migrated) -> list[str]:
    found = [
        f"noted {old or 'nothing'}, now {new or 'nothing'}"
        for old, new in zip_longest(before.notes, after.notes)
        if _plain(old) != _plain(new)
    ]
    moved = migrated.moved
    for name in FIELDS:
        value = after.published[name] if name in moved else after.record[name]
        if before.record[name] != value:
            found.append(f"{name} ended as {before.record[name]!r}, now {value!r}")
    return found


def _plain(note: str | None) -> str | None:
    """A note; of a wrong type only that it is one: `a.x + b` says it in other words than `a.x += b`."""
    return "TypeError" if note and note.startswith("TypeError: ") else note


def told(program: Program, result: Compared) -> str:
    """A failing program with what became of it."""
    lines = [shown(program), "---- became", shown(result.migrated.program), "---- differences"]
    return "\n".join([*lines, *result.differences])
