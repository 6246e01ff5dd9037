"""Which schema a verb works on: that of a tree, or a snapshot in the pack."""

from __future__ import annotations

from pathlib import Path

from ratchet.errors import JudgeError, UsageError
from ratchet.model import Pack, Schema, SchemaSource
from ratchet.schema import declared_schema, load_snapshot, snapshot_versions, tree_readers
from ratchet.workspace import root_of


def schema_source(pack: Pack) -> SchemaSource:
    """Where the pack says the schema comes from. Raises JudgeError where it says nothing of it."""
    if pack.schema is None:
        raise JudgeError(
            f"the pack {pack.name} declares no [schema]: add it to {pack.folder}/pack.toml, or choose a pack"
            " with --pack"
        )
    return pack.schema


def read_schema(pack: Pack, which: str | None = None) -> Schema:
    """The schema of a folder, where there is one of that name, else the snapshot of that version.

    Where nothing is named it is the pack's default snapshot. Raises UsageError for a name that is neither.
    """
    source = schema_source(pack)
    if which is not None and Path(which).is_dir():
        return schema_of_tree(pack, Path(which))
    folder = Path(pack.folder) / source.snapshots
    known = snapshot_versions(folder)
    if which is not None and which not in known:
        listed = ", ".join(known) or "none"
        raise UsageError(f"no schema snapshot of {which}; there are: {listed}; others are folders of a tree")
    return load_snapshot(folder, which or source.default)


def schema_of_tree(pack: Pack, root: Path) -> Schema:
    """The schema that a tree declares. Raises JudgeError where it declares no fields at all."""
    source = schema_source(pack)
    place = root_of(root, pack.package)
    found = declared_schema(*tree_readers(place), source, Path(pack.folder))
    if found is None:
        looked = ", ".join(shape.path for shape in source.shapes)
        raise JudgeError(f"{place} declares no schema (looked for {looked}); name the tree with --root")
    return found
