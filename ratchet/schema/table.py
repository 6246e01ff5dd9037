"""The `[schema]` table of a pack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from ratchet.errors import JudgeError
from ratchet.model import SchemaShape, SchemaSource

_SHAPE_KEYS: dict[str, tuple[str, ...]] = {
    "markers": ("file", "class", "annotation", "marker"),
    "classes": ("folder", "path-attribute", "annotation"),
}


def parse_schema_table(table: Mapping[str, object], where: str) -> SchemaSource:
    """The schema source that a pack's `[schema]` table describes.

    `where` names the file in errors. Raises JudgeError for a missing, unknown or mistyped key.
    """
    _refuse_unknown(table, ("default", "snapshots", "shape"), f"{where}: [schema]")
    shapes = table.get("shape", [])
    if not isinstance(shapes, list):
        raise JudgeError(
            f"{where}: [[schema.shape]] must be an array of tables; write it as [[schema.shape]]"
        )
    return SchemaSource(
        default=_text(table, "default", f"{where}: [schema]"),
        snapshots=_text(table, "snapshots", f"{where}: [schema]"),
        shapes=tuple(_shape(shape, f"{where}: [[schema.shape]] {n}") for n, shape in enumerate(shapes, 1)),
    )


def _shape(table: object, where: str) -> SchemaShape:
    if not isinstance(table, Mapping):
        raise JudgeError(f"{where} must be a table; see the shapes in the shipped packs")
    kind = _text(table, "kind", where)
    keys = _SHAPE_KEYS.get(kind)
    if keys is None:
        raise JudgeError(f"{where}: kind is {kind!r}; write one of {', '.join(sorted(_SHAPE_KEYS))}")
    _refuse_unknown(table, ("kind", *keys), where)
    markers = kind == "markers"
    return SchemaShape(
        kind=cast(Literal["markers", "classes"], kind),
        path=_text(table, "file" if markers else "folder", where),
        marker=_text(table, "marker" if markers else "path-attribute", where),
        annotation=_text(table, "annotation", where) if "annotation" in table else "Annotated",
        class_name=_text(table, "class", where) if markers else "",
    )


def _text(table: Mapping[str, object], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value:
        raise JudgeError(f"{where}: {key} must be a string that is not empty; add it")
    return value


def _refuse_unknown(table: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise JudgeError(f"{where}: unknown key {key!r}; the keys are {', '.join(known)}")
