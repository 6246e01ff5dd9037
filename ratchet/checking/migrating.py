"""`ratchet migrate --write`: plan, cut, prepare and write, a slice at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

from ratchet.checking.migration import Migration, Request, plan_migration
from ratchet.checking.preparing import Prepared, prepare
from ratchet.checking.rewriting import rewrite_all
from ratchet.checking.slicing import Slicing, message_of, slices_of
from ratchet.checking.typechecking import NOT_RUN, TypeCheck
from ratchet.checking.writing import Written, commit_write, refuse_pending, refuse_unjudged, write
from ratchet.codemod.apply import Step
from ratchet.codemod.batches import Batch
from ratchet.codemod.model import Rewritten
from ratchet.codemod.prediction import Change as Count
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, replace
from ratchet.judge import deep_and_undisturbed
from ratchet.scan import Memory
from ratchet.session import Session

Choose = Callable[[Migration, tuple[Rewritten, ...]], Collection[str]]
"""Asks which edits are wanted: given the plan and its files as they would become, it returns ids."""


def _silent(_step: str) -> None:
    return


@dataclass(frozen=True, slots=True)
class Writing:
    """How a plan is to be written: `choose` asks somebody, `step` is told of each step before it is taken.

    `allow_new` is the reason for which sites that rules did not count before are taken into baselines.
    """

    slicing: Slicing = Slicing()
    typecheck: bool = True
    allow_dirty: bool = False
    commit: bool = False
    choose: Choose | None = None
    step: Step = _silent
    allow_new: str | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """One slice: as it was prepared, and what was written of it; None where it could not be verified.

    `commit` is the id of the commit that holds it.
    """

    batch: Batch | None
    prepared: Prepared
    written: Written | None
    commit: str | None = None

    @property
    def falls_short(self) -> bool:
        """Whether something was not written that was to be."""
        written = self.written
        return bool(written is None or written.held or self.prepared.failed or written.refused)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a migration: the plan as it ended, the slices taken on, and how many are left."""

    migration: Migration
    done: tuple[Done, ...]
    left: int

    @property
    def typecheck(self) -> TypeCheck:
        """How the type check went: of the slice with which the run ended, with the sites of all."""
        if not self.done:
            return NOT_RUN
        checks = [one.prepared.typecheck for one in self.done]
        return replace(checks[-1], sites=sum(check.sites for check in checks))

    @property
    def counts(self) -> tuple[Count, ...]:
        """How the counts of rules changed, over all slices."""
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for one in self.done:
            for count in one.written.counts if one.written and not one.written.held else ():
                first.setdefault(count.rule, count.before)
                last[count.rule] = count.after
        return tuple(Count(rule, first[rule], last[rule]) for rule in sorted(first))

    @property
    def exit_code(self) -> int:
        """0 where all that could be done is done, else 3."""
        return 3 if any(one.falls_short for one in self.done) else 0


def migrate_tree(session: Session, request: Request, writing: Writing) -> Outcome:
    """Write what may move: of several slices the first one, with `commit` all of them, in a commit each.

    Raises UsageError and JudgeError for what keeps it from writing at all; see `write`.
    """
    with deep_and_undisturbed():
        # The tree is scanned as it is, as it becomes and as it is then: most of it is the same each time.
        return _migrate(replace(session, memory=Memory()), request, writing)


def _migrate(session: Session, request: Request, writing: Writing) -> Outcome:
    _refuse_contradictions(session, writing)
    refuse_pending(session)
    migration = plan_migration(session, request)
    refuse_unjudged(migration.census, "may write a field that others read")
    batches = _batches(session, migration, writing)
    done: list[Done] = []
    for one in _carried_out(session, request, migration, batches, writing):
        done.append(one)
        if one.written is None or one.written.held or (one.written.files and not writing.commit):
            break
    final = done[-1].prepared.migration if done else migration
    return Outcome(final, tuple(done), len(batches) - len(done))


def _refuse_contradictions(session: Session, writing: Writing) -> None:
    if not writing.commit:
        return
    if session.place.repository is None:
        raise UsageError("--commit needs a git repository, and the tree lies in none: leave it out")
    if writing.allow_dirty:
        raise UsageError("--commit would commit what --allow-dirty passes over: use one of them")


def _batches(session: Session, migration: Migration, writing: Writing) -> tuple[Batch | None, ...]:
    """The slices of the plan; None stands for all of it."""
    if not writing.slicing.asked and writing.choose is None:
        return (None,)
    migration, rewritten = rewrite_all(session, migration)
    edits = migration.plan.edits
    if writing.choose is not None:
        chosen = writing.choose(migration, rewritten)
        edits = tuple(edit for edit in edits if edit.id in chosen)
    return slices_of(session, edits, writing.slicing)


def _carried_out(
    session: Session,
    request: Request,
    migration: Migration,
    batches: tuple[Batch | None, ...],
    writing: Writing,
) -> Iterator[Done]:
    """Each slice in its turn, planned on what the ones before it left."""
    for number, batch in enumerate(batches):
        if number:
            migration = plan_migration(session, request)
        ids = None if batch is None else frozenset(edit.id for edit in batch.edits)
        prepared = prepare(session, migration, ids, writing.typecheck)
        if prepared.typecheck.status == "unverified":
            yield Done(batch, prepared, None)
            continue
        message = partial(message_of, batch, prepared) if writing.commit else None
        written = write(session, prepared, writing.allow_dirty, writing.step, writing.allow_new, message)
        made = writing.commit and bool(written.files) and not written.refused
        commit = commit_write(session, writing.step) if made else None
        yield Done(batch, prepared, written, commit)
