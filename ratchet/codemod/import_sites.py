"""Names in import statements that are to go: whether they do, and what keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ratchet.codemod.aliases import Binding, Dead, goes
from ratchet.codemod.model import Edit, Refusal
from ratchet.codemod.scopes import Occurrence
from ratchet.codemod.survey import Survey
from ratchet.syntax.document import Document


def imported(seen: Survey) -> Iterator[Binding]:
    """The bindings that were looked for in import statements."""
    for item in seen.aliases.values():
        yield item.scope.look_up(item.name) or item.scope, item.name


def staying(document: Document, seen: Survey, dead: Dead, edits: Iterable[Edit]) -> dict[str, Refusal]:
    """By the ids of edits whose imports are not among what is dead: why they stay."""
    gone = {id(alias) for _, names in dead.names.values() for alias in names}
    gone |= {id(place.statement) for place in dead.statements}
    refused: dict[str, Refusal] = {}
    for edit in edits:
        item = seen.aliases.get(edit.span)
        if item is not None and not _goes(item, gone):
            refused[edit.id] = Refusal("unsupported-form", _kept(document, seen, dead, item))
    return refused


def _goes(item: Occurrence, gone: set[int]) -> bool:
    return id(item.node) in gone or any(id(place.statement) in gone for place in item.place.chain())


def _kept(document: Document, seen: Survey, dead: Dead, item: Occurrence) -> str:
    owner = item.scope.look_up(item.name)
    for use in seen.uses(item.name, owner) if owner is not None else ():
        if not goes(document, dead, use):
            return f"`{item.name}` is still used on line {getattr(use.node, 'lineno', 0)}"
    return f"`{item.name}` may be there for others: they import it from here, or a comment says so"
