"""The migration of a rule that says itself what becomes of its sites: planned, rewritten, proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ratchet.analysis.modules import module_name
from ratchet.checking.arrivals import arrivals, as_they_stand, changes_between
from ratchet.checking.migration import Migration, scan_tree
from ratchet.checking.preparing import Prepared
from ratchet.checking.rewriting import style_of, tree_after
from ratchet.checking.typechecking import NOT_RUN, TypeCheck, checker_of, unverified
from ratchet.codemod.inspection import refuse_file
from ratchet.codemod.model import Edit, Plan, Refusal, Rewritten, Skip
from ratchet.codemod.patched import names_in_texts
from ratchet.codemod.prediction import Change
from ratchet.codemod.proof import prove
from ratchet.codemod.replacement import holders
from ratchet.codemod.rewrite import rewrite_document, skip_of
from ratchet.codemod.rule_plan import RulePlanner, stays
from ratchet.codemod.sites import Selection
from ratchet.codemod.spelling import Speller
from ratchet.codemod.style import Style
from ratchet.errors import JudgeError, RatchetError, UsageError
from ratchet.frozen import dataclass, replace
from ratchet.matching.boundaries import boundaries_of
from ratchet.model import NameMatch, Pack, Problem, Rule, Site
from ratchet.session import Session
from ratchet.source.arguments import refuse_unnamed, resolve_paths
from ratchet.syntax.document import Document, read_document
from ratchet.tree import Tree
from ratchet.wording import plural

UNCONCERNED = TypeCheck("not run", "what the rule writes reads no namespace")
NOTHING: Mapping[str, Refusal] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Replaced:
    """A file's plan, the file as it becomes (None where nothing moves), and what its proof objects to."""

    edits: tuple[Edit, ...]
    skips: tuple[Skip, ...]
    file: Rewritten | None = None
    failed: tuple[Problem, ...] = ()


Make = Callable[[Mapping[str, Refusal]], list[Replaced]]
"""Gives the files of a rule as they become, without the sites that stay for a reason, by their ids."""


def plan_rule(
    session: Session, rule_id: str, paths: Sequence[str] = (), typecheck: TypeCheck | None = None
) -> Prepared:
    """Plan and rewrite the sites of a rule in memory: what may be written, with what the rules then count.

    Where the result reads namespaces it is type checked, unless `typecheck` is what is to be said instead.

    Raises UsageError for an id that is no rule's, for a rule without a codemod of its own and for paths
    outside of the tree; JudgeError where a rewritten file counts otherwise than planned.
    """
    rule = rule_with_codemod(session, rule_id)
    arguments = resolve_paths(paths, session.cwd, session.place.root)
    refuse_unnamed(paths, arguments)
    selection = Selection(paths=() if arguments.whole else arguments.paths)
    tree = session.tree(session.work_tree())
    before = session.count(tree)
    style = style_of(tree, scan_tree(session, tree))
    sites = [site for site in before.sites.get(rule.id, ()) if selection.takes_path(site.path)]
    make = rule_files(tree, rule, sites, style)
    done, checked = _checked(tree, make) if typecheck is None else (make(NOTHING), typecheck)
    files = tuple(one.file for one in done if one.file is not None)
    plan = plan_of_files(done)
    notes = tuple(_unknown_imports(rule, tree, plan.edits))
    migration = Migration(tree, selection, plan, (), before.census, notes)
    after = session.count(tree_after(session, migration, files)) if files else before
    counts = changes_between(before.counts, after.counts)
    _refuse_left(rule, plan, counts)
    new = as_they_stand(arrivals(session.rules, before, after), files)
    migration = replace(migration, baseline=counts, new=new)
    failed = tuple(problem for one in done for problem in one.failed)
    return Prepared(migration, plan.edits, files, failed, checked)


def rule_files(tree: Tree, rule: Rule, sites: Iterable[Site], style: Style) -> Make:
    """A function that plans and rewrites the files of a rule's sites, less those that it is told stay."""
    planner = _planner(rule, tree)
    by_path: dict[str, list[Site]] = {}
    for site in sites:
        by_path.setdefault(site.path, []).append(site)

    def make(refused: Mapping[str, Refusal]) -> list[Replaced]:
        return [
            _file(planner, path, tree.source.read(path), sites, style, refused)
            for path, sites in by_path.items()
        ]

    return make


def plan_of_files(done: Iterable[Replaced]) -> Plan:
    """The plan of a rule's files together."""
    files = tuple(done)
    return Plan(
        tuple(edit for one in files for edit in one.edits), tuple(skip for one in files for skip in one.skips)
    )


def _checked(tree: Tree, make: Make) -> tuple[list[Replaced], TypeCheck]:
    """The files as they become without the sites that the type checker speaks against."""
    done, refused = make(NOTHING), dict[str, Refusal]()
    published = Speller(tree.pack, tree.engine).accessors()
    called = {f"{item.module}.{item.name}" for one in done for edit in one.edits for item in edit.accessors}
    if published.isdisjoint(called):
        return done, UNCONCERNED if called or any(one.edits for one in done) else NOT_RUN
    try:
        with checker_of(tree) as checker:
            while found := checker.objections([one.file for one in done if one.file is not None]).edits:
                refused.update(found)
                done = make(refused)
    except RatchetError as error:
        return done, unverified(error)
    return done, TypeCheck("clean", "", sum(len(one.edits) for one in done))


