"""The roles of a tree as JSON, of `ratchet/schemas/roles.schema.json`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ratchet import __version__
from ratchet.checking.roles import Shown
from ratchet.reach import Node, Publish
from ratchet.report.values import problems_json
from ratchet.roles.model import Read, Report, Role, Unpublished, Unsafe


def document(shown: Shown, root: Path, why: tuple[str, str] | None) -> dict[str, object]:
    """The whole document: of a report, or of the reads of one namespace by one role."""
    head: dict[str, object] = {
        "version": 1,
        "tool": {"name": "ratchet", "version": __version__},
        "verb": "roles",
        "root": str(root),
    }
    report = shown.report
    body = (
        _report(report)
        if report
        else {"why": list(why or ()), "reads": [_read(item) for item in shown.reads]}
    )
    seen = shown.census.problems
    known = {item.path for item in seen}
    extra = [item for item in (report.problems if report else ()) if item.path not in known]
    problems = problems_json([*seen, *extra])
    return {**head, **body, "problems": problems, "exit_code": shown.exit_code}


def _report(report: Report) -> dict[str, object]:
    sets = report.sets
    return {
        "sets": {"path": sets[0], "line": sets[1]} if sets else None,
        "roles": [_role(role) for role in report.roles],
        "unused": list(report.unused),
        "unpublished": [_unpublished(item) for item in report.unpublished],
        "unnamed": [_publish(item) for item in report.unnamed],
        "targets": [{**_place(node, line), "target": text} for node, line, text in report.targets],
        "notes": list(report.notes),
    }


def _role(role: Role) -> dict[str, object]:
    return {
        "name": role.name,
        "publishes": [_publish(item) for item in role.publishes],
        "complete": role.complete,
        "own": sorted(role.own),
        "reached": sorted(role.names("reached")),
        "possible": sorted(role.names("possible")),
        "observed": _names(role.observed),
        "is_declared": role.is_declared,
        "declared": _names(role.declared),
        "proposed": sorted(role.proposed),
        "reads": [_read(item) for item in role.reads],
        "undeclared": [_read(item) for item in role.undeclared],
        "early": [_read(item) for item in role.early],
        "unsafe": [_unsafe(item) for item in role.unsafe],
    }


def _names(names: Iterable[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _read(read: Read) -> dict[str, object]:
    return {
        "namespace": read.namespace,
        "evidence": read.evidence,
        "code": read.access.code,
        "field": read.access.field,
        "way": [_place(hop.node, hop.line) for hop in read.way],
        "tables": [number for number, hop in enumerate(read.way) if hop.table],
    }


def _unsafe(item: Unsafe) -> dict[str, object]:
    return {
        "risk": item.risk,
        "path": item.path,
        "line": item.line,
        "text": item.text,
        "namespace": item.namespace,
    }


def _unpublished(item: Unpublished) -> dict[str, object]:
    process = item.process
    started = process.started
    return {
        "path": process.node.path,
        "scope": process.node.scope,
        "via": process.via,
        "started": _place(*started) if started else None,
        "reads": [_read(read) for read in item.reads],
    }


def _publish(item: Publish) -> dict[str, object]:
    return _place(item.node, item.line)


def _place(node: Node, line: int) -> dict[str, object]:
    return {"path": node.path, "scope": node.scope, "line": line}
