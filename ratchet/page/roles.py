"""The roles as the page holds them: a row a role, with the evidence of each read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ratchet.page.model import Missing
from ratchet.roles.model import Hop, Read, Report, Role, Unpublished


def roles_data(report: Report | Missing) -> dict[str, object]:
    """The roles, the processes that publish nothing, and what could not be told; or why nothing is known."""
    if isinstance(report, Missing):
        return {"missing": report.reason}
    return {
        "roles": [_role(role) for role in report.roles],
        "unpublished": [_unpublished(each) for each in report.unpublished],
        "problems": [f"{each.path}:{each.line}: not judged: {each.message}" for each in report.problems],
        "notes": [*_untold(report), *report.notes],
    }


def _role(role: Role) -> dict[str, object]:
    return {
        "name": role.name,
        "publishes": [f"{item.node.path}:{item.line}" for item in role.publishes],
        "own": sorted(role.own),
        "reached": sorted(role.names("reached")),
        "possible": sorted(role.names("possible") - role.names("reached")),
        "observed": None if role.observed is None else sorted(role.observed),
        "declared": _declared(role),
        "proposed": sorted(role.proposed) if role.complete else None,
        "undeclared": [_read(read) for read in role.undeclared],
        "early": [_read(read) for read in role.early],
        "reads": [_read(read) for read in role.reads],
        "unsafe": [[risk, count] for risk, count in Counter(item.risk for item in role.unsafe).items()],
    }


def _declared(role: Role) -> list[str] | str | None:
    """The declared set, `all`, or None where nothing is declared."""
    if not role.is_declared:
        return None
    return "all" if role.declared is None else sorted(role.declared)


def _read(read: Read) -> list[str]:
    return [read.namespace, read.evidence, " ".join(read.access.code.split()), _way(read.way)]


def _way(hops: Iterable[Hop]) -> str:
    return " → ".join(f"{hop.node.path}:{hop.line}{' (any of a table)' * hop.table}" for hop in hops)


def _unpublished(each: Unpublished) -> dict[str, object]:
    node = each.process.node
    return {
        "place": f"{node.path} {node.scope}".rstrip(),
        "via": each.process.via,
        "reads": [_read(read) for read in each.reads],
    }


def _untold(report: Report) -> list[str]:
    told = [
        f"{each.node.path}:{each.line}: publishes under a role that is no constant" for each in report.unnamed
    ]
    told += [
        f"{node.path}:{line}: starts a process, and nobody can tell what {target} is"
        for node, line, target in report.targets
    ]
    if report.unused:
        told.append(f"declared, and nothing publishes under it: {', '.join(sorted(report.unused))}")
    return told
