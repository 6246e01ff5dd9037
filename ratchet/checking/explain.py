"""Why a line is counted or not: `ratchet explain PATH:LINE`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ratchet.analysis.facts import FileFacts
from ratchet.baseline.store import read_baseline
from ratchet.checking.places import path_in_tree
from ratchet.flow.model import Finding
from ratchet.frozen import dataclass, fields, replace
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Access, AccessMatch, Problem, Row, Rule, Schema, Site, Span
from ratchet.session import Session
from ratchet.tally import evidence_of_part
from ratchet.tree import Tree

Found = Sequence[tuple[str, Access]]
"""What rules about the whole tree find in a file: the id of a rule, and an access that it may count."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A site, and the row of its rule's baseline: None where that has none, or where there is no baseline."""

    site: Site
    row: Row | None
    has_baseline: bool


@dataclass(frozen=True, slots=True)
class Judged:
    """An access, the rules of accesses that count it, and why others do not (by rule id).

    Of rules about the whole tree, `others` names only those that find it: a filter or an exemption drops it.
    """

    access: Access
    counted_by: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LineExplained:
    """Everything about one line of a file; `path` is relative to the root.

    `parted` are the ends of fields on it that a flow rule counts, each with its other ends. `faults` keep
    rules from judging.
    """

    path: str
    line: int
    accesses: tuple[Judged, ...]
    sites: tuple[Counted, ...]
    problems: tuple[Problem, ...]
    parted: tuple[tuple[Rule, Finding], ...] = ()
    faults: tuple[str, ...] = ()


def explain_line(session: Session, path: str, line: int) -> LineExplained:
    """What a line holds and which rules count it. Raises UsageError for a file that is not in the tree."""
    here = path_in_tree(session, path)
    tree = session.part(session.work_tree([here]))
    evidence = evidence_of_part(tree, session.cache, session.place.jobs, session.work_tree, every_access=True)
    facts, joined = evidence.scan.facts.get(here, FileFacts()), evidence.joined.get(here, ())
    matcher = SiteMatcher(tree.rules, tree.schema, tree.engine)
    found = matcher.sites(here, facts.accesses, facts.copies, facts.matches, joined)
    on_line = tuple(access for access in facts.accesses if _covers(access.span, line))
    return LineExplained(
        here,
        line,
        tuple(_judged(access, here, tree, joined) for access in on_line),
        tuple(_with_rows(session, [site for site in found.sites if _covers(site.span, line)])),
        (facts.problem,) if facts.problem else (),
        _parted(session, here, line, joined),
        evidence.faults,
    )


def _parted(session: Session, path: str, line: int, joined: Found) -> tuple[tuple[Rule, Finding], ...]:
    """What flow rules count in a line, each with its other ends: those are looked for in the whole tree."""
    ids = {rule_id for rule_id, access in joined if _covers(access.span, line)}
    asked = [rule for rule in session.rules if rule.kind == "flow" and rule.id in ids]
    if not asked:
        return ()
    from ratchet.checking.flow import findings_in

    found = findings_in(session, asked, path)
    return tuple((rule, finding) for rule, finding in found if _covers(finding.end.access.span, line))


def why_not(rule: Rule, access: Access, path: str, schema: Schema, engine: str | None) -> str | None:
    """Why an access rule does not count an access; None where it does."""

    def counts(changed: Rule) -> bool:
        return bool(SiteMatcher([changed], schema, engine).sites(path, [access]).sites)

    if counts(rule):
        return None
    if not engine_applies(rule.engines, engine):
        return f"it is for engine versions {rule.engines}"
    anywhere = replace(rule, exempt=(), paths=())
    if not counts(anywhere):
        return "its filters do not match: " + ", ".join(_failing(anywhere, counts))
    if rule.paths and not path_filter(rule.paths)(path):
        return f"it looks at other paths only: {', '.join(rule.paths)}"
    reasons = [entry.reason for entry in rule.exempt if not counts(replace(anywhere, exempt=(entry,)))]
    return f"exempt: {'; '.join(reasons)}"


def _failing(rule: Rule, counts: Callable[[Rule], bool]) -> Iterator[str]:
    """The filters of a rule that do not let an access pass, each asked by itself."""
    match = rule.match
    assert isinstance(match, AccessMatch)
    nothing = AccessMatch()
    for field in fields(AccessMatch):
        value = getattr(match, field.name)
        if value == getattr(nothing, field.name) or field.name == "unit":
            continue
        if not counts(replace(rule, match=replace(nothing, **{field.name: value}))):
            shown = ", ".join(value) if isinstance(value, tuple) else str(value).lower()
            yield f"{field.name.replace('_', '-')} = {shown}"


def _judged(access: Access, path: str, tree: Tree, joined: Found) -> Judged:
    found = {rule_id for rule_id, other in joined if other == access}
    rules = filter(None, (_as_access_rule(rule, found) for rule in tree.rules))
    reasons = {rule.id: why_not(rule, access, path, tree.schema, tree.engine) for rule in rules}
    return Judged(
        access,
        tuple(rule for rule, reason in reasons.items() if reason is None),
        tuple((rule, reason) for rule, reason in reasons.items() if reason is not None),
    )


def _as_access_rule(rule: Rule, found: Collection[str]) -> Rule | None:
    """A rule of accesses; one about the whole tree that found an access goes by its filters, as any."""
    if rule.filters is None or (rule.kind != "access" and rule.id not in found):
        return None
    return replace(rule, match=rule.filters)


def _with_rows(session: Session, sites: Sequence[Site]) -> Iterator[Counted]:
    by_rule = {rule.id: rule for rule in session.rules}
    for site in sites:
        rule = by_rule[site.rule]
        baseline = read_baseline(session.place.baselines, rule) if rule.mode != "ban" else None
        rows: Iterable[Row] = baseline.rows if baseline else ()
        yield Counted(site, next((row for row in rows if row.key == site.key), None), baseline is not None)


def _covers(span: Span, line: int) -> bool:
    return span.line <= line <= span.end_line
