"""`ratchet schema`: the record's fields, as a tree or a snapshot declares them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, chosen_pack, output_options, pack_option
from ratchet.cli.output import Output, aside, document, joined
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.model import Field, Schema
    from ratchet.schema import Difference

_format_option, _output_option = output_options(PLAIN)
Reports = tuple[tuple[str, Path], ...]

_root_option = click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The tree, or a folder around it.",
)


@click.group("schema")
def schema() -> None:
    """Show the record's fields: their types, defaults and namespaces.

    \b
    Example:
      ratchet schema diff 0.5.17 0.5.18
    """


@schema.command("extract")
@_root_option
@pack_option
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write a snapshot to this file.")
@_format_option
@_output_option
def extract_command(
    root: Path | None, pack: str | None, out: Path | None, form: str | None, output: Reports
) -> None:
    """Read every field that a tree declares, without importing anything.

    \b
    Example:
      ratchet schema extract --root python/sglang --out 0.5.24.tsv
    """
    from ratchet.checking.schemas import schema_of_tree

    found = schema_of_tree(chosen_pack(pack, root), root or Path())
    aside(found.notes)
    if out is None:
        _show("schema extract", found, Output(form, output))
        return
    from ratchet.atomic import write_file
    from ratchet.schema import encode

    write_file(out, encode(found).encode())
    click.echo(f"{out}: {plural(len(found.fields), 'field')}")


@schema.command("show")
@click.argument("which", metavar="[VERSION|TREE]", required=False)
@_root_option
@pack_option
@_format_option
@_output_option
def show_command(
    which: str | None, root: Path | None, pack: str | None, form: str | None, output: Reports
) -> None:
    """Print the fields of a snapshot or a tree, namespace by namespace.

    Without an argument: those of the tree that --root names, else the pack's default snapshot.

    \b
    Example:
      ratchet schema show 0.5.17 --format json
    """
    from ratchet.checking.schemas import read_schema, schema_of_tree

    chosen = chosen_pack(pack, root)
    found = read_schema(chosen, which) if which or root is None else schema_of_tree(chosen, root)
    aside(found.notes)
    _show("schema show", found, Output(form, output))


@schema.command("diff")
@click.argument("old", metavar="VERSION|TREE")
@click.argument("new", metavar="VERSION|TREE")
@pack_option
@_format_option
@_output_option
def diff_command(old: str, new: str, pack: str | None, form: str | None, output: Reports) -> None:
    """Show which fields were added, removed, moved between namespaces, or retyped.

    \b
    Example:
      ratchet schema diff 0.5.17 ./python/sglang
    """
    from ratchet.checking.schemas import read_schema
    from ratchet.schema import compare

    chosen = chosen_pack(pack)
    schemas = [read_schema(chosen, which) for which in (old, new)]
    for found in schemas:
        aside(found.notes)
    difference = compare(*schemas)

    def render(format: str, _color: bool) -> str:
        if format == "json":
            sources = {"old": schemas[0].source, "new": schemas[1].source}
            return document("schema diff", {**sources, **_difference_json(difference)})
        return joined(_difference_lines(difference))

    Output(form, output).write(render)


def _show(verb: str, found: Schema, output: Output) -> None:
    def render(format: str, _color: bool) -> str:
        if format == "json":
            fields = [_field_json(field) for field in found.fields.values()]
            return document(verb, {"source": found.source, "notes": list(found.notes), "fields": fields})
        return joined(_lines(found))

    output.write(render)


def _lines(found: Schema) -> Iterator[str]:
    for path, fields_there in _by_namespace(found).items():
        yield f"{path or 'without a namespace'}: {len(fields_there)}"
        yield from (f"  {_declared(field)}" for field in fields_there)
    yield f"{plural(len(found.fields), 'field')}, from {found.source}"


def _by_namespace(found: Schema) -> dict[str, list[Field]]:
    grouped: dict[str, list[Field]] = {}
    for field in found.fields.values():
        grouped.setdefault(field.namespace or "", []).append(field)
    return dict(sorted(grouped.items()))


def _declared(field: Field) -> str:
    default = "" if field.default is None else f" = {field.default}"
    return f"{field.name}: {field.type}{default}"


def _field_json(field: Field) -> dict[str, str | None]:
    return {
        "name": field.name,
        "namespace": field.namespace,
        "type": field.type,
        "default": field.default,
        "help": field.help or None,
    }


def _difference_json(difference: Difference) -> dict[str, object]:
    return {
        "added": [_field_json(field) for field in difference.added],
        "removed": [_field_json(field) for field in difference.removed],
        "moved": _pairs_json(difference.moved),
        "retyped": _pairs_json(difference.retyped),
    }


def _pairs_json(pairs: Iterable[tuple[Field, Field]]) -> list[dict[str, dict[str, str | None]]]:
    return [{"old": _field_json(old), "new": _field_json(new)} for old, new in pairs]


def _difference_lines(difference: Difference) -> Iterator[str]:
    sections = {
        "added": [f"{field.namespace}: {_declared(field)}" for field in difference.added],
        "removed": [f"{field.namespace}: {_declared(field)}" for field in difference.removed],
        "moved": [f"{new.name}: {old.namespace} -> {new.namespace}" for old, new in difference.moved],
        "retyped": [f"{new.name}: {old.type} -> {new.type}" for old, new in difference.retyped],
    }
    for title, rows in sections.items():
        yield f"{title}: {len(rows)}"
        yield from (f"  {row}" for row in rows)
