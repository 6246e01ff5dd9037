"""Reads that a role's declared set leaves out: a namespace refuses them, where the record never did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ratchet.codemod.model import Refusal
from ratchet.codemod.ownership import CHANGES
from ratchet.codemod.sites import PlanSite
from ratchet.roles.restricted import Restricted


def refused_by_roles(
    sites: Iterable[PlanSite], roles: Iterable[Restricted]
) -> Iterator[tuple[PlanSite, Refusal]]:
    """The sites whose namespace is not for the code around them, each with the first role that refuses it.

    A write goes to the context, which asks for no role.
    """
    roles = tuple(roles)
    for site in sites:
        top = (site.access.namespace or "").partition(".")[0]
        if site.access.operation in CHANGES:
            continue
        role = next((role for role in roles if role.refuses(site.path, site.access, top)), None)
        if role is not None:
            yield site, Refusal("role-restricted", _evidence(role.role, top))


def _evidence(role: str, namespace: str) -> str:
    return (
        f"the processes of the role {role} run it, and its declared set leaves out the namespace {namespace}"
    )
