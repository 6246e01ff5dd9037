"""From the table of a tree to what its flow rules find, by rule and path."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ratchet.flow.model import End, Finding
from ratchet.flow.shapes import SHAPES
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.matching.engines import engine_applies
from ratchet.matching.sites import Joined
from ratchet.model import Access, FlowMatch, Rule


def findings_of(rule: Rule, flows: Flows, ends: Iterable[End], sources: Sources) -> tuple[Finding, ...]:
    """What a flow rule finds among some ends, before its filters and exemptions."""
    assert isinstance(rule.match, FlowMatch)
    return tuple(SHAPES[rule.match.shape](flows, ends, sources))


def out_of_step(
    rules: Iterable[Rule],
    flows: Flows,
    sources: Sources,
    engine: str | None,
    paths: Collection[str] | None = None,
) -> Joined:
    """The ends that the flow rules among `rules` find, in the files of `paths` or in all."""
    found: dict[str, list[tuple[str, Access]]] = {}
    ends = tuple(flows.all_ends(paths))
    for rule in rules:
        if rule.kind == "flow" and engine_applies(rule.engines, engine):
            for finding in findings_of(rule, flows, ends, sources):
                found.setdefault(finding.end.path, []).append((rule.id, finding.end.access))
    return {path: tuple(items) for path, items in found.items()}
