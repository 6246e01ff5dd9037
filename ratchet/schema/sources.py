"""Which schema serves a tree: its own declarations, else the pack's default snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ratchet.frozen import replace
from ratchet.model import Schema, SchemaShape, SchemaSource
from ratchet.schema.readers import ListFiles, ReadFile
from ratchet.schema.snapshot import load_snapshot


def source_files(list_files: ListFiles, shapes: Sequence[SchemaShape]) -> tuple[str, ...]:
    """The paths of the files that declare the schema of a tree, sorted: what a cache of it is keyed by.

    All shapes count, because whether an earlier one applies is only known when it has been read.
    """
    paths = {path for shape in shapes for path in list_files(shape.path) if path.endswith(".py")}
    return tuple(sorted(paths))


def extract(read: ReadFile, list_files: ListFiles, shapes: Sequence[SchemaShape]) -> Schema | None:
    """The schema that a tree declares in the first shape it has, None where it has none of them.

    A tree that carries no marker at all gives fields without namespaces. Nothing is imported. Raises
    JudgeError where a file does not parse, a field has no namespace while others do, or a name is both
    leaf and group.
    """
    from ratchet.schema.extraction import extract_shape

    for shape in shapes:
        schema = extract_shape(read, list_files(shape.path), shape)
        if schema is not None:
            return schema
    return None


def declared_schema(
    read: ReadFile, list_files: ListFiles, source: SchemaSource, pack_folder: Path
) -> Schema | None:
    """The schema that a tree declares itself, None where it declares no fields.

    A tree that declares fields but no namespaces keeps its fields and takes their namespaces from the pack's
    default snapshot; notes say which fields only one of the two has. Raises JudgeError as `extract` and
    `load_snapshot` do.
    """
    own = extract(read, list_files, source.shapes)
    if own is None or any(field.namespace for field in own.fields.values()):
        return own
    return _with_namespaces(own, load_snapshot(pack_folder / source.snapshots, source.default))


def schema_for(read: ReadFile, list_files: ListFiles, source: SchemaSource, pack_folder: Path) -> Schema:
    """The tree's own schema as `declared_schema` gives it, else the pack's default snapshot.

    Raises JudgeError as `extract` and `load_snapshot` do.
    """
    own = declared_schema(read, list_files, source, pack_folder)
    if own is not None:
        return own
    snapshot = load_snapshot(pack_folder / source.snapshots, source.default)
    if not source_files(list_files, source.shapes):
        return snapshot
    note = f"the tree declares no fields in a shape that the pack knows; {snapshot.source} serves"
    return replace(snapshot, notes=(*snapshot.notes, note))


def _with_namespaces(own: Schema, snapshot: Schema) -> Schema:
    origin = snapshot.source
    fields = {
        name: replace(field, namespace=snapshot.namespace_of(name)) for name, field in own.fields.items()
    }
    notes = [*own.notes, f"the tree declares fields without namespaces; these come from {origin}"]
    only_own = ", ".join(name for name in own.fields if name not in snapshot.fields)
    if only_own:
        notes.append(f"fields that {origin} lacks, and that so have no namespace: {only_own}")
    only_snapshot = ", ".join(name for name in snapshot.fields if name not in own.fields)
    if only_snapshot:
        notes.append(f"fields of {origin} that the tree lacks: {only_snapshot}")
    return Schema(f"{own.source}, namespaces of {origin}", fields, tuple(notes))
