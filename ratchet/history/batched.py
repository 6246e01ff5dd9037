"""What each batch of a plan makes the rules count: one tree after the other, by what changed in between."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ratchet.checking.migration import Migration
from ratchet.checking.rewriting import AFTER, Workbench
from ratchet.codemod.batches import Batch
from ratchet.codemod.encoding import VERSION
from ratchet.codemod.prediction import Change
from ratchet.frozen import replace
from ratchet.history.counted import CountedTree
from ratchet.session import Session
from ratchet.source.entries import Source
from ratchet.source.overlay import Overlay
from ratchet.tally import content_key
from ratchet.tree import Tree, plan_of

_Steps = tuple[tuple[Change, ...], ...]
_Counts = Mapping[str, int]


def foresee_batches(session: Session, migration: Migration, batches: Sequence[Batch]) -> _Steps:
    """What each batch of a plan makes the rules count otherwise, when the batches before it are done.

    Parameters that become dead stay: whether one can go is looked for once, by `foresee`.
    """
    key = _key(migration, batches)
    known = _decoded(session.cache.get_result(key), len(batches)) if key else None
    if known is None:
        known = _count_batches(session, migration, batches)
        if key and not migration.census.problems:
            rows = [[[one.rule, one.before, one.after] for one in step] for step in known]
            session.cache.put_result(key, json.dumps(rows, separators=(",", ":")))
    return known


def _count_batches(session: Session, migration: Migration, batches: Sequence[Batch]) -> _Steps:
    counts = list(_counted(session, migration.tree, _sources(session, migration, batches)))
    return tuple(_changes(*pair) for pair in pairwise(counts))


def _sources(session: Session, migration: Migration, batches: Sequence[Batch]) -> Iterator[Source]:
    """The files as they are, and as they are when one batch after the other is done."""
    plan = replace(migration.plan, parameters=())
    bench = Workbench(session, replace(migration, plan=plan), (), dropping=False)
    done: set[str] = set()
    yield Overlay(migration.tree.source, {}, migration.blobs)
    for batch in batches:
        done |= {edit.id for edit in batch.edits}
        bench.choose(frozenset(done))
        contents = {file.path: file.new for file in bench.rewrite()}
        yield Overlay(migration.tree.source, contents, migration.blobs)


def _counted(session: Session, tree: Tree, sources: Iterable[Source]) -> Iterator[_Counts]:
    """How many sites each rule has in each of some trees, of which each one follows from the one before."""
    counted: CountedTree | None = None
    for source in sources:
        if counted is None or not counted.step(source):
            counted = CountedTree(session, session.tree(source, AFTER))
        yield {rule: sites.total() for rule, sites in counted.sites.items()}


def _changes(before: _Counts, after: _Counts) -> tuple[Change, ...]:
    return tuple(
        Change(rule, before.get(rule, 0), after.get(rule, 0))
        for rule in sorted(before.keys() | after.keys())
        if before.get(rule, 0) != after.get(rule, 0)
    )


def _key(migration: Migration, batches: Sequence[Batch]) -> str | None:
    """The name of the counts of these batches in the cache; None where the content of a file is not known."""
    cuts = "\n".join(" ".join(edit.id for edit in batch.edits) for batch in batches)
    name = f"batches {VERSION} {migration.selection} {hashlib.sha256(cuts.encode()).hexdigest()}"
    return content_key(name, migration.tree, plan_of(migration.tree).fingerprint, migration.blobs)


def _decoded(text: str | None, count: int) -> _Steps | None:
    if text is None:
        return None
    try:
        steps = tuple(tuple(Change(*row) for row in step) for step in json.loads(text))
    except (ValueError, TypeError):
        return None
    return steps if len(steps) == count else None
