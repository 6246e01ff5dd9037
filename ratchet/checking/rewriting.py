"""The files of a plan rewritten in memory: what `ratchet migrate --diff` shows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ratchet.checking.migration import Migration, changes_of, scan_tree, subject_of
from ratchet.codemod.model import Edit, Plan, Refusal, Rewritten
from ratchet.codemod.plan import Planner, ReadFile, plan_tree
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.style import Style, line_length
from ratchet.frozen import replace
from ratchet.model import Problem
from ratchet.session import Session
from ratchet.source.overlay import Overlay
from ratchet.tree import Tree

AFTER = "#migrated"
"""What tells files as they are to become from those on disk in the cache."""


def rewrite_all(session: Session, migration: Migration) -> tuple[Migration, tuple[Rewritten, ...]]:
    """The files of a plan as they become, and the plan as it is then.

    An edit that the rewriter refuses becomes a skip, and the plan is made again: a write must not move where
    a reader of its field turns out to stay.
    """
    tree, selection = migration.tree, migration.selection
    scan, style = scan_tree(session, tree), style_of(tree)
    planner: Planner | None = None
    refused: dict[str, Refusal] = {}
    while True:
        found, refusals = _rewrite(migration.plan.edits, tree.source.read, style)
        if not refusals:
            return migration, found
        refused.update(refusals)
        planner = planner or Planner(subject_of(tree, scan), selection)
        plan = planner.plan(refused)
        migration = replace(migration, plan=plan, baseline=changes_of(tree, scan, plan))


def tree_after(session: Session, migration: Migration, rewritten: Iterable[Rewritten]) -> Tree:
    """The tree as it is when these files are written, to be planned and counted again."""
    contents = {item.path: item.new for item in rewritten}
    return session.tree(Overlay(migration.tree.source, contents), AFTER)


def plan_again(session: Session, migration: Migration, rewritten: Iterable[Rewritten]) -> Plan:
    """The same plan over the tree as it becomes: a complete one leaves nothing but what was refused."""
    tree = tree_after(session, migration, rewritten)
    return plan_tree(subject_of(tree, scan_tree(session, tree)), migration.selection)


def style_of(tree: Tree) -> Style:
    """How the files of a tree are written."""
    pack = tree.pack
    accessors = {name for item in pack.objects for name in item.accessors}
    accessors |= {context.accessor for context in pack.contexts}
    accessors |= {namespace.accessor for namespace in pack.namespaces}
    return Style(pack.package, frozenset(accessors), line_length(Path(tree.root)))


def _rewrite(
    edits: Iterable[Edit], read: ReadFile, style: Style
) -> tuple[tuple[Rewritten, ...], dict[str, Refusal]]:
    """The files of some edits rewritten, and by their ids the edits that were refused."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    found: list[Rewritten] = []
    refused: dict[str, Refusal] = {}
    for path, planned in by_path.items():
        data = read(path)
        outcome = data if isinstance(data, Problem) else rewrite(path, data, planned, style)
        if isinstance(outcome, Problem):
            refusal = Refusal("uncertain-text", f"{path} {outcome.message}")
            refused.update({edit.id: refusal for edit in planned})
            continue
        refused.update({skip.id: Refusal(skip.reason, skip.detail) for skip in outcome.skips})
        if outcome.rewritten is not None:
            found.append(outcome.rewritten)
    return tuple(found), refused
