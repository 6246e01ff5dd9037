"""A plan cut into slices that can be reviewed, merged and taken back one by one.

What has to move together stays together: all sites of a field that is written (readers and writers would
part), all edits of one statement, and identical sites of one scope, which are one row of a baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from ratchet.codemod.model import Edit
from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.wording import plural

BatchBy = Literal["namespace", "owner", "directory"]
Position = tuple[str, int, int, str]
Unit = tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """One slice: the `key` that its edits share, its number among the slices of that key, and the edits."""

    key: str
    number: int
    edits: tuple[Edit, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it changes, in order."""
        return tuple(sorted({edit.path for edit in self.edits}))


def cut(
    edits: Iterable[Edit],
    by: BatchBy | None = None,
    owner_of: Callable[[str], str] = lambda _path: "",
    max_sites: int | None = None,
    max_files: int | None = None,
) -> tuple[Batch, ...]:
    """Return the slices of a plan, in order of key and position; together they hold every edit once.

    No slice has more than `max_sites` edits or `max_files` files: where what has to move together is more
    than that, a UsageError says what and how many. A file is divided only where it alone is too much.
    """
    for option, value in (("--max-sites", max_sites), ("--max-files", max_files)):
        if value is not None and value < 1:
            raise UsageError(f"{option} must be 1 or more, and is {value}")
    limits = _Limits(max_sites, max_files)
    ordered = sorted(units(edits), key=lambda unit: (_key(unit, by, owner_of), _position(unit[0])))
    made: list[Batch] = []
    for key, group in groupby(ordered, key=lambda unit: _key(unit, by, owner_of)):
        made += [
            Batch(key, number, _sorted(edit for unit in chosen for edit in unit))
            for number, chosen in enumerate(_packed(list(group), limits), 1)
        ]
    return tuple(made)


@dataclass(frozen=True, slots=True)
class _Limits:
    sites: int | None
    files: int | None

    def hold(self, units: Iterable[Unit]) -> bool:
        """Whether these units fit into one slice."""
        edits = [edit for unit in units for edit in unit]
        few_sites = self.sites is None or len(edits) <= self.sites
        return few_sites and (self.files is None or len({edit.path for edit in edits}) <= self.files)

    def require(self, unit: Unit) -> None:
        """Raise a UsageError for a unit that no slice can hold."""
        if not self.hold([unit]):
            files = plural(len({edit.path for edit in unit}), "file")
            fields = ", ".join(sorted({edit.field for edit in unit}))
            raise UsageError(
                f"{plural(len(unit), 'site')} in {files} have to move together (all of {fields});"
                " raise --max-sites and --max-files to as much, or leave out the field"
            )


def _packed(units: Sequence[Unit], limits: _Limits) -> Iterator[list[Unit]]:
    """Fill one slice after the other, file by file."""
    current: list[Unit] = []
    for file in _by_file(units):
        pieces = [file] if limits.hold(file) else [[unit] for unit in file]
        for piece in pieces:
            for unit in piece:
                limits.require(unit)
            if current and not limits.hold([*current, *piece]):
                yield current
                current = []
            current = [*current, *piece]
    if current:
        yield current


def _by_file(units: Sequence[Unit]) -> list[list[Unit]]:
    return [list(group) for _, group in groupby(units, key=lambda unit: unit[0].path)]


def _key(unit: Unit, by: BatchBy | None, owner_of: Callable[[str], str]) -> str:
    """What a unit is filed under: the first of its keys, where it has several."""
    if by == "namespace":
        return min(edit.namespace for edit in unit)
    if by == "owner":
        return min(owner_of(edit.path) for edit in unit)
    return min(edit.path.rpartition("/")[0] for edit in unit) if by == "directory" else ""


def units(edits: Iterable[Edit]) -> list[Unit]:
    """Return edits in groups that cannot be parted, in order of position in each."""
    listed = _sorted(edits)
    written = {edit.field for edit in listed if edit.operation == "write"}
    group_of: dict[object, int] = {}
    groups: dict[int, list[Edit]] = {}
    for number, edit in enumerate(listed):
        groups[number] = [edit]
        current = number
        for bond in _bonds(edit, written):
            other = group_of.get(bond, current)
            if other != current:
                low, high = min(other, current), max(other, current)
                groups[low] += groups.pop(high)
                for key, value in group_of.items():
                    if value == high:
                        group_of[key] = low
                current = low
            group_of[bond] = current
    return [_sorted(group) for group in groups.values()]


def _bonds(edit: Edit, written: set[str]) -> Iterator[object]:
    yield edit.path, edit.span
    yield edit.path, edit.scope, edit.before
    if edit.field in written:
        yield edit.field


def _position(edit: Edit) -> Position:
    return (edit.path, edit.span.line, edit.span.column, edit.id)


def _sorted(edits: Iterable[Edit]) -> Unit:
    return tuple(sorted(edits, key=_position))
