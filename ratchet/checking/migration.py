"""The plan of a migration for a tree: `ratchet migrate` without writing."""

from __future__ import annotations

from pathlib import Path

from ratchet.checking.namespace import refuse_unknown
from ratchet.codemod.model import Edit, Plan, Refusal, Rewritten
from ratchet.codemod.plan import Subject, plan_tree
from ratchet.codemod.prediction import Change, predict
from ratchet.codemod.sites import Selection
from ratchet.codemod.style import Style, line_length
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, field, replace
from ratchet.model import Census, Problem
from ratchet.pack.table import nearest
from ratchet.scan import Scanner
from ratchet.session import Session
from ratchet.source.arguments import resolve_paths
from ratchet.tree import Tree, plan_of


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be migrated. `paths` are files and folders relative to the working directory.

    Without `everything`, namespaces or fields are named. `writes`, `parameters` and `chains` ask for what
    moves on request only.
    """

    namespaces: tuple[str, ...] = ()
    everything: bool = False
    fields: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    writes: bool = False
    parameters: bool = False
    chains: bool = False


@dataclass(frozen=True, slots=True)
class Migration:
    """A plan, what it does to the counts of rules, and what the run saw."""

    tree: Tree
    subject: Subject
    selection: Selection
    plan: Plan
    baseline: tuple[Change, ...]
    census: Census
    notes: tuple[str, ...] = field(default=())


def plan_migration(session: Session, request: Request) -> Migration:
    """Plan a migration of the tree on disk; nothing is written.

    Raises UsageError for a namespace or field that there is not, and for a request that names nothing.
    """
    tree = session.tree(session.work_tree())
    selection = _selection(session, tree, request)
    scanned = plan_of(tree, namespaces=True)
    scanner = Scanner(scanned, tree.source, session.cache, session.place.jobs, tree.root, session.progress)
    scan = scanner.scan()
    subject = Subject(scan.facts, tree.pack, tree.schema, tree.engine, tree.source.read)
    plan = plan_tree(subject, selection)
    return _predicted(Migration(tree, subject, selection, plan, (), scan.census, scan.notes))


def rewrite_all(migration: Migration) -> tuple[Migration, tuple[Rewritten, ...]]:
    """The files of a plan rewritten in memory, and the plan as it is then.

    An edit that the rewriter refuses becomes a skip; a plan is made again, for a write must not move where a
    reader of its field turns out to stay.
    """
    from ratchet.codemod.rewrite import rewrite

    style = _style(migration.tree)
    refused: dict[str, Refusal] = {}
    while True:
        plan = migration.plan
        by_path: dict[str, list[Edit]] = {}
        for edit in plan.edits:
            by_path.setdefault(edit.path, []).append(edit)
        found: list[Rewritten] = []
        before = len(refused)
        for path, edits in by_path.items():
            data = migration.subject.read(path)
            outcome = data if isinstance(data, Problem) else rewrite(path, data, edits, style)
            if isinstance(outcome, Problem):
                message = f"{path} {outcome.message}"
                refused.update({edit.id: Refusal("uncertain-text", message) for edit in edits})
                continue
            refused.update({skip.id: Refusal(skip.reason, skip.detail) for skip in outcome.skips})
            if outcome.rewritten is not None:
                found.append(outcome.rewritten)
        if len(refused) == before:
            return migration, tuple(found)
        subject = replace(migration.subject, refused=dict(refused))
        migration = _predicted(
            replace(migration, subject=subject, plan=plan_tree(subject, migration.selection))
        )


def _predicted(migration: Migration) -> Migration:
    """A migration with what its plan does to the counts."""
    tree = migration.tree
    changes = predict(
        tree.rules, tree.pack, tree.schema, tree.engine, migration.subject.facts, migration.plan.edits
    )
    return replace(migration, baseline=changes)


def _style(tree: Tree) -> Style:
    pack = tree.pack
    accessors = {name for item in pack.objects for name in item.accessors}
    accessors |= {context.accessor for context in pack.contexts}
    accessors |= {namespace.accessor for namespace in pack.namespaces}
    return Style(pack.package, frozenset(accessors), line_length(Path(tree.root)))


def _selection(session: Session, tree: Tree, request: Request) -> Selection:
    if not (request.namespaces or request.everything or request.fields):
        raise UsageError("name what to migrate: --namespace NAME, --field NAME, or --all")
    if request.namespaces and request.everything:
        raise UsageError("--all takes every namespace: leave out --namespace or --all")
    for namespace in request.namespaces:
        refuse_unknown(namespace, tree.pack, tree.schema)
    for name in request.fields:
        if name not in tree.schema.fields:
            raise UsageError(f"the schema has no field {name}{nearest(name, tree.schema.fields)}")
    arguments = resolve_paths(request.paths, session.cwd, session.place.root)
    if request.paths and not arguments.paths:
        raise UsageError("none of the paths lies in the tree: name files or folders below its root")
    return Selection(
        request.namespaces,
        request.fields,
        () if arguments.whole else arguments.paths,
        request.writes,
        request.parameters,
        request.chains,
    )
