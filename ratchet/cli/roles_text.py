"""The roles of a tree as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ratchet.checking.roles import Shown
from ratchet.escape import display_path
from ratchet.frozen import replace
from ratchet.reach import Node
from ratchet.report.layout import not_judged
from ratchet.roles.model import Hop, Read, Report, Role, Unpublished, Unsafe
from ratchet.wording import plural

Place = Callable[[str], str]
"""What names a file of the tree, given by its path from the root, to whoever reads the text."""

_SHOWN = 5
_TABLE = " (any of a table)"
_RISKS = {
    "possible-read": "only a name suggests this read",
    "record-read": "reads the record, around the namespaces; moved, it needs the namespace",
    "computed-name": "the name of the field is computed",
    "whole-bag": "the namespace leaves as a whole",
    "unresolved-call": "whom this calls cannot be told",
    "unread-file": "the file cannot be judged",
}


def report_lines(shown: Shown, place: Place) -> Iterator[str]:
    """The lines of a report: each role, the processes that publish nothing, what could not be told."""
    report = shown.report
    assert report is not None
    for role in report.roles:
        yield from _role(role, place)
        yield ""
    yield from _unpublished(report.unpublished, place)
    yield from _untold(report, place)


def why_lines(shown: Shown, place: Place, role: str, namespace: str) -> Iterator[str]:
    """The lines of the ways from a role to the reads of a namespace."""
    for read in shown.reads:
        yield f"{display_path(read.access.code)} ({read.evidence})"
        yield f"  {way(read.way, place)}"
    total = len(shown.reads)
    yield f"{role} reaches {plural(total, 'read')} of {namespace}"


def way(hops: Iterable[Hop], place: Place) -> str:
    """A way: each place with its line, an arrow between two; what is picked out of a table is marked."""
    return " → ".join(_at(place, hop.node, hop.line) + (_TABLE if hop.table else "") for hop in hops)


def _role(role: Role, place: Place) -> Iterator[str]:
    where = ", ".join(_at(place, item.node, item.line) for item in role.publishes)
    yield f"{role.name}: publishes at {where}"
    yield f"  its own module reads  {_names(role.own)}"
    yield f"  its code reaches      {_names(role.names('reached'))}"
    possible = role.names("possible") - role.names("reached")
    if possible:
        yield f"  names suggest         {_names(possible)}"
    if role.observed is not None:
        yield f"  observed              {_names(role.observed)}"
        unseen = role.observed - role.names("reached")
        if unseen:
            yield f"    observed, and not reached: {_names(unseen)}"
    declared = (
        "nothing: the table has no entry"
        if not role.is_declared
        else "all"
        if role.declared is None
        else None
    )
    yield f"  declared              {declared or _names(role.declared or frozenset())}"
    if not role.complete:
        yield "  proposed              all: it reads every namespace, so its code was followed no further"
        return
    yield f"  proposed              {_names(role.proposed)}"
    for read in role.undeclared:
        yield f"  UNDECLARED {read.namespace}: {display_path(read.access.code)}"
        yield f"    {way(read.way, place)}"
    for read in role.early:
        yield f"  before it publishes, {read.namespace}: {display_path(read.access.code)}"
        yield f"    {way(read.way, place)}"
    yield from _unsafe(role.unsafe, place)


def _unsafe(items: Sequence[Unsafe], place: Place) -> Iterator[str]:
    by_risk: dict[str, list[Unsafe]] = {}
    for item in items:
        by_risk.setdefault(item.risk, []).append(item)
    if by_risk:
        yield "  what a set cannot answer for:"
    for risk, found in by_risk.items():
        needed = frozenset(item.namespace for item in found if item.namespace)
        yield f"    {len(found)} {risk}: {_RISKS[risk]}{f' ({_names(needed)})' if needed else ''}"
        for item in found[:_SHOWN]:
            yield f"      {display_path(place(item.path))}:{item.line}: {display_path(item.text)}"
        if len(found) > _SHOWN:
            yield f"      and {len(found) - _SHOWN} more: see --format json"


def _unpublished(found: Sequence[Unpublished], place: Place) -> Iterator[str]:
    if not found:
        return
    yield f"{plural(len(found), 'process publishes', 'processes publish')} nothing:"
    for item in found:
        node = item.process.node
        started = item.process.started
        by = f", started at {_at(place, started[0], started[1])}" if started else ""
        yield f"  {display_path(place(node.path))} {node.scope} ({item.process.via}{by})"
        for read in item.reads:
            yield from _silent(read, place)


def _silent(read: Read, place: Place) -> Iterator[str]:
    yield f"    reads {read.namespace} all the same ({read.evidence}): {display_path(read.access.code)}"
    yield f"      {way(read.way, place)}"


def _untold(report: Report, place: Place) -> Iterator[str]:
    for publish in report.unnamed:
        yield f"{_at(place, publish.node, publish.line)}: publishes under a role that is no constant"
    for node, line, target in report.targets:
        yield f"{_at(place, node, line)}: starts a process, and nobody can tell what {target} is"
    if report.unused:
        yield f"declared, and nothing publishes under it: {_names(report.unused)}"
    for problem in report.problems:
        yield "".join(text for text, _ in not_judged(replace(problem, path=place(problem.path)))).strip()
    yield from report.notes


def _at(place: Place, node: Node, line: int) -> str:
    return f"{display_path(place(node.path))}:{line}"


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
