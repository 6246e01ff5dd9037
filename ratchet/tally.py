"""The sites of every rule in a tree: scanned, matched, and remembered as a ready result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ratchet.cache import Cache
from ratchet.frozen import dataclass, replace
from ratchet.matching.engines import engine_applies
from ratchet.matching.entries import unmatched_entries
from ratchet.matching.places import common_exemptions
from ratchet.matching.sites import Joined, SiteMatcher, Used
from ratchet.model import Census, Problem, Rule, Site, Span
from ratchet.scan import Memory, Progress, Scan, Scanner, index_key
from ratchet.source.entries import Source
from ratchet.tree import Tree, plan_of

_Whole = Callable[[], tuple[Tree, Scan]]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run counted: the sites of each rule by its id, why a rule does not apply, and what was seen.

    `faults` keep the run from judging: scopes, exemptions and boundaries that match nothing.
    """

    sites: Mapping[str, tuple[Site, ...]]
    skipped: Mapping[str, str]
    census: Census
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many sites each rule has, by its id."""
        return {rule: len(sites) for rule, sites in self.sites.items()}


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a tree, or a part of one, holds: the facts of its files, and what rules about the whole tree find.

    `faults` keep those rules from judging.
    """

    scan: Scan
    joined: Joined
    faults: tuple[str, ...]


def tally(
    tree: Tree,
    cache: Cache,
    jobs: int,
    *,
    whole: Callable[[], Source] | None = None,
    progress: Progress | None = None,
    memory: Memory | None = None,
) -> Tally:
    """Count the sites of a tree's rules.

    Where the tree's source is only a part of it, `whole` opens all of it: a part is judged with what the last
    whole run learned of the other files, and where the cache holds nothing of that, with what they say now.
    """
    if whole is not None:
        return _counted(tree, evidence_of_part(tree, cache, jobs, whole, progress=progress, memory=memory))
    plan = plan_of(tree)
    exempt = common_exemptions(tree.rules, tree.engine)
    scanner = Scanner(plan, tree.source, cache, jobs, tree.root, progress, exempt, memory)
    return _tally_whole(tree, scanner, cache, plan.fingerprint)


def evidence_of_part(
    tree: Tree,
    cache: Cache,
    jobs: int,
    whole: Callable[[], Source],
    *,
    every_access: bool = False,
    progress: Progress | None = None,
    memory: Memory | None = None,
) -> Evidence:
    """What a part of a tree holds, `whole` being as in `tally`.

    With `every_access`, accesses too that no rule can count, as all exempt the file.
    """
    plan = plan_of(tree)
    exempt = common_exemptions(tree.rules, tree.engine)

    def scanner(source: Source, exempt: tuple[str, ...]) -> Scanner:
        return Scanner(plan, source, cache, jobs, tree.root, progress, exempt, memory)

    @lru_cache(1)
    def scan_whole() -> tuple[Tree, Scan]:
        source = whole()
        return replace(tree, source=source), scanner(source, exempt).scan()

    part = scanner(tree.source, () if every_access else exempt)
    index = part.known_index()
    scan = part.scan_part(scan_whole()[1].index if index is None else index)
    return _evidence(tree, scan, cache, plan.fingerprint, scan_whole)


def _tally_whole(tree: Tree, scanner: Scanner, cache: Cache, fingerprint: str) -> Tally:
    key = content_key("tally", tree, fingerprint, scanner.known_contents())
    known = _decoded(cache.get_result(key), tree) if key else None
    if known is not None:
        return known
    scan = scanner.scan()
    result = _counted(tree, _evidence(tree, scan, cache, fingerprint))
    key = content_key("tally", tree, fingerprint, scan.blobs)
    if key:
        cache.put_result(key, _encoded(result))
        cache.put_result(_last_key(tree, fingerprint), key)
    return result


def remember_as(tree: Tree, root: str, cache: Cache) -> None:
    """Remember what was counted of a whole tree under another root: that is where its files lie now."""
    plan = plan_of(tree)
    fingerprint = plan.fingerprint
    blobs = Scanner(plan, tree.source, cache, 1, tree.root).known_contents()
    if cache.get_result(_last_key(tree, fingerprint)) != content_key("tally", tree, fingerprint, blobs):
        return  # the last count under that root was of other contents
    for old, new in zip(_told(tree, fingerprint), _told(replace(tree, root=root), fingerprint), strict=True):
        text = cache.get_result(old)
        if text is not None:
            cache.put_result(new, text)


def _last_key(tree: Tree, fingerprint: str) -> str:
    """The name under which a cache says of what the last count of a whole tree was."""
    return f"counted {fingerprint} {tree.root}"


def _told(tree: Tree, fingerprint: str) -> tuple[str, ...]:
    """The names of what a count of a whole tree tells the counts of its parts."""
    from ratchet.flow.known import flows_key
    from ratchet.roles.restricted import roles_key

    return (
        index_key(fingerprint, tree.root),
        flows_key(tree, fingerprint),
        roles_key(tree, fingerprint),
    )


def _evidence(
    tree: Tree, scan: Scan, cache: Cache, fingerprint: str, whole: _Whole | None = None
) -> Evidence:
    parted = _out_of_step(tree, scan, cache, fingerprint, whole)
    refused, faults = _refused(tree, scan, cache, fingerprint, whole)
    paths = parted.keys() | refused.keys()
    joined = {path: (*parted.get(path, ()), *refused.get(path, ())) for path in paths}
    return Evidence(scan, joined, faults)


