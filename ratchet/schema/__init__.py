"""The record's fields: read from a tree without importing it, or from a snapshot in the pack."""

from __future__ import annotations

from ratchet.schema.difference import Difference, compare
from ratchet.schema.readers import ListFiles, ReadFile, tree_readers
from ratchet.schema.snapshot import decode, encode, load_snapshot, snapshot_versions
from ratchet.schema.sources import declared_schema, extract, schema_for, source_files
from ratchet.schema.table import parse_schema_table

__all__ = [
    "Difference",
    "ListFiles",
    "ReadFile",
    "compare",
    "declared_schema",
    "decode",
    "encode",
    "extract",
    "load_snapshot",
    "parse_schema_table",
    "schema_for",
    "snapshot_versions",
    "source_files",
    "tree_readers",
]
