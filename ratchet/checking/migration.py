"""The plan of a migration for a tree: `ratchet migrate` without writing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.checking.namespace import refuse_unknown
from ratchet.codemod.encoding import VERSION, decode_plan, encode_plan
from ratchet.codemod.inspection import Finding
from ratchet.codemod.model import Drop, Edit, Plan
from ratchet.codemod.plan import Planner, Subject
from ratchet.codemod.prediction import Change, predict
from ratchet.codemod.sites import Selection
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, field
from ratchet.judge import Plan as ScanPlan
from ratchet.model import Census
from ratchet.pack.table import nearest
from ratchet.scan import Scan, Scanner
from ratchet.session import Session
from ratchet.source.arguments import refuse_unnamed, resolve_paths
from ratchet.tally import content_key
from ratchet.tree import Tree, plan_of


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be migrated. `paths` are files and folders relative to the working directory.

    Without `everything`, namespaces or fields are named. `writes`, `parameters` and `chains` ask for what
    moves on request only. `owner` names one of CODEOWNERS, whose files alone are taken.
    """

    namespaces: tuple[str, ...] = ()
    everything: bool = False
    fields: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    writes: bool = False
    parameters: bool = False
    chains: bool = False
    delete_dead: bool = False
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Migration:
    """A plan, what it does to the counts of rules, and what the run saw.

    `blobs` are the ids of the contents that it was made of, and `findings` what the text around the sites
    told of them, for whoever plans the same tree again.
    """

    tree: Tree
    selection: Selection
    plan: Plan
    baseline: tuple[Change, ...]
    census: Census
    notes: tuple[str, ...] = ()
    blobs: Mapping[str, str] = field(default_factory=dict)
    findings: Mapping[str, Finding] = field(default_factory=dict)


def plan_migration(session: Session, request: Request) -> Migration:
    """Plan a migration of the tree on disk; nothing is written.

    Raises UsageError for a namespace or field that there is not, and for a request that names nothing.
    """
    tree = session.tree(session.work_tree())
    selection = _selection(session, tree, request)
    scanned = plan_of(tree, namespaces=True)
    scanner = _scanner(session, tree, scanned)
    known = _remembered(session, tree, selection, scanned, scanner.known_contents())
    if known is not None:
        return known
    scan = scanner.scan()
    planner = Planner(subject_of(tree, scan), selection)
    plan = planner.plan({})
    changes = changes_of(tree, scan, plan.edits)
    migration = Migration(
        tree, selection, plan, changes, scan.census, scan.notes, scan.blobs, planner.findings
    )
    _remember(session, migration, scanned)
    return migration


def scan_tree(session: Session, tree: Tree) -> Scan:
    """The accesses of a tree, those of namespaces too."""
    return _scanner(session, tree, plan_of(tree, namespaces=True)).scan()


def subject_of(tree: Tree, scan: Scan) -> Subject:
    """What a plan is made for."""
    return Subject(scan.facts, tree.pack, tree.schema, tree.engine, tree.source.read)


def changes_of(
    tree: Tree, scan: Scan, edits: Iterable[Edit], drops: Iterable[Drop] = ()
) -> tuple[Change, ...]:
    """What edits and drops do to the counts of access rules."""
    return predict(tree.rules, tree.pack, tree.schema, tree.engine, scan.facts, edits, drops)


def _scanner(session: Session, tree: Tree, scanned: ScanPlan) -> Scanner:
    jobs = session.place.jobs
    memory = session.memory
    return Scanner(scanned, tree.source, session.cache, jobs, tree.root, session.progress, memory=memory)


# A tree that did not change is not planned again.


def _key(tree: Tree, selection: Selection, scanned: ScanPlan, blobs: Mapping[str, str]) -> str | None:
    return content_key(f"migration {VERSION} {selection}", tree, scanned.fingerprint, blobs)


def _remembered(
    session: Session, tree: Tree, selection: Selection, scanned: ScanPlan, blobs: Mapping[str, str]
) -> Migration | None:
    key = _key(tree, selection, scanned, blobs)
    text = session.cache.get_result(key) if key else None
    if text is None:
        return None
    try:
        seen, _, planned = text.partition("\n")
        discovered, analysed = map(int, seen.split())
        plan, changes, findings = decode_plan(planned)
    except (ValueError, TypeError, KeyError, IndexError):
        return None
    judged = frozenset(entry.path for entry in tree.source.entries())
    census = Census(discovered, analysed, len(judged) - analysed, judged, complete=True)
    return Migration(tree, selection, plan, changes, census, tree.source.listing.notes, blobs, findings)


def _remember(session: Session, migration: Migration, scanned: ScanPlan) -> None:
    """Keep a plan of which nothing is missing: what could not be judged is tried again."""
    key = _key(migration.tree, migration.selection, scanned, migration.blobs)
    if key and not migration.census.problems:
        seen = f"{migration.census.discovered} {migration.census.analysed}"
        session.cache.put_result(
            key, f"{seen}\n{encode_plan(migration.plan, migration.baseline, migration.findings)}"
        )


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
    refuse_unnamed(request.paths, arguments)
    paths = () if arguments.whole else arguments.paths
    if request.owner is not None:
        paths = _owned(session, tree, request.owner, paths)
    return Selection(
        request.namespaces,
        request.fields,
        paths,
        request.writes,
        request.parameters,
        request.chains,
        request.delete_dead,
    )


def _owned(session: Session, tree: Tree, owner: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The files below some paths that an owner has. Raises UsageError where there are none."""
    from ratchet.checking.owning import no_owners, owners_of

    owner_of = owners_of(session)
    within = Selection(paths=paths)
    found = tuple(
        entry.path
        for entry in tree.source.entries()
        if owner in owner_of(entry.path).split() and within.takes_path(entry.path)
    )
    if not found:
        raise UsageError(
            no_owners(session)
            or f"no file that was asked for belongs to {owner}: see CODEOWNERS for who has which"
        )
    return found
