"""The plan of a migration as far as its files can tell: without what the rewriter refuses."""

from __future__ import annotations

from ratchet.checking.migration import Migration, Request, plan_migration
from ratchet.checking.rewriting import rewrite_all
from ratchet.codemod.encoding import VERSION, decode_plan, encode_plan
from ratchet.frozen import replace
from ratchet.session import Session
from ratchet.tally import content_key
from ratchet.tree import plan_of


def settled_migration(session: Session, request: Request) -> Migration:
    """The plan of the tree on disk in which every edit can be made; nothing is written.

    Its edits and skips are those of `ratchet migrate --diff`. Parameters that become dead are not looked for.
    Raises UsageError as the planner does.
    """
    planned = plan_migration(session, request)
    key = _key(planned)
    text = session.cache.get_result(key) if key else None
    known = _decoded(planned, text) if text is not None else None
    if known is not None:
        return known
    settled, _ = rewrite_all(session, planned, dropping=False)
    if key and not settled.census.problems:
        session.cache.put_result(key, encode_plan(settled.plan, settled.baseline, settled.findings))
    return settled


def _key(planned: Migration) -> str | None:
    tree = planned.tree
    scanned = plan_of(tree, namespaces=True)
    return content_key(f"settled {VERSION} {planned.selection}", tree, scanned.fingerprint, planned.blobs)


def _decoded(planned: Migration, text: str) -> Migration | None:
    try:
        plan, changes, findings = decode_plan(text)
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    return replace(planned, plan=plan, baseline=changes, findings=findings)
