"""Who writes and who reads the fields of a tree: `ratchet flow`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ratchet.errors import JudgeError, UsageError
from ratchet.flow.known import flows_of_scan
from ratchet.flow.matching import findings_of
from ratchet.flow.model import Finding
from ratchet.flow.sources import Sources
from ratchet.flow.story import Counted, FieldStory, tell
from ratchet.flow.table import Flows, decode_accesses
from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Census, Rule, Site
from ratchet.pack.table import nearest
from ratchet.scan import Scanner
from ratchet.session import Session
from ratchet.tally import content_key
from ratchet.tree import Tree, plan_of


@dataclass(frozen=True, slots=True)
class FlowTable:
    """The fields of a tree that are touched at all, and what the run saw."""

    fields: tuple[FieldStory, ...]
    census: Census
    engine: str | None
    notes: tuple[str, ...] = ()


def flow_table(session: Session, field: str | None = None) -> FlowTable:
    """Every field that the tree touches, or one in full: with what runs at import, and who reads everything.

    Raises UsageError for a field that neither schema nor tree has, JudgeError where the pack has no record.
    """
    tree = session.tree(session.work_tree())
    if not tree.pack.objects:
        raise JudgeError(f"the pack {tree.pack.name} follows no record: declare an [[object]] in it")
    tally = session.count(tree)
    flows = _flows(session, tree)
    counted = _counted(tree.rules, tally.sites)
    if field is None:
        stories = tuple(tell(flows, None, name, counted, tree.pack) for name in flows.fields())
    else:
        known = {*flows.fields(), *tree.schema.fields}
        if field not in known:
            raise UsageError(f"no field is called {field}{nearest(field, known)}; `ratchet flow` lists them")
        stories = (tell(flows, Sources(tree.source.read), field, counted, tree.pack),)
    return FlowTable(stories, tally.census, tree.engine, tally.notes)


def findings_in(
    session: Session, rules: Iterable[Rule], path: str | None = None
) -> tuple[tuple[Rule, Finding], ...]:
    """What flow rules count in a file, or in the whole tree, each with its other ends."""
    tree = session.tree(session.work_tree())
    flows, sources = _flows(session, tree), Sources(tree.source.read)
    asked = [rule for rule in _flow_rules(rules) if engine_applies(rule.engines, tree.engine)]
    matcher = SiteMatcher(asked, tree.schema, tree.engine)
    ends = tuple(flows.all_ends(None if path is None else [path]))
    return tuple(
        (rule, finding)
        for rule in asked
        for finding in findings_of(rule, flows, ends, sources)
        if matcher.sites(finding.end.path, (), joined=[(rule.id, finding.end.access)]).sites
    )


def _counted(rules: Iterable[Rule], sites: Mapping[str, Sequence[Site]]) -> Counted:
    counted: dict[tuple[str, str | None], set[tuple[str, int]]] = {}
    for rule in _flow_rules(rules):
        paired = rule.filters is not None and rule.filters.unit == "path-field"
        for site in sites[rule.id]:
            line = 0 if paired else site.span.line
            counted.setdefault((site.path, site.field), set()).add((rule.id, line))
    return {key: frozenset(found) for key, found in counted.items()}


def _flow_rules(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.kind == "flow")


def _flows(session: Session, tree: Tree) -> Flows:
    """The table of a tree, out of the cache where no file changed."""
    plan = plan_of(tree, namespaces=True)
    scanner = Scanner(plan, tree.source, session.cache, session.place.jobs, tree.root, session.progress)
    key = content_key("flow-table", tree, plan.fingerprint, scanner.known_contents())
    text = session.cache.get_result(key) if key else None
    if text is not None:
        try:
            return Flows(decode_accesses(text, lambda field: True), tree.pack, tree.schema, tree.engine)
        except (ValueError, TypeError, KeyError, AttributeError):
            pass
    scan = scanner.scan()
    flows = flows_of_scan(tree, scan)
    key = content_key("flow-table", tree, plan.fingerprint, scan.blobs)
    if key:
        session.cache.put_result(key, flows.encode())
    return flows
