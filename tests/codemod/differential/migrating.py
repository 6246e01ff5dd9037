"""Plans and rewrites a generated engine in memory, as the verb does it for a tree on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ratchet.cache import Cache
from ratchet.codemod.model import Edit, Plan, Refusal, Rewritten
from ratchet.codemod.plan import Planner, Subject
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.sites import Selection
from ratchet.judge import Plan as ScanPlan
from ratchet.model import Problem
from ratchet.scan import Scanner
from ratchet.source.entries import Listing
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from ratchet.tree import Tree, plan_of
from tests.codemod.differential.running import FOLDER, Program
from tests.codemod.rewrite.planning import SCHEMA, STYLE
from tests.shipped import PACK

Change = Callable[[Edit], Edit | None]
"""Corrupts an edit, or loses it, to see that the comparison notices."""

_STALE = "these reads stay on the record and go stale"


@dataclass(frozen=True, slots=True)
class Migrated:
    """The engine as it becomes, the plan that says so, and what the proof objects to."""

    program: Program
    plan: Plan
    faults: tuple[str, ...]

    @property
    def moved(self) -> Collection[str]:
        """The fields whose writes moved: from then on the published value is the one."""
        return {edit.field for edit in self.plan.edits if edit.operation == "write"}

    @property
    def stale(self) -> Collection[str]:
        """The fields of which the plan itself says that some reads stay behind their writes."""
        return {edit.field for edit in self.plan.edits if edit.note.startswith(_STALE)}


def migrate(
    program: Program, selection: Selection, change: Change | None = None, again: bool = True
) -> Migrated:
    """The engine migrated; an edit that the rewriter refuses stays, and with it what depends on it.

    `again` asks for a second plan over the result, which finds nothing.
    """
    files = {f"{FOLDER}/{name}.py": text.encode() for name, text in program.items()}
    scanned, tree = _scanning(), _tree(files)
    facts = Scanner(scanned, tree.source, Cache.open(None), 1, "").scan().facts
    planner = Planner(Subject(facts, PACK, SCHEMA, None, tree.source.read), selection)
    refused: dict[str, Refusal] = {}
    while True:
        plan = planner.plan(refused)
        edits = [made for edit in plan.edits if (made := change(edit) if change else edit) is not None]
        rewritten, found = _rewritten(files, edits)
        if not found:
            break
        refused.update(found)
    texts = {**files, **{item.path: item.new for item in rewritten}}
    faults = [problem.message for item in rewritten for problem in prove(item, STYLE)]
    faults += _again(texts, selection) if again and not refused and not change else []
    return Migrated({name: texts[f"{FOLDER}/{name}.py"].decode() for name in program}, plan, tuple(faults))


def _rewritten(
    files: Mapping[str, bytes], edits: Sequence[Edit]
) -> tuple[Sequence[Rewritten], Mapping[str, Refusal]]:
    made: list[Rewritten] = []
    refused: dict[str, Refusal] = {}
    for path, data in files.items():
        own = [edit for edit in edits if edit.path == path]
        outcome = rewrite(path, data, own, STYLE)
        assert not isinstance(outcome, Problem), outcome
        refused.update({skip.id: Refusal(skip.reason, skip.detail) for skip in outcome.skips})
        if outcome.rewritten is not None:
            made.append(outcome.rewritten)
    return made, refused


def _again(files: Mapping[str, bytes], selection: Selection) -> list[str]:
    """What a second plan over the result would move."""
    tree = _tree(files)
    facts = Scanner(_scanning(), tree.source, Cache.open(None), 1, "").scan().facts
    plan = Planner(Subject(facts, PACK, SCHEMA, None, tree.source.read), selection).plan({})
    return [f"a second run would move `{edit.before}` on line {edit.span.line}" for edit in plan.edits]


@cache
def _nothing() -> WorkTree:
    return WorkTree("", Listing.of(()))


@cache
def _scanning() -> ScanPlan:
    return plan_of(_tree({}), namespaces=True)


def _tree(files: Mapping[str, bytes]) -> Tree:
    return Tree(Overlay(_nothing(), dict(files)), "", PACK, (), None, SCHEMA)


def shown(program: Program) -> str:
    """A program as a failing test prints it."""
    return "\n".join(f"# {name}.py\n{re.sub(r'^', '  ', text, flags=re.M)}" for name, text in program.items())
