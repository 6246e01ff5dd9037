"""The plan of a migration with all that it does: files rewritten in memory, every rule counted in them."""

from __future__ import annotations

from ratchet.checking.arrivals import arrivals, as_they_stand, changes_between
from ratchet.checking.migration import Migration, Planning, Request
from ratchet.checking.rewriting import Workbench, rewrite_all, tree_after
from ratchet.codemod.model import Rewritten
from ratchet.frozen import replace
from ratchet.scan import Memory
from ratchet.session import Session


def foresee(
    session: Session, request: Request, files: bool = False
) -> tuple[Migration, tuple[Rewritten, ...]]:
    """Plan a migration of the tree on disk as `plan_migration` does, and tell what becomes of it.

    What the rewriter refuses is a skip of this plan, its parameters are settled, its `baseline` holds all
    rules, and `new` the sites that they count afterwards only. The rewritten files come with it where `files`
    asks for them; without, an unchanged tree is not rewritten again.
    """
    migration, bench = forecast(session, request)
    if bench is None:
        return migration, rewrite_all(session, migration)[1] if files else ()
    return migration, bench.rewrite()


def forecast(session: Session, request: Request) -> tuple[Migration, Workbench | None]:
    """The plan that `foresee` gives, and the workbench on which its files were made; None where it was not,
    because the plan was known."""
    session = replace(session, memory=session.memory or Memory())
    planning = Planning(session, request)
    known = planning.recall("foreseen")
    if known is not None:
        return known, None
    bench = Workbench(session, planning.plan())
    rewritten = bench.rewrite()
    migration = bench.migration
    if rewritten:
        before = session.count(migration.tree)
        after = session.count(tree_after(session, migration, rewritten))
        new = as_they_stand(arrivals(session.rules, before, after), rewritten)
        migration = replace(migration, baseline=changes_between(before.counts, after.counts), new=new)
    else:
        migration = bench.finished()
    planning.keep("foreseen", migration)
    return migration, bench
