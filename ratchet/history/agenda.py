"""What is left to do, as batches that can be reviewed: by namespace, and in it by owner."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ratchet.checking.forecast import forecast
from ratchet.checking.migration import Request
from ratchet.checking.owning import owners_of
from ratchet.codemod.batches import Batch, cut
from ratchet.codemod.ledger import reasons_of
from ratchet.codemod.model import Edit
from ratchet.codemod.prediction import Change
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, replace
from ratchet.history.batched import foresee_batches
from ratchet.model import Problem
from ratchet.scan import Memory
from ratchet.session import Session

SITES = 50
"""How many sites a batch has at most where nobody says, unless more have to move together."""

SAMPLE = 3

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a batch may be, in sites and files, and how many of its sites are to be read by hand.

    Without a number of sites it is 50, and more only where more have to move together. `seed` chooses other
    sites to read; the same one chooses the same.
    """

    sites: int | None = None
    files: int | None = None
    sample: int = SAMPLE
    seed: str = ""


@dataclass(frozen=True, slots=True)
class FieldWrites:
    """A field of which readers and writers move together: where it is written, and the readers that stay."""

    field: str
    namespace: str
    places: tuple[str, ...]
    stale: str


@dataclass(frozen=True, slots=True)
class Part:
    """A batch: its place in the order, what its sites share, the sites, and what reviewers want to know.

    `changes` are what it does to the counts of all rules when the batches before it are done, with the
    parameters dropped that it leaves without a use. `writes` are the fields whose writers come along.
    `sample` are sites to read by hand.
    """

    number: int
    namespace: str
    owner: str
    edits: tuple[Edit, ...]
    changes: tuple[Change, ...]
    writes: tuple[FieldWrites, ...]
    sample: tuple[Edit, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it changes, in order."""
        return tuple(sorted({edit.path for edit in self.edits}))


@dataclass(frozen=True, slots=True)
class Agenda:
    """The batches in order, the sites that stay by reason, and what the run could not judge.

    `changes` are what all batches do to the counts of rules, with the parameters dropped that become dead;
    there are `dropped` of those.
    """

    parts: tuple[Part, ...]
    stays: tuple[tuple[str, int], ...]
    changes: tuple[Change, ...]
    dropped: int = 0
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    found_nothing: bool = False

    @property
    def exit_code(self) -> int:
        """0, or 3 where a file could not be judged, or none was found."""
        return 3 if self.problems or self.found_nothing else 0


def agenda(session: Session, request: Request, limits: Limits) -> Agenda:
    """What the tree on disk has left of a migration, cut into batches.

    Raises UsageError as the planner does, and where sites that have to move together are more than a limit
    that was asked for.
    """
    session = replace(session, memory=Memory())
    migration, bench = forecast(session, request)
    owner_of = owners_of(session)
    batches = [
        (space.key, part)
        for space in cut(migration.plan.edits, "namespace")
        for part in _cut_by_owner(space, owner_of, limits)
    ]
    steps = foresee_batches(session, migration, [batch for _, batch in batches], bench)
    parts = [
        Part(
            number,
            namespace,
            batch.key,
            batch.edits,
            changes,
            tuple(_writes(batch.edits)),
            sample_of(batch.edits, limits.sample, limits.seed, lambda edit: edit.id),
        )
        for number, ((namespace, batch), changes) in enumerate(zip(batches, steps, strict=True), 1)
    ]
    plan, census = migration.plan, migration.census
    stays = tuple((str(reason), count) for reason, count in reasons_of(plan.skips).items())
    notes = (*plan.notes, *migration.notes)
    gone = sum(one.kept is None for one in plan.parameters)
    return Agenda(tuple(parts), stays, migration.baseline, gone, census.problems, notes, census.found_nothing)


def sample_of(
    items: Sequence[_Item], count: int, seed: str, name_of: Callable[[_Item], str]
) -> tuple[_Item, ...]:
    """So many of the items, in their order: the same ones for the same seed, whatever else is there."""
    chosen = sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{name_of(item)}".encode()).digest())
    kept = {id(item) for item in chosen[:count]}
    return tuple(item for item in items if id(item) in kept)


def _cut_by_owner(space: Batch, owner_of: Callable[[str], str], limits: Limits) -> tuple[Batch, ...]:
    """The batches of a namespace; a size that nobody asked for gives way to what has to move together."""
    sites = limits.sites or SITES
    while True:
        try:
            return cut(space.edits, "owner", owner_of, sites, limits.files)
        except UsageError:
            if limits.sites is not None or sites >= len(space.edits):
                raise
            sites = min(2 * sites, len(space.edits))


def _writes(edits: Iterable[Edit]) -> Iterator[FieldWrites]:
    written: dict[str, list[Edit]] = {}
    for edit in edits:
        if edit.operation == "write":
            written.setdefault(edit.field, []).append(edit)
    for field, found in sorted(written.items()):
        places = tuple(f"{edit.path}:{edit.span.line}" for edit in found)
        stale = "; ".join(dict.fromkeys(edit.note for edit in found if edit.note))
        yield FieldWrites(field, found[0].namespace, places, stale)
