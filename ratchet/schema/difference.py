"""What changed from one schema to another."""

from __future__ import annotations

from ratchet.frozen import dataclass
from ratchet.model import Field, Schema


@dataclass(frozen=True, slots=True)
class Difference:
    """Fields that only the new or the old schema has, and those of both that moved or changed their type.

    A field that moved between namespaces and was retyped is in both tuples. All are sorted by name.
    """

    added: tuple[Field, ...]
    removed: tuple[Field, ...]
    moved: tuple[tuple[Field, Field], ...]
    retyped: tuple[tuple[Field, Field], ...]


def compare(old: Schema, new: Schema) -> Difference:
    """The difference of two schemas; defaults, help texts and order are not compared."""
    both = [(old.fields[name], new.fields[name]) for name in sorted(old.fields.keys() & new.fields.keys())]
    return Difference(
        added=tuple(new.fields[name] for name in sorted(new.fields.keys() - old.fields.keys())),
        removed=tuple(old.fields[name] for name in sorted(old.fields.keys() - new.fields.keys())),
        moved=tuple(pair for pair in both if pair[0].namespace != pair[1].namespace),
        retyped=tuple(pair for pair in both if pair[0].type != pair[1].type),
    )
