"""Small trees in memory, in both shapes in which a record's fields are declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ratchet.model import Schema, SchemaShape
from ratchet.schema import ListFiles, ReadFile, extract

MARKERS = SchemaShape("markers", "args.py", "NS", "A", "Args")
CLASSES = SchemaShape("classes", "fields", "_PATH", "A")
SHAPES = (CLASSES, MARKERS)


def readers(tree: Mapping[str, str | bytes]) -> tuple[ReadFile, ListFiles]:
    """The two readers of a tree that is a mapping of paths to texts."""

    def read(path: str) -> bytes | None:
        found = tree.get(path)
        return found.encode() if isinstance(found, str) else found

    def list_files(folder: str) -> Sequence[str]:
        return [path for path in tree if path == folder or path.startswith(f"{folder}/")]

    return read, list_files


def extract_from(tree: Mapping[str, str | bytes]) -> Schema | None:
    """The schema that a tree declares itself."""
    return extract(*readers(tree), SHAPES)


def rows(schema: Schema | None) -> list[tuple[str, str, str | None, str | None, str]]:
    """Name, type, default, namespace and help of each field, in order; nothing where there is no schema."""
    if schema is None:
        return []
    return [(f.name, f.type, f.default, f.namespace, f.help) for f in schema.fields.values()]


def marked(*lines: str) -> dict[str, str | bytes]:
    """A tree of the shape with markers, whose class has these lines."""
    return {"args.py": "@dataclass\nclass Args:\n" + "".join(f"    {line}\n" for line in lines)}


def classes(*lines: str, path: str | None = "parallel") -> dict[str, str | bytes]:
    """A tree of the shape with a class a namespace, whose one class has these lines."""
    head = f'    _PATH = "{path}"\n' if path else ""
    return {"fields/one.py": "class One(Struct):\n" + head + "".join(f"    {line}\n" for line in lines)}
