"""Sites in groups: by file, scope, field, origin or owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, get_args

from ratchet.checking.owning import owners_of
from ratchet.frozen import dataclass
from ratchet.model import Site
from ratchet.session import Session

By = Literal["file", "scope", "field", "origin", "owner"]
BY: tuple[By, ...] = get_args(By)

NONE = "(none)"
"""The group of the sites that have no such thing."""


@dataclass(frozen=True, slots=True)
class Group:
    """Sites that have something in common, by position."""

    name: str
    sites: tuple[Site, ...]


def group_sites(session: Session, sites: Iterable[Site], by: By) -> tuple[Group, ...]:
    """The sites in groups, the largest first; equally large ones by name."""
    name_of = _naming(session, by)
    groups: dict[str, list[Site]] = {}
    for site in sites:
        groups.setdefault(name_of(site) or NONE, []).append(site)
    made = [Group(name, tuple(found)) for name, found in groups.items()]
    return tuple(sorted(made, key=lambda group: (-len(group.sites), group.name)))


def _naming(session: Session, by: By) -> Callable[[Site], str | None]:
    if by == "owner":
        owner_of = owners_of(session)
        return lambda site: owner_of(site.path)
    return {
        "file": lambda site: site.path,
        "scope": lambda site: f"{site.path} {site.scope or '(module level)'}",
        "field": _field_of,
        "origin": lambda site: site.origin,
    }[by]


def _field_of(site: Site) -> str | None:
    return f"{site.namespace}.{site.field}" if site.namespace and site.field else site.field
