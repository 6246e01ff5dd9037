"""Entries of packs that have outlived themselves: those that match nothing, and those past their date."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.places import spans_files
from ratchet.matching.sites import Used
from ratchet.model import Exemption, Pack, Rule, Schema


def unmatched_entries(
    pack: Pack, paths: Collection[str], used: Used, schema: Schema | None, engine: str | None
) -> tuple[str, ...]:
    """A sentence for each scope, exemption and boundary that matches nothing in a whole tree.

    `paths` are all files of the tree, `used` the exemptions that applied in any of them. What is limited to
    other engine versions is left out.
    """
    places = _Places(paths)
    return tuple(_unmatched(pack, places, used, schema, engine))


def expired_entries(pack: Pack, today: str) -> tuple[str, ...]:
    """A sentence for each exemption and boundary whose date, as ISO dates compare, lies before `today`."""
    owned = [("a boundary of the pack", entry) for entry in pack.boundaries]
    owned += [(f"an exemption of {rule.id}", entry) for rule in pack.rules for entry in rule.exempt]
    return tuple(
        f"{owner} for {_shown(entry)} ended on {entry.until}{_owner(entry)}: remove it, or give it a new date"
        for owner, entry in owned
        if entry.until is not None and entry.until < today
    )


class _Places:
    """The files of a tree and the folders that hold them."""

    def __init__(self, paths: Collection[str]) -> None:
        self._paths = paths
        self._named = set(paths)
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in self._named:
                self._named.add(folder)
                folder = folder.rpartition("/")[0]

    def lacks(self, patterns: Iterable[str]) -> list[str]:
        """The patterns that no file belongs to."""
        return [pattern for pattern in patterns if not self._has(pattern)]

    def _has(self, pattern: str) -> bool:
        return pattern.rstrip("/") in self._named or any(map(path_filter([pattern]), self._paths))


def _unmatched(
    pack: Pack, places: _Places, used: Used, schema: Schema | None, engine: str | None
) -> Iterator[str]:
    for rule in pack.rules:
        if engine_applies(rule.engines, engine):
            yield from _unmatched_of_rule(rule, places, used, engine)
    for entry in pack.boundaries:
        if engine_applies(entry.engines, engine):
            for pattern in places.lacks(entry.paths):
                yield f"a boundary of the pack names {pattern}, where no file is: correct or remove it"
            for field in entry.fields if schema else ():
                if schema and field not in schema.fields:
                    yield f"a boundary of the pack names the field {field}, which the schema does not have"


def _unmatched_of_rule(rule: Rule, places: _Places, used: Used, engine: str | None) -> Iterator[str]:
    for pattern in places.lacks(rule.paths):
        yield f"{rule.file}: `paths` names {pattern}, where no file is: correct or remove it"
    for number, entry in enumerate(rule.exempt):
        if not engine_applies(entry.engines, engine):
            continue
        for pattern in places.lacks(entry.paths):
            yield f"{rule.file}: an exemption names {pattern}, where no file is: correct or remove it"
        if not spans_files(entry) and (rule.id, number) not in used:
            yield f"{rule.file}: the exemption of {_shown(entry)} keeps nothing from being counted: remove it"


def _shown(entry: Exemption) -> str:
    return ", ".join([*entry.paths, *entry.scopes, *entry.fields])


def _owner(entry: Exemption) -> str:
    known = ", ".join(part for part in (entry.owner, entry.issue) if part)
    return f" ({known})" if known else ""
