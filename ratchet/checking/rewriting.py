"""The files of a plan rewritten in memory: what `ratchet migrate --diff` shows and `--write` writes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from ratchet.checking.migration import Migration, changes_of, scan_tree, subject_of
from ratchet.codemod.borrowers import Borrowers
from ratchet.codemod.cycles import ImportGraph
from ratchet.codemod.families import Families
from ratchet.codemod.model import Drop, Edit, Outcome, Parameter, Plan, Refusal, Rewritten
from ratchet.codemod.parameters import Dead, dead_parameters, dropped, settle_parameters
from ratchet.codemod.plan import Planner, plan_tree
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.codemod.sites import spared_paths
from ratchet.codemod.sketch import read_sketch
from ratchet.codemod.style import Style, line_length
from ratchet.codemod.survey import LeftOut
from ratchet.frozen import dataclass, replace
from ratchet.judge import Plan as ScanPlan
from ratchet.judge import deep_and_undisturbed
from ratchet.matching.paths import path_filter
from ratchet.model import Problem
from ratchet.scan import Progress, Scan, judge_ahead
from ratchet.session import Session
from ratchet.source.overlay import Overlay
from ratchet.syntax.document import Document, read_document
from ratchet.tree import Tree, plan_of

AFTER = "#migrated"
"""What tells files as they are to become from those on disk in the cache."""


class Workbench:
    """A plan whose files are rewritten, and which is made again where some of its edits are refused.

    A write must not move where a reader of its field turns out to stay. `chosen` are the ids of the edits
    that are made at all: a slice of the plan, the whole of it by default. Files are rewritten, and with
    `proving` proved, once for the same edits. Without `dropping`, parameters that became dead stay: to find
    all calls of their functions takes longer than all else.
    """

    def __init__(
        self,
        session: Session,
        migration: Migration,
        chosen: Collection[str] | None = None,
        proving: bool = False,
        dropping: bool = True,
    ) -> None:
        self.migration = migration
        self._planned = migration.plan
        self._session = session
        self._chosen = chosen
        self._refused: dict[str, Refusal] = {}
        self._kept: dict[str, Refusal] = {}
        self._proving = proving
        self._dropping = dropping and migration.selection.parameters
        self._made: dict[str, _Made] = {}
        self._before: dict[str, list[_Made]] = {}
        self._ahead: dict[str, str] = {}

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that are made, as far as the plan has them."""
        chosen = self._chosen
        return tuple(edit for edit in self.migration.plan.edits if chosen is None or edit.id in chosen)

    def choose(self, chosen: Collection[str]) -> None:
        """Make these edits from now on; files whose edits were the same before are not rewritten again."""
        self._chosen = chosen
        self._set_parameters(())

    def finished(self) -> Migration:
        """The migration as it is now, with what its edits and parameters do to the counts of access rules."""
        if self._chosen is None and self.migration.plan is self._planned:
            return self.migration
        drops = dropped(self.migration.plan)
        changes = changes_of(self.migration.tree, self._scan, self.edits, drops)
        return replace(self.migration, baseline=changes)

    @property
    def stays(self) -> frozenset[str]:
        """The ids of the sites that stay, in the end or for now."""
        plan = self.migration.plan
        made = {edit.id for edit in self.edits}
        known = {edit.id for edit in plan.edits} | {skip.id for skip in plan.skips}
        return frozenset(known - made)

    @cached_property
    def style(self) -> Style:
        """How the files of the tree are written."""
        return style_of(self.migration.tree, self._scan)

    def refuse(self, refusals: Mapping[str, Refusal]) -> None:
        """Make the plan again without these edits, and without what may not move when they do not."""
        self._refused.update(refusals)
        plan = self._planner.plan(self._refused)
        self.migration = replace(self.migration, plan=plan)

    def rewrite(self) -> tuple[Rewritten, ...]:
        """The files as they become; an edit that the rewriter refuses becomes a skip."""
        with deep_and_undisturbed():
            return self._rewrite()

    def _rewrite(self) -> tuple[Rewritten, ...]:
        while True:
            found, refusals = self._rewrite_files()
            if refusals:
                self.refuse(refusals)
            elif not self._drop_parameters(found):
                return found

    def keep(self, wrong: Mapping[str, Problem]) -> None:
        """Keep the parameters that would take something out of these files, which failed their proof."""
        self.keep_parameters(
            {
                drop: Refusal("unproved", f"{drop.path} failed its proof: {wrong[drop.path].message}")
                for drop in dropped(self.migration.plan)
                if drop.path in wrong
            }
        )

    def keep_parameters(self, refused: Mapping[Drop, Refusal]) -> None:
        """Keep the parameters of which something may not go."""
        for parameter in self.migration.plan.parameters:
            why = next((refused[drop] for drop in parameter.drops if drop in refused), None)
            if why is not None:
                self._kept[f"{parameter.function} {parameter.name}"] = why
        self._set_parameters(())

    def _drop_parameters(self, found: Sequence[Rewritten]) -> bool:
        """Whether the files show parameters to drop that the plan did not have yet; it has them then."""
        if not self._dropping:
            return False
        known = {(one.path, one.function, one.name) for one in self.migration.plan.parameters}
        dead = sorted({one for file in found for one in self._made[file.path].dead})
        if all((one.path, one.function, one.name) in known for one in dead):
            return False
        settled = settle_parameters(dead, found, self._families)
        before = self.migration.plan.parameters
        self._set_parameters(
            replace(one, drops=(), kept=why)
            if (why := self._kept.get(f"{one.function} {one.name}")) is not None
            else one
            for one in settled
        )
        return self.migration.plan.parameters != before

    def _set_parameters(self, parameters: Iterable[Parameter]) -> None:
        plan = replace(self.migration.plan, parameters=tuple(parameters))
        self.migration = replace(self.migration, plan=plan)

    def problems(self, file: Rewritten) -> tuple[Problem, ...]:
        """What is wrong with a rewritten file, by itself; nothing where its proof holds."""
        return self._made[file.path].problems

    @cached_property
    def _scan(self) -> Scan:
        return scan_tree(self._session, self.migration.tree, self.migration.selection.delete_dead)

    @cached_property
    def _families(self) -> Families:
        source = self.migration.tree.source
        return Families([entry.path for entry in source.entries()], source.read, self.style)

    @cached_property
    def _planner(self) -> Planner:
        migration = self.migration
        return Planner(subject_of(migration.tree, self._scan), migration.selection, migration.findings)

    def _rewrite_files(self) -> tuple[tuple[Rewritten, ...], dict[str, Refusal]]:
        """The files of the edits rewritten, and by their ids the edits that were refused."""
        by_path: dict[str, list[Edit]] = {}
        for edit in self.edits:
            by_path.setdefault(edit.path, []).append(edit)
        drops: dict[str, list[Drop]] = {}
        for drop in dropped(self.migration.plan):
            drops.setdefault(drop.path, []).append(drop)
            by_path.setdefault(drop.path, [])
        found: list[Rewritten] = []
        refused: dict[str, Refusal] = {}
        progress = self._session.progress or Progress()
        progress.start(len(by_path))
        for path, planned in by_path.items():
            outcome = self._outcome(path, tuple(planned), tuple(drops.get(path, ())))
            progress.advance(1)
            if isinstance(outcome, Problem):
                refusal = Refusal("uncertain-text", f"{path} {outcome.message}")
                refused.update({edit.id: refusal for edit in planned})
                continue
            refused.update({skip.id: Refusal(skip.reason, skip.detail) for skip in outcome.skips})
            if outcome.rewritten is not None:
                found.append(outcome.rewritten)
        self._session.cache.put_facts(self._ahead)
        self._ahead.clear()
        return tuple(found), refused

    def _outcome(self, path: str, edits: tuple[Edit, ...], drops: tuple[Drop, ...]) -> Outcome | Problem:
        before = self._before.setdefault(path, [])
        made = next((one for one in before if (one.edits, one.drops) == (edits, drops)), None)
        if made is None:
            made = self._make(path, edits, drops)
            before.append(made)
        self._made[path] = made
        return made.outcome

    def _make(self, path: str, edits: tuple[Edit, ...], drops: tuple[Drop, ...]) -> _Made:
        """A file rewritten, and proved at once where that is wanted: its tree need not be made twice.

        What is proved without anything refused needs no more than a sketch of the file as it is.
        """
        data = self.migration.tree.source.read(path)
        if isinstance(data, Problem):
            return _Made(edits, drops, data)
        words: frozenset[str] = frozenset()
        while self._proving and not self.migration.selection.parameters:
            try:
                made = self._made_of(read_sketch(path, data, edits, words), data, edits, drops)
            except LeftOut as missing:
                words |= missing.words
                continue
            if made.is_clean:
                return made
            break
        return self._made_of(read_document(path, data), data, edits, drops)

    def _made_of(
        self, document: Document | Problem, data: bytes, edits: tuple[Edit, ...], drops: tuple[Drop, ...]
    ) -> _Made:
        if isinstance(document, Problem):
            return _Made(edits, drops, document)
        path = document.path
        try:
            outcome = rewrite_document(document, data, edits, self.style, drops)
        except RecursionError:
            return _Made(edits, drops, Problem(path, 0, "is nested too deeply to be rewritten"))
        parameters = self.migration.selection.parameters
        if outcome.rewritten is None or not (self._proving or parameters):
            return _Made(edits, drops, outcome)
        new = read_document(path, outcome.rewritten.new)
        dead: frozenset[Dead] = frozenset()
        if parameters:
            dead = dead_parameters(outcome.rewritten, document, new, self.style.package)
        if not self._proving:
            return _Made(edits, drops, outcome, dead=dead)
        problems = prove(outcome.rewritten, self.style, old=document, new=new)
        if isinstance(new, Document) and not problems:
            self._judge_ahead(new, outcome.rewritten.new)
        return _Made(edits, drops, outcome, problems, dead)

    def _judge_ahead(self, new: Document, data: bytes) -> None:
        """Judge a file as it becomes while its tree is there: it is planned and counted again."""
        if "\r" in new.text:
            return  # what is judged is a text whose line ends are newlines
        for plan in self._scan_plans:
            key, facts = judge_ahead(plan, new.path, data, new.tree)
            self._ahead[key] = facts

    @cached_property
    def _scan_plans(self) -> tuple[ScanPlan, ...]:
        """The plans of the scans to come: for the second plan, and for the counts of rules."""
        tree = self.migration.tree
        plans = (plan_of(tree, namespaces=True), plan_of(tree))
        return tuple({plan.fingerprint: plan for plan in plans}.values())