def _unknown_imports(rule: Rule, tree: Tree, edits: Sequence[Edit]) -> Iterator[str]:
    """A sentence for each module of the package that new text imports and the tree lacks.

    It may be made by a build, or be written next: that is no reason to keep a site where it is.
    """
    package = tree.pack.package
    known = {module_name(package, entry.path)[0] for entry in tree.source.entries()}
    written = {item.module for edit in edits if not edit.own_name for item in edit.accessors}
    for module in sorted(written - known):
        if module.startswith(f"{package}."):
            yield (
                f"what the rule {rule.id} writes imports {module}, and the tree has no such file: write it,"
                " or correct the rule"
            )


def _planner(rule: Rule, tree: Tree) -> RulePlanner:
    package, calls = tree.pack.package, isinstance(rule.match, NameMatch)
    paths = [entry.path for entry in tree.source.entries()] if calls else []
    texts = names_in_texts(package, paths, tree.source.read)
    return RulePlanner(rule, package, boundaries(tree.pack, tree.engine), tree.engine, texts)


def rule_with_codemod(session: Session, rule_id: str) -> Rule:
    """The rule of an id. Raises UsageError where it has no codemod of its own."""
    rule = session.rule(rule_id)
    if rule.own_codemod is None:
        known = ", ".join(each.id for each in session.rules if each.own_codemod is not None) or "none"
        where = "; `ratchet migrate --namespace NAME` rewrites its sites" if rule.codemod else ""
        raise UsageError(
            f"the rule {rule.id} does not say what its sites become{where} (those that do: {known})"
        )
    return rule


def boundaries(pack: Pack, engine: str | None) -> Callable[[str, str], Refusal | None]:
    """What keeps a path and scope where it is: the pack's boundaries, those of single fields left out."""
    entries = [one for one in boundaries_of(pack.boundaries, engine) if one.fields is None]

    def refuse(path: str, scope: str) -> Refusal | None:
        entry = next((one.entry for one in entries if one.holds(path, scope, None)), None)
        return Refusal("boundary", entry.reason) if entry is not None else None

    return refuse


def replace_sites(
    planner: RulePlanner,
    document: Document,
    data: bytes,
    sites: Sequence[Site],
    style: Style,
    refused: Mapping[str, Refusal] = NOTHING,
) -> Replaced:
    """A file's sites planned, its text rewritten and proved; what cannot be made or proved stays.

    `refused` are sites that stay for a reason of their own, by their ids.
    """
    whole = refuse_file(document)
    if whole is not None:
        return Replaced((), stays(sites, whole))
    edits, skips = planner.plan(document, sites)
    if refused:
        edits, skips = _without(edits, skips, refused)
    outcome = rewrite_document(document, data, edits, style)
    spans = {site.span for site in sites}
    made = outcome.rewritten.edits if outcome.rewritten is not None else ()
    made = tuple(edit for edit in made if edit.span in spans)  # a site's other edits are its own affair
    left = {edit.id: edit for edit in edits if edit.span in spans}
    refused = {skip.id: Refusal(skip.reason, skip.detail) for skip in reversed(outcome.skips)}
    skips = [*skips, *(skip_of(left[id], refusal) for id, refusal in refused.items())]
    if outcome.rewritten is None:
        return Replaced((), tuple(skips))
    failed = prove(outcome.rewritten, style, old=document)
    if not failed:
        return Replaced(made, tuple(skips), outcome.rewritten)
    refusal = Refusal("unproved", f"{document.path} failed its proof: {failed[0].message}")
    return Replaced((), (*skips, *(skip_of(edit, refusal) for edit in made)), None, failed)


def _without(
    edits: Sequence[Edit], skips: Sequence[Skip], refused: Mapping[str, Refusal]
) -> tuple[list[Edit], list[Skip]]:
    """The same without edits that are refused, and without those that have one in their new text."""
    gone = [edit for edit in edits if edit.id in refused]
    around = [edit for edit in holders(edits, gone) if edit not in gone]
    inside = Refusal("uncertain-text", "a site inside of it stays")
    stay = [skip_of(edit, refused.get(edit.id, inside)) for edit in (*gone, *around)]
    return [edit for edit in edits if edit not in gone and edit not in around], [*skips, *stay]


def _file(
    planner: RulePlanner,
    path: str,
    data: bytes | Problem,
    sites: Sequence[Site],
    style: Style,
    refused: Mapping[str, Refusal],
) -> Replaced:
    document = data if isinstance(data, Problem) else read_document(path, data)
    if isinstance(document, Problem) or isinstance(data, Problem):
        assert isinstance(document, Problem)
        return Replaced((), stays(sites, Refusal("uncertain-text", f"{path} {document.message}")))
    return replace_sites(planner, document, data, sites, style, refused)


def _refuse_left(rule: Rule, plan: Plan, counts: Sequence[Change]) -> None:
    """Refuse a plan that does not do to the rule's count what it says."""
    change: Mapping[str, Change] = {each.rule: each for each in counts}
    found = change.get(rule.id)
    gone = found.before - found.after if found is not None else 0
    if gone < len(plan.edits):
        raise JudgeError(
            f"{plural(len(plan.edits), 'site')} of the rule {rule.id} had to go, and the rewritten files hold"
            f" {gone} fewer: what its codemod writes is counted by the rule itself; change the rule"
        )