def _counted(tree: Tree, evidence: Evidence) -> Tally:
    scan, matcher = evidence.scan, SiteMatcher(tree.rules, tree.schema, tree.engine)
    sites: dict[str, list[Site]] = {rule.id: [] for rule in tree.rules}
    used: set[tuple[str, int]] = set()
    for path, facts in scan.facts.items():
        joined = evidence.joined.get(path, ())
        found = matcher.sites(path, facts.accesses, facts.copies, facts.matches, joined)
        used |= found.used
        for site in found.sites:
            sites[site.rule].append(site)
    return Tally(
        sites={rule: tuple(found) for rule, found in sites.items()},
        skipped=_skipped(tree.rules, tree.engine),
        census=scan.census,
        faults=(
            *evidence.faults,
            *(_unmatched(tree, scan, frozenset(used)) if scan.census.complete else ()),
        ),
        notes=(*scan.notes, *tree.schema.notes),
    )


# Rules about the whole tree: what looks for their sites is loaded only where one of them has work


def _out_of_step(tree: Tree, scan: Scan, cache: Cache, fingerprint: str, whole: _Whole | None) -> Joined:
    """What the rules of kind `flow` find."""
    if not tree.asking("flow") or not _touched(scan):
        return {}
    from ratchet.flow.known import flows_of_part, flows_of_whole
    from ratchet.flow.matching import out_of_step
    from ratchet.flow.sources import Sources

    if whole is None:
        flows = flows_of_whole(tree, scan, cache, fingerprint)
    else:
        scan_whole = whole
        flows = flows_of_part(tree, scan, cache, fingerprint, lambda: scan_whole()[1])
    return out_of_step(tree.rules, flows, Sources(tree.source.read), tree.engine, scan.facts.keys())


def _refused(
    tree: Tree, scan: Scan, cache: Cache, fingerprint: str, whole: _Whole | None
) -> tuple[Joined, tuple[str, ...]]:
    """What the rules of kind `role` find, and what keeps them from judging."""
    # In a whole tree a missing table of roles is a fault, whether or not anything is touched.
    if not tree.asking("role") or not (whole is None or _touched(scan)):
        return {}, ()
    from ratchet.roles.restricted import contradictions, remembered

    roles = None if whole is None else remembered(tree, cache, fingerprint)
    if roles is None:
        from ratchet.roles.known import restrictions_of

        roles = restrictions_of(whole()[0] if whole else tree, cache, fingerprint)
    accesses = {path: facts.accesses for path, facts in scan.facts.items()}
    return contradictions(tree, roles, accesses), roles.faults


def _touched(scan: Scan) -> bool:
    return any(facts.accesses for facts in scan.facts.values())


def _skipped(rules: Iterable[Rule], engine: str | None) -> dict[str, str]:
    return {
        rule.id: f"it is for engine versions {rule.engines}, and the tree is {engine}"
        for rule in rules
        if not engine_applies(rule.engines, engine)
    }


def _unmatched(tree: Tree, scan: Scan, used: Used) -> tuple[str, ...]:
    return unmatched_entries(tree.pack, scan.facts.keys(), used, tree.schema, tree.engine)


# The ready result


def content_key(kind: str, tree: Tree, fingerprint: str, blobs: Mapping[str, str]) -> str | None:
    """The name of a result of a kind for a whole tree; None where the content of a file is not known."""
    entries = tree.source.entries()
    if len(blobs) < len(entries):
        return None
    hashed = hashlib.sha256()
    for rule in tree.rules:
        hashed.update(f"{rule.id} {rule.fingerprint}\n".encode())
    for boundary in tree.pack.boundaries:  # those that match nothing are faults of the result
        hashed.update(f"{boundary}\n".encode())
    for problem in tree.source.listing.problems:
        hashed.update(f"{problem}\n".encode("utf-8", "surrogateescape"))
    content = "\n".join(f"{entry.path}\t{blobs[entry.path]}" for entry in entries)
    hashed.update(content.encode("utf-8", "surrogateescape"))
    return f"{kind} {fingerprint} {tree.engine} {hashed.hexdigest()}"


def _encoded(result: Tally) -> str:
    census = result.census
    return json.dumps(
        {
            "sites": {rule: [site_row(site) for site in sites] for rule, sites in result.sites.items()},
            "skipped": dict(result.skipped),
            "census": [census.discovered, census.analysed, census.judged_by_bytes],
            "problems": [[item.path, item.line, item.message] for item in census.problems],
            "faults": result.faults,
            "notes": result.notes,
        },
        separators=(",", ":"),
        check_circular=False,
    )


def _decoded(text: str | None, tree: Tree) -> Tally | None:
    if text is None:
        return None
    try:
        known = json.loads(text)
        problems = tuple(Problem(*item) for item in known["problems"])
        discovered, analysed, judged_by_bytes = known["census"]
        unjudged = {problem.path for problem in problems}
        judged = frozenset(entry.path for entry in tree.source.entries() if entry.path not in unjudged)
        return Tally(
            sites={
                rule: tuple(read_site(rule, row) for row in rows) for rule, rows in known["sites"].items()
            },
            skipped=known["skipped"],
            census=Census(discovered, analysed, judged_by_bytes, judged, True, problems),
            faults=tuple(known["faults"]),
            notes=tuple(known["notes"]),
        )
    except (ValueError, TypeError, KeyError):
        return None


def site_row(site: Site) -> list[Any]:
    """A site as a row of JSON, without its rule."""
    span = site.span
    return [
        site.path,
        [span.line, span.column, span.end_line, span.end_column],
        site.scope,
        site.code,
        site.operation,
        site.origin,
        site.form,
        site.field,
        site.namespace,
    ]


def read_site(rule: str, row: list[Any]) -> Site:
    """The site that a row was made of; a TypeError or IndexError for any other row."""
    return Site(rule, row[0], Span(*row[1]), *row[2:])
