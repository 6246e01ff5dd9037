"""The ledger of a plan: every site once, under its id, with what becomes of it and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ratchet.codemod.model import Edit, Plan, Reason, Skip
from ratchet.codemod.reasons import explained
from ratchet.errors import UsageError
from ratchet.wording import plural

Entry = Edit | Skip


def entries_of(plan: Plan) -> tuple[Entry, ...]:
    """Edits and skips together, in order of path and position."""
    return tuple(sorted((*plan.edits, *plan.skips), key=_position))


def totals(plan: Plan) -> Mapping[str, int]:
    """How many sites each namespace has; those without one stand under the empty name."""
    counts: dict[str, int] = {}
    for entry in entries_of(plan):
        counts[entry.namespace or ""] = counts.get(entry.namespace or "", 0) + 1
    return dict(sorted(counts.items()))


def reasons_of(skips: Iterable[Skip]) -> Mapping[Reason, int]:
    """How many sites stay for each reason, the commonest first."""
    counts: dict[Reason, int] = {}
    for skip in skips:
        counts[skip.reason] = counts.get(skip.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def find(plan: Plan, id: str) -> Entry:
    """The entry of an id, or of the beginning of one. Raises UsageError where there is none, or several."""
    found = [entry for entry in entries_of(plan) if entry.id.startswith(id)] if id else []
    if not found:
        raise UsageError(f"no site has the id {id}; `ratchet migrate --all --format json` lists them")
    if len({entry.id for entry in found}) > 1:
        raise UsageError(f"{plural(len(found), 'site')} have ids that begin with {id}: give more of it")
    return found[0]


def told(entry: Entry) -> tuple[str, ...]:
    """What an entry says of its site, line by line."""
    field = ".".join(part for part in (entry.namespace, entry.field) if part) or "no field"
    head = (
        f"{entry.id}  {entry.path}:{entry.span.line}:{entry.span.column}",
        f"  {entry.before}",
        f"  {entry.operation} of {field}, {entry.origin}, in {entry.scope or 'the module'}",
    )
    if isinstance(entry, Skip):
        return (*head, f"  stays: {entry.reason}: {entry.detail}", f"  {explained(entry.reason).sentence}")
    note = (f"  note: {entry.note}",) if entry.note else ()
    return (*head, f"  moves: {entry.after}, from {entry.accessor.module}", *note)


def _position(entry: Entry) -> tuple[str, int, int, str]:
    return (entry.path, entry.span.line, entry.span.column, entry.field or "")
