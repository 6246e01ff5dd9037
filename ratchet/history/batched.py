"""What each batch of a plan makes the rules count: one tree after the other, by what changed in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ratchet.checking.arrivals import changes_between
from ratchet.checking.migration import Migration
from ratchet.checking.rewriting import AFTER, Workbench
from ratchet.codemod.batches import Batch
from ratchet.codemod.encoding import VERSION
from ratchet.codemod.prediction import Change
from ratchet.history.counted import CountedTree
from ratchet.session import Session
from ratchet.source.entries import Source
from ratchet.source.overlay import Overlay
from ratchet.tally import content_key
from ratchet.tree import plan_of

_Steps = tuple[tuple[Change, ...], ...]
_Counts = Mapping[str, int]


def foresee_batches(
    session: Session, migration: Migration, batches: Sequence[Batch], bench: Workbench | None = None
) -> _Steps:
    """What each batch of a plan makes the rules count otherwise, when the batches before it are done.

    A parameter is dropped with the batch that leaves it without a use. `bench` is the workbench on which the
    files of the plan were made, where they were.
    """
    key = _key(migration, batches)
    known = _decoded(session.cache.get_result(key), len(batches)) if key else None
    if known is None:
        known = _count_batches(session, migration, batches, bench or Workbench(session, migration))
        if key and not migration.census.problems:
            rows = [[[one.rule, one.before, one.after] for one in step] for step in known]
            session.cache.put_result(key, json.dumps(rows, separators=(",", ":")))
    return known


def _count_batches(
    session: Session, migration: Migration, batches: Sequence[Batch], bench: Workbench
) -> _Steps:
    """The steps from tree to tree. Where they do not lead to the sum, every tree is counted whole."""
    if not batches:
        return ()
    for counted in (_counted, _counted_whole):
        counts = [*counted(session, _sources(migration, batches, bench))]
        if changes_between(counts[0], counts[-1]) == migration.baseline:
            break
    return tuple(changes_between(*pair) for pair in pairwise(counts))


def _sources(migration: Migration, batches: Sequence[Batch], bench: Workbench) -> Iterator[Source]:
    """The files as they are, and as they are when one batch after the other is done."""
    bench.rewrite()  # all of it: so what is looked for in the whole tree is looked for once
    done: set[str] = set()
    yield Overlay(migration.tree.source, {}, migration.blobs)
    for batch in batches:
        done |= {edit.id for edit in batch.edits}
        bench.choose(frozenset(done))
        contents = {file.path: file.new for file in bench.rewrite()}
        yield Overlay(migration.tree.source, contents, migration.blobs)


def _counted(session: Session, sources: Iterable[Source]) -> Iterator[_Counts]:
    """How many sites each rule has in each of some trees, of which each one follows from the one before."""
    counted: CountedTree | None = None
    for source in sources:
        if counted is None or not counted.step(source):
            counted = CountedTree(session, session.tree(source, AFTER))
        yield {rule: sites.total() for rule, sites in counted.sites.items()}


def _counted_whole(session: Session, sources: Iterable[Source]) -> Iterator[_Counts]:
    for source in sources:
        yield session.count(session.tree(source, AFTER)).counts


def _key(migration: Migration, batches: Sequence[Batch]) -> str | None:
    """The name of the counts of these batches in the cache; None where the content of a file is not known."""
    cuts = "\n".join(" ".join(edit.id for edit in batch.edits) for batch in batches)
    name = f"steps {VERSION} {migration.selection} {hashlib.sha256(cuts.encode()).hexdigest()}"
    return content_key(name, migration.tree, plan_of(migration.tree).fingerprint, migration.blobs)


def _decoded(text: str | None, count: int) -> _Steps | None:
    if text is None:
        return None
    try:
        steps = tuple(tuple(Change(*row) for row in step) for step in json.loads(text))
    except (ValueError, TypeError):
        return None
    return steps if len(steps) == count else None
