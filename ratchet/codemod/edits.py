"""What is written down of a site: the edit that moves it, or the skip that says why it stays."""

from __future__ import annotations

from ratchet.codemod.model import Accessor, Edit, Refusal, Skip
from ratchet.codemod.sites import PlanSite
from ratchet.codemod.spelling import Speller


def skip_of(site: PlanSite, refusal: Refusal) -> Skip:
    """The skip of a site that is refused."""
    access = site.access
    return Skip(
        site.id,
        site.path,
        access.span,
        access.scope,
        access.operation,
        access.origin,
        access.field,
        access.namespace,
        access.code,
        refusal.reason,
        refusal.detail,
    )


def read_edit(site: PlanSite, speller: Speller) -> Edit:
    """The edit of a site that reads a field: the field is read off its namespace."""
    access = site.access
    spelled = speller.read(access.namespace or "", access.field or "")
    assert spelled is not None, "the screen refuses what the pack cannot spell"
    after, note = spelled.code, ""
    if access.via == "builtin" and access.code.startswith("hasattr("):
        after = f"hasattr({spelled.code.rpartition('.')[0]}, {access.field!r})"
    elif access.via == "builtin" and access.code.count(",") > 1:
        note = "the default is dropped: the schema has the field"
    return _edit(site, after, spelled.accessor, note)


def write_edit(site: PlanSite, source: str, speller: Speller, note: str) -> Edit:
    """The edit of a site that writes a field: the call that overrides what is published, with its source."""
    access = site.access
    callee = speller.callee()
    reading = speller.read(access.namespace or "", access.field or "")
    assert callee is not None, "the screen refuses a write that the pack cannot spell"
    assert reading is not None, "the screen refuses what the pack cannot spell"
    after = f"{callee.code}({source})"
    return _edit(site, after, callee.accessor, note, reading.code, reading.accessor)


def _edit(
    site: PlanSite,
    after: str,
    accessor: Accessor,
    note: str,
    reading: str = "",
    reading_accessor: Accessor | None = None,
) -> Edit:
    access = site.access
    assert access.field is not None
    assert access.namespace is not None
    return Edit(
        site.id,
        site.path,
        access.span,
        access.scope,
        access.operation,
        access.origin,
        access.field,
        access.namespace,
        access.code,
        after,
        accessor,
        note,
        reading,
        reading_accessor,
    )
