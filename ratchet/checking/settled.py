"""The plan of a migration as far as its files can tell: without what the rewriter refuses."""

from __future__ import annotations

from ratchet.checking.migration import Migration, Planning, Request
from ratchet.checking.rewriting import rewrite_all
from ratchet.session import Session


def settled_migration(session: Session, request: Request) -> Migration:
    """The plan of the tree on disk in which every edit can be made; nothing is written.

    Its edits and skips are those of `ratchet migrate --diff`. Parameters that become dead are not looked for.
    Raises UsageError as the planner does.
    """
    planning = Planning(session, request)
    known = planning.recall("settled")
    if known is not None:
        return known
    settled, _ = rewrite_all(session, planning.plan(), dropping=False)
    planning.keep("settled", settled)
    return settled
