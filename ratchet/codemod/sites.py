"""The sites of a migration: the accesses to the record that its namespaces are to take over."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.analysis.facts import FileFacts
from ratchet.frozen import dataclass, field
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.places import common_exemptions
from ratchet.model import Access, Pack, Rule

_SLASH = re.compile("/")

OPERATIONS = frozenset({"read", "write", "mutate", "delete", "call"})
"""What a namespace takes over; an escape hands on the whole record, and a bag's own overrides are none."""


@dataclass(frozen=True, slots=True)
class PlanSite:
    """One access of a file, under an id that does not change when lines shift."""

    id: str
    path: str
    access: Access


@dataclass(frozen=True, slots=True)
class Selection:
    """Which sites are to move: those of the namespaces (all where none is named), fields and paths.

    `paths` are files and folders from the source root; without any it is the whole tree. `writes`,
    `parameters` and `chains` ask for what moves on request only; `delete_dead` deletes writes that nobody
    reads.
    """

    namespaces: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    writes: bool = False
    parameters: bool = False
    chains: bool = False
    delete_dead: bool = False
    _within: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_within", frozenset(self.paths))

    def takes(self, site: PlanSite) -> bool:
        """Whether the plan speaks of this site."""
        return self.takes_path(site.path) and self.takes_field(site.access.namespace, site.access.field)

    def takes_path(self, path: str) -> bool:
        """Whether a file lies in the paths."""
        if not self.paths or path in self._within:
            return True
        return any(path[: match.start()] in self._within for match in _SLASH.finditer(path))

    def takes_field(self, namespace: str | None, field: str | None) -> bool:
        """Whether a field of this namespace is selected. What has no namespace is, where all are."""
        if self.fields and field not in self.fields:
            return False
        if not self.namespaces:
            return True
        return namespace is not None and any(
            namespace == part or namespace.startswith(f"{part}.") for part in self.namespaces
        )


def sites_of(facts: Mapping[str, FileFacts], pack: Pack, engine: str | None) -> tuple[PlanSite, ...]:
    """Every site of a tree, in order of path and position.

    What lies in a boundary marked `outside` is no site: no code there uses the record.
    """
    outside = _outside(pack, engine)
    overrides = {item.id: item.override for item in pack.objects}
    return tuple(
        site
        for path, found in facts.items()
        if found.accesses and not outside(path)
        for site in _named(path, _taken(found.accesses, overrides))
    )


def spared_paths(pack: Pack, rules: Iterable[Rule], engine: str | None) -> tuple[str, ...]:
    """The files and folders whose accesses are no sites and count for no rule: they need no analysis."""
    return tuple(filter(_outside(pack, engine), common_exemptions(rules, engine)))


def _outside(pack: Pack, engine: str | None) -> Callable[[str], bool]:
    entries = [entry for entry in pack.boundaries if entry.outside and engine_applies(entry.engines, engine)]
    return path_filter([path for entry in entries for path in entry.paths])


def _taken(accesses: Iterable[Access], overrides: Mapping[str, str | None]) -> Iterator[Access]:
    """The accesses that are sites: the writes of an override call stand for the call itself."""
    for access in accesses:
        if access.origin == "namespace" or access.operation not in OPERATIONS or not access.object:
            continue
        if access.operation == "call" and access.field == overrides.get(access.object):
            continue
        yield access


def _named(path: str, accesses: Iterable[Access]) -> Iterator[PlanSite]:
    """Each access with its id: what it is and where, and which of several alike in one scope."""
    seen: dict[str, int] = {}
    for access in accesses:
        traits = (path, access.scope, access.operation, access.field or "", access.code)
        key = "\0".join(traits)
        count = seen[key] = seen.get(key, 0) + 1
        # A file's name may hold bytes that are no text.
        named = f"{key}\0{count}".encode("utf-8", "surrogateescape")
        yield PlanSite(hashlib.sha256(named).hexdigest()[:10], path, access)
