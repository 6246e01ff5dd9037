"""The plan of a migration with all that it does: files rewritten in memory, every rule counted in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ratchet.checking.arrivals import arrivals, as_they_stand, changes_between
from ratchet.checking.migration import Migration, Planning, Request
from ratchet.checking.rewriting import Workbench, rewrite_all, tree_after
from ratchet.codemod.batches import Batch
from ratchet.codemod.encoding import VERSION
from ratchet.codemod.model import Rewritten
from ratchet.codemod.prediction import Change
from ratchet.frozen import replace
from ratchet.scan import Memory
from ratchet.session import Session
from ratchet.tally import content_key
from ratchet.tree import plan_of

_Steps = tuple[tuple[Change, ...], ...]


def foresee(
    session: Session, request: Request, files: bool = False
) -> tuple[Migration, tuple[Rewritten, ...]]:
    """Plan a migration of the tree on disk as `plan_migration` does, and tell what becomes of it.

    What the rewriter refuses is a skip of this plan, its parameters are settled, its `baseline` holds all
    rules, and `new` the sites that they count afterwards only. The rewritten files come with it where `files`
    asks for them; without, an unchanged tree is not rewritten again.
    """
    session = replace(session, memory=Memory())
    planning = Planning(session, request)
    known = planning.recall("foreseen")
    if known is not None:
        return known, rewrite_all(session, known)[1] if files else ()
    migration, rewritten = rewrite_all(session, planning.plan())
    if rewritten:
        before = session.count(migration.tree)
        after = session.count(tree_after(session, migration, rewritten))
        new = as_they_stand(arrivals(session.rules, before, after), rewritten)
        migration = replace(migration, baseline=changes_between(before, after), new=new)
    planning.keep("foreseen", migration)
    return migration, rewritten


def foresee_batches(session: Session, migration: Migration, batches: Sequence[Batch]) -> _Steps:
    """What each batch of a plan makes the rules count otherwise, when the batches before it are done.

    The whole tree is counted anew for each batch, since some rules look at all of it. Parameters that become
    dead stay: whether one can go is looked for once, by `foresee`.
    """
    key = _batches_key(migration, batches)
    known = _decoded(session.cache.get_result(key), len(batches)) if key else None
    if known is None:
        known = _count_batches(session, migration, batches)
        if key and not migration.census.problems:
            rows = [[[one.rule, one.before, one.after] for one in step] for step in known]
            session.cache.put_result(key, json.dumps(rows, separators=(",", ":")))
    return known


def _count_batches(session: Session, migration: Migration, batches: Sequence[Batch]) -> _Steps:
    session = replace(session, memory=Memory())
    plan = replace(migration.plan, parameters=())
    bench = Workbench(session, replace(migration, plan=plan), (), dropping=False)
    done: set[str] = set()
    steps: list[tuple[Change, ...]] = []
    before = session.count(migration.tree)
    for batch in batches:
        done |= {edit.id for edit in batch.edits}
        bench.choose(frozenset(done))
        after = session.count(tree_after(session, migration, bench.rewrite()))
        steps.append(changes_between(before, after))
        before = after
    return tuple(steps)


def _batches_key(migration: Migration, batches: Sequence[Batch]) -> str | None:
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
