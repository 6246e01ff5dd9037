"""`ratchet stubs`: writes the typed stubs of the target library for a tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, chosen_pack, output_options, pack_option
from ratchet.cli.output import Output, aside, document, joined

if TYPE_CHECKING:
    from ratchet.model import Pack, Schema
    from ratchet.stubs import Stubs

_format_option, _output_option = output_options(PLAIN)


@click.command("stubs")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The tree, or a folder around it.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where to write."
)
@click.option("--engine", metavar="VERSION", help="The snapshot to take where no tree is named.")
@pack_option
@_format_option
@_output_option
def stubs(
    root: Path | None,
    out: Path,
    engine: str | None,
    pack: str | None,
    form: str | None,
    output: tuple[tuple[str, Path], ...],
) -> None:
    """Write stubs in which every wrong namespace, leaf, keyword, value type or bare store is a type error.

    Put OUT on the path of a type checker. Engine classes that cannot be resolved become Any, and are listed.

    \b
    Example:
      ratchet stubs --root python/sglang --out build/stubs
    """
    from ratchet.checking.schemas import read_schema, schema_of_tree, schema_source
    from ratchet.stubs import write_stubs

    chosen = chosen_pack(pack, root)
    version = engine or (None if root else schema_source(chosen).default)
    schema = schema_of_tree(chosen, root) if root else read_schema(chosen, version)
    made = _generate(chosen, schema, root, version)
    written = write_stubs(made, out)
    _show(made, [*schema.notes, *made.notes], written, Output(form, output))


def _generate(pack: Pack, schema: Schema, root: Path | None, version: str | None) -> Stubs:
    from ratchet.schema import tree_readers
    from ratchet.stubs import generate_stubs, read_templates
    from ratchet.workspace import root_of

    templates = read_templates(Path(pack.folder))
    modules: dict[str, bytes] = {}
    if root is not None:
        read, _ = tree_readers(root_of(root, pack.package))
        for path in templates:
            source = read(path.removeprefix(f"{pack.package}/").removesuffix(".pyi") + ".py")
            if source is not None:
                modules[path] = source
    return generate_stubs(schema, pack.namespaces, templates, modules, version)


def _show(made: Stubs, notes: list[str], written: tuple[Path, ...], output: Output) -> None:
    def render(format: str, _color: bool) -> str:
        if format == "json":
            unresolved = [{"field": field, "classes": classes} for field, classes in made.unresolved]
            files = [path.as_posix() for path in written]
            return document("stubs", {"files": files, "unresolved": unresolved, "notes": notes})
        told = (f"Any, because {classes} is not resolved: {field}" for field, classes in made.unresolved)
        return joined((*map(str, written), *told))

    output.write(render)
    aside(notes)
