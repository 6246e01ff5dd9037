"""The plan of a migration for a tree: `ratchet migrate` without writing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from ratchet.checking.namespace import refuse_unknown
from ratchet.codemod.encoding import VERSION, decode_plan, encode_plan
from ratchet.codemod.inspection import Finding
from ratchet.codemod.model import Drop, Edit, Plan
from ratchet.codemod.plan import Planner, Subject
from ratchet.codemod.prediction import Change, predict
from ratchet.codemod.sites import Selection, spared_paths
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, field, replace
from ratchet.judge import Plan as ScanPlan
from ratchet.model import Census, Site
from ratchet.pack.table import nearest
from ratchet.roles.answers import Answers
from ratchet.roles.known import restricted_roles
from ratchet.roles.restricted import Restricted
from ratchet.scan import Scan, Scanner
from ratchet.session import Session
from ratchet.source.arguments import refuse_unnamed, resolve_paths
from ratchet.tally import content_key, read_site, site_row
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

    `baseline` holds the rules about accesses, as the plan alone tells it, and `new` nothing; in a plan that
    `foresee` made it holds all rules, and `new` the sites that they count afterwards only.

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
    new: tuple[Site, ...] = ()


def plan_migration(session: Session, request: Request) -> Migration:
    """Plan a migration of the tree on disk; nothing is written.

    Raises UsageError for a namespace or field that there is not, and for a request that names nothing.
    """
    return Planning(session, request).plan()


class Planning:
    """A request on the tree on disk, opened. A tree that did not change is not planned again.

    Raises as `plan_migration` does.
    """

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._tree = session.tree(session.work_tree())
        self._selection = _selection(session, self._tree, request)
        self._scanned = plan_of(self._tree, namespaces=True)
        # Code is deleted only where nobody at all reads what it writes.
        self._scanner = _scanner(session, self._tree, self._scanned, self._selection.delete_dead)
        self._known = self._scanner.known_contents()

    def plan(self) -> Migration:
        """The plan, what it does to the rules about accesses with it."""
        known = self.recall("migration")
        if known is not None:
            return known
        tree, scan = self._tree, self._scanner.scan(self._prepared())
        subject = replace(subject_of(tree, scan), restricted=self._restricted)
        planner = Planner(subject, self._selection)
        plan = planner.plan({})
        changes = changes_of(tree, scan, plan.edits)
        migration = Migration(
            tree, self._selection, plan, changes, scan.census, scan.notes, scan.blobs, planner.findings
        )
        self.keep("migration", migration)
        return migration

    def _prepared(self) -> Iterator[object]:
        """What can be found out before the accesses are known."""
        yield self._restricted

    @cached_property
    def _restricted(self) -> tuple[Restricted, ...]:
        """The roles that may not read everything, where a rule asks; it tells of faults."""
        tree = self._tree
        if not tree.asking("role"):
            return ()
        free = Answers(tree.pack, tree.schema, tree.engine).unrestricted
        return tuple(replace(role, allowed=role.allowed | free) for role in restricted_roles(tree).roles)

    def recall(self, kind: str) -> Migration | None:
        """The plan that was kept under this name for the same request and contents."""
        tree, key = self._tree, self._key(kind, self._known)
        text = self._session.cache.get_result(key) if key else None
        if text is None:
            return None
        try:
            seen, _, planned = text.partition("\n")
            discovered, analysed = map(int, seen.split())
            plan, changes, findings, new = decode_plan(planned)
            sites = tuple(read_site(rule, row) for rule, *row in new)
        except (ValueError, TypeError, KeyError, IndexError):
            return None
        judged = frozenset(entry.path for entry in tree.source.entries())
        census = Census(discovered, analysed, len(judged) - analysed, judged, complete=True)
        notes = tree.source.listing.notes
        return Migration(tree, self._selection, plan, changes, census, notes, self._known, findings, sites)

    def keep(self, kind: str, migration: Migration) -> None:
        """Keep a plan of which nothing is missing: what could not be judged is tried again."""
        key = self._key(kind, migration.blobs)
        if key and not migration.census.problems:
            seen = f"{migration.census.discovered} {migration.census.analysed}"
            new = [[site.rule, *site_row(site)] for site in migration.new]
            planned = encode_plan(migration.plan, migration.baseline, migration.findings, new)
            self._session.cache.put_result(key, f"{seen}\n{planned}")

    def _key(self, kind: str, blobs: Mapping[str, str]) -> str | None:
        name = f"{kind} {VERSION} {self._selection} {self._tree.pack.publishing}"
        return content_key(name, self._tree, self._scanned.fingerprint, blobs)


def scan_tree(session: Session, tree: Tree, everywhere: bool = False) -> Scan:
    """The accesses of a tree, those of namespaces too; `everywhere` also those that are never any site."""
    return _scanner(session, tree, plan_of(tree, namespaces=True), everywhere).scan()


def subject_of(tree: Tree, scan: Scan) -> Subject:
    """What a plan is made for."""
    return Subject(scan.facts, tree.pack, tree.schema, tree.engine, tree.source.read)


def changes_of(
    tree: Tree, scan: Scan, edits: Iterable[Edit], drops: Iterable[Drop] = ()
) -> tuple[Change, ...]:
    """What edits and drops do to the counts of access rules."""
    return predict(tree.rules, tree.pack, tree.schema, tree.engine, scan.facts, edits, drops)


def _scanner(session: Session, tree: Tree, scanned: ScanPlan, everywhere: bool) -> Scanner:
    spared = () if everywhere else spared_paths(tree.pack, tree.rules, tree.engine)
    jobs, memory = session.place.jobs, session.memory
    return Scanner(scanned, tree.source, session.cache, jobs, tree.root, session.progress, spared, memory)


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
