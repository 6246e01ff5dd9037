"""Functions that are handed the record move as a whole: all of their reads of it, or none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ratchet.codemod.model import Refusal
from ratchet.codemod.ownership import CHANGES
from ratchet.codemod.sites import PlanSite
from ratchet.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Handed:
    """A site on a record that a function was handed, with what keeps it; `function` is the outermost one."""

    site: PlanSite
    function: str
    refusal: Refusal | None


def is_handed(site: PlanSite) -> bool:
    """Whether a site touches a record that its function was handed."""
    return site.access.root == "parameter" and site.access.origin != "global"


def hold_functions(sites: Iterable[Handed]) -> Mapping[str, Refusal]:
    """By id, why reads stay that could move by themselves: another site of their function does not."""
    by_path: dict[str, list[Handed]] = {}
    for one in sites:
        by_path.setdefault(one.site.path, []).append(one)
    return dict(pair for found in by_path.values() for pair in _held(found))


def _held(found: Iterable[Handed]) -> Iterator[tuple[str, Refusal]]:
    found = tuple(found)
    for function in {one.function for one in found if one.refusal is None}:
        inside = [one for one in found if _lies_in(one.site.access.scope, function)]
        stays = next((one for one in inside if one.refusal is not None), None)
        if stays is None or stays.refusal is None:
            continue
        place = f"{stays.site.access.code} on line {stays.site.access.span.line} stays"
        refusal = Refusal(
            "handed-parameter", f"{function} moves as a whole, and {place} ({stays.refusal.reason})"
        )
        for one in inside:
            if one.refusal is None and one.site.access.operation not in CHANGES:
                yield one.site.id, refusal


def _lies_in(scope: str, function: str) -> bool:
    return scope == function or scope.startswith(f"{function}.")