@dataclass(frozen=True, slots=True)
class _Made:
    """What became of the edits and drops of a file, what is wrong with it, and parameters that are dead."""

    edits: tuple[Edit, ...]
    drops: tuple[Drop, ...]
    outcome: Outcome | Problem
    problems: tuple[Problem, ...] = ()
    dead: frozenset[Dead] = frozenset()

    @property
    def is_clean(self) -> bool:
        """Whether all of it was done, and nothing is wrong."""
        return isinstance(self.outcome, Outcome) and not (self.outcome.skips or self.problems)


def rewrite_all(
    session: Session, migration: Migration, dropping: bool = True
) -> tuple[Migration, tuple[Rewritten, ...]]:
    """The files of a plan as they become, and the plan as it is then; `dropping` is as for a workbench."""
    bench = Workbench(session, migration, dropping=dropping)
    found = bench.rewrite()
    return bench.finished(), found


def tree_after(session: Session, migration: Migration, rewritten: Iterable[Rewritten]) -> Tree:
    """The tree as it is when these files are written, to be planned and counted again."""
    contents = {item.path: item.new for item in rewritten}
    return session.tree(Overlay(migration.tree.source, contents, migration.blobs), AFTER)


def plan_again(session: Session, migration: Migration, rewritten: Iterable[Rewritten]) -> Plan:
    """The same plan over the tree as it becomes: a complete one leaves nothing but what was refused."""
    tree = tree_after(session, migration, rewritten)
    scan = scan_tree(session, tree, migration.selection.delete_dead)
    return plan_tree(subject_of(tree, scan), migration.selection)


def style_of(tree: Tree, scan: Scan) -> Style:
    """How the files of a tree are written, which imports would close a circle, and what others import."""
    pack = tree.pack
    accessors = {name for item in pack.objects for name in item.accessors}
    accessors |= {context.accessor for context in pack.contexts}
    accessors |= {namespace.accessor for namespace in pack.namespaces}
    graph = ImportGraph(pack.package, [entry.path for entry in tree.source.entries()], tree.source.read)
    imported = {name for facts in scan.facts.values() for name in facts.imports}
    spared = path_filter(spared_paths(pack, tree.rules, tree.engine))
    unseen = [entry.path for entry in tree.source.entries() if spared(entry.path)]
    borrowers = Borrowers(pack.package, unseen, tree.source.read)

    def exported(module: str, name: str) -> bool:
        # A file without a tracked name is not parsed; it does not import one by its name either.
        named = f"{module}.{name}" in imported or f"{module}.*" in imported
        return named or borrowers.take(module, name)

    length = line_length(Path(tree.root))
    return Style(pack.package, frozenset(accessors), length, graph.would_cycle, exported)
