"""Schemas as text: the snapshots of a pack, and what a cache keeps of an extraction.

A header of `#` lines, then one field a line in the order of declaration: name, namespace, type and default,
between tabs. Plain text because it needs no parser to import, and a changed field is a changed line.
"""

from __future__ import annotations

from pathlib import Path

from ratchet.errors import JudgeError
from ratchet.model import Field, Schema

_FORMAT = "# ratchet schema 1"
_NOTE = "# note: "
_SUFFIX = ".tsv"


def encode(schema: Schema) -> str:
    """The schema as text, help texts left out; `decode` gives it back."""
    lines = [_FORMAT, *(_NOTE + " ".join(note.split()) for note in schema.notes)]
    lines += [
        "\t".join((field.name, field.namespace or "", field.type, field.default or ""))
        for field in schema.fields.values()
    ]
    return "\n".join(lines) + "\n"


def decode(text: str, source: str) -> Schema:
    """The schema that `encode` wrote. Raises JudgeError naming `source` and the line that it cannot read."""
    lines = text.splitlines()
    if not lines or lines[0] != _FORMAT:
        raise JudgeError(
            f"{source}: line 1 must be {_FORMAT!r}; write it again with `ratchet schema extract`"
        )
    fields: dict[str, Field] = {}
    for number, line in enumerate(lines[1:], 2):
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) != 4 or not cells[0] or not cells[2] or cells[0] in fields:
            raise JudgeError(
                f"{source}: line {number} must be a new name, namespace, type and default between tabs; "
                "write it again with `ratchet schema extract`"
            )
        name, namespace, type_, default = cells
        fields[name] = Field(name, type_, default or None, namespace or None)
    notes = tuple(line[len(_NOTE) :] for line in lines if line.startswith(_NOTE))
    return Schema(source, fields, notes)


def load_snapshot(folder: Path, version: str) -> Schema:
    """The snapshot of an engine version in `folder`. JudgeError lists the versions where there is none."""
    try:
        text = (folder / f"{version}{_SUFFIX}").read_text(encoding="utf-8")
    except (OSError, ValueError):
        known = ", ".join(snapshot_versions(folder)) or "none"
        raise JudgeError(f"{folder}: no schema snapshot of {version}; there are: {known}") from None
    return decode(text, f"snapshot {version}")


def snapshot_versions(folder: Path) -> tuple[str, ...]:
    """The versions that `folder` has snapshots of, oldest first."""
    versions = (path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))
    return tuple(sorted(versions, key=lambda version: [(len(part), part) for part in version.split(".")]))
