"""Reads a tree's declarations of the record's fields from its syntax trees; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from keyword import iskeyword

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.model import Field, Schema, SchemaShape
from ratchet.schema.readers import ReadFile

_NOT_FIELDS = frozenset({"ClassVar", "InitVar", "KW_ONLY"})
_LONGEST_LINE = 50_000


@dataclass(frozen=True, slots=True)
class _Declaration:
    """A field, and where it is declared: the class, and the file with the line."""

    field: Field
    owner: str
    where: str


_ReadOne = Callable[[ast.Module, str, SchemaShape], Iterator[_Declaration]]


def extract_shape(read: ReadFile, paths: Sequence[str], shape: SchemaShape) -> Schema | None:
    """The schema that the files `paths` declare in `shape`, None where they do not have that shape.

    Raises JudgeError for what `ratchet.schema.extract` names.
    """
    read_one = _marker_fields if shape.kind == "markers" else _class_fields
    found: list[_Declaration] = []
    for path in sorted(paths):
        data = read(path) if path.endswith(".py") else None
        if data is not None:
            found += _read_file(read_one, path, data, shape)
    if not found:
        return None
    declared, notes = _unique(found)
    if any(one.field.namespace for one in declared.values()):
        _refuse_unplaced(declared.values())
        _refuse_leaf_and_group(declared.values())
    return Schema(shape.path, {name: one.field for name, one in declared.items()}, notes)


def _read_file(read_one: _ReadOne, path: str, data: bytes, shape: SchemaShape) -> list[_Declaration]:
    try:
        return list(read_one(_parse(path, data), path, shape))
    except RecursionError:
        raise JudgeError(f"{path} declares the schema and is nested too deeply; simplify that file") from None


def _parse(path: str, data: bytes) -> ast.Module:
    # Python 3.10 dies of some lines that later versions refuse.
    if max(map(len, data.splitlines()), default=0) > _LONGEST_LINE:
        raise JudgeError(
            f"{path} declares the schema and has a line of over {_LONGEST_LINE:,} bytes; break it"
        )
    try:
        return ast.parse(data, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error) or type(error).__name__
        raise JudgeError(
            f"{path}:{line} declares the schema and does not parse: {reason}; fix that file"
        ) from None


def _marker_fields(tree: ast.Module, path: str, shape: SchemaShape) -> Iterator[_Declaration]:
    for owner in tree.body:
        if isinstance(owner, ast.ClassDef) and owner.name == shape.class_name:
            for statement, name in _annotated_names(owner):
                where = f"{path}:{statement.lineno}"
                annotation, metadata = _split(statement.annotation, shape.annotation)
                namespace = _marker(metadata, shape.marker, where)
                field = _field(name, annotation, statement.value, namespace, metadata)
                yield _Declaration(field, owner.name, where)


def _class_fields(tree: ast.Module, path: str, shape: SchemaShape) -> Iterator[_Declaration]:
    for owner in tree.body:
        if not isinstance(owner, ast.ClassDef):
            continue
        namespace = _path_attribute(owner, shape.marker, path)
        for statement, name in _annotated_names(owner):
            annotation, metadata = _split(statement.annotation, shape.annotation)
            # A class that neither is a namespace nor declares a field in the record's form is a helper.
            if name != shape.marker and (namespace or metadata):
                field = _field(name, annotation, statement.value, namespace, metadata)
                yield _Declaration(field, owner.name, f"{path}:{statement.lineno}")


def _annotated_names(owner: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, str]]:
    for statement in owner.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            annotation = statement.annotation
            head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
            if _last_name(head) not in _NOT_FIELDS:
                yield statement, statement.target.id


def _path_attribute(owner: ast.ClassDef, name: str, path: str) -> str | None:
    for statement in owner.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return _literal(getattr(statement, "value", None), f"{path}:{statement.lineno} {name}")
    return None


def _split(annotation: ast.expr, alias: str) -> tuple[ast.expr, list[ast.expr]]:
    """The type and the metadata of an annotation; no metadata where it is not `Annotated`."""
    if (
        isinstance(annotation, ast.Subscript)
        and isinstance(annotation.slice, ast.Tuple)
        and _last_name(annotation.value) in (alias, "Annotated")
    ):
        first, *rest = annotation.slice.elts
        return first, rest
    return annotation, []


def _marker(metadata: Iterable[ast.expr], name: str, where: str) -> str | None:
    for item in metadata:
        if isinstance(item, ast.Call) and _last_name(item.func) == name:
            values = [*item.args, *(keyword.value for keyword in item.keywords)]
            return _literal(values[0] if len(values) == 1 else None, f"{where} {name}(...)")
    return None


def _literal(value: ast.expr | None, where: str) -> str:
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value):
        raise JudgeError(f"{where} must hold a namespace as a literal string; write it out there")
    if not all(part.isidentifier() and not iskeyword(part) for part in value.value.split(".")):
        raise JudgeError(
            f"{where} holds {value.value!r}, which is no namespace; write names with dots between"
        )
    return value.value


def _field(
    name: str, annotation: ast.expr, default: ast.expr | None, namespace: str | None, metadata: list[ast.expr]
) -> Field:
    # Python 3.10 unparses a lambda without parameters as `lambda :`, later versions do not.
    written = None if default is None else ast.unparse(default).replace("lambda :", "lambda:")
    return Field(name, _type_text(annotation), written, namespace, _help(metadata))


def _type_text(annotation: ast.expr) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return " ".join(annotation.value.split()) or "''"
    return ast.unparse(annotation)


def _help(metadata: Iterable[ast.expr]) -> str:
    for item in metadata:
        keywords = item.keywords if isinstance(item, ast.Call) else []
        for value in [item, *(keyword.value for keyword in keywords if keyword.arg == "help")]:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                return value.value
            if isinstance(value, (ast.JoinedStr, ast.BinOp)):
                return ast.unparse(value)
    return ""


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _unique(found: Iterable[_Declaration]) -> tuple[dict[str, _Declaration], tuple[str, ...]]:
    """The last declaration of each field by name, with a note where a class declares one twice."""
    last: dict[str, _Declaration] = {}
    notes: list[str] = []
    for one in found:
        name = one.field.name
        before = last.get(name)
        if before is not None and before.owner != one.owner:
            raise JudgeError(
                f"{name} is declared in two namespaces, {before.field.namespace} ({before.where}) and "
                f"{one.field.namespace} ({one.where}); remove one of them"
            )
        if before is not None:
            notes.append(f"{name} is declared twice, at {before.where} and {one.where}; the last wins")
        last[name] = one
    return last, tuple(notes)


def _refuse_unplaced(declared: Iterable[_Declaration]) -> None:
    unplaced = ", ".join(f"{one.field.name} ({one.where})" for one in declared if not one.field.namespace)
    if unplaced:
        raise JudgeError(f"fields without a namespace, where others have one: {unplaced}; give each its own")


def _refuse_leaf_and_group(declared: Iterable[_Declaration]) -> None:
    places = {f"{one.field.namespace}.{one.field.name}": one.where for one in declared}
    groups: set[str] = set()
    for one in declared:
        parts = (one.field.namespace or "").split(".")
        groups.update(".".join(parts[:end]) for end in range(1, len(parts) + 1))
    clashes = ", ".join(f"{path} ({places[path]})" for path in sorted(groups & places.keys()))
    if clashes:
        raise JudgeError(f"both a field and a group of fields: {clashes}; rename one of the two")
