"""What codemods plan as far as the files can tell: without what the rewriter refuses."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ratchet.checking.migration import Migration, Planning, Request, scan_tree
from ratchet.checking.replacing import NOTHING, plan_of_files, rule_files
from ratchet.checking.rewriting import rewrite_all, style_of
from ratchet.codemod.encoding import VERSION, decode_plan, encode_plan
from ratchet.codemod.model import Plan
from ratchet.model import Rule, Site
from ratchet.session import Session
from ratchet.tally import content_key
from ratchet.tree import plan_of


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


def settled_rule(session: Session, migration: Migration, rule: Rule, sites: Sequence[Site]) -> Plan:
    """The plan of a rule with a codemod of its own in the tree of a migration; `sites` are all of its sites.

    Its edits and skips are those of `ratchet migrate --rule RULE --diff`.
    """
    tree = migration.tree
    told = hashlib.sha256(f"{rule.match} {rule.own_codemod}".encode()).hexdigest()
    key = content_key(f"rule {VERSION} {told}", tree, plan_of(tree).fingerprint, migration.blobs)
    text = session.cache.get_result(key) if key else None
    if text is not None:
        try:
            return decode_plan(text)[0]
        except (ValueError, TypeError, KeyError, IndexError):
            pass
    style = style_of(tree, scan_tree(session, tree))
    plan = plan_of_files(rule_files(tree, rule, sites, style)(NOTHING))
    if key and not migration.census.problems:
        session.cache.put_result(key, encode_plan(plan, (), {}))
    return plan
