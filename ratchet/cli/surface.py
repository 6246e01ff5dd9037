"""`ratchet surface`: what an engine offers to code outside of it, release by release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, chosen_pack, output_options, pack_option
from ratchet.cli.output import Output, document, joined, shown_path
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.schema import ListFiles, ReadFile
    from ratchet.surface.model import Module

_format_option, _output_option = output_options(PLAIN)
Reports = tuple[tuple[str, Path], ...]


@click.group("surface")
def surface() -> None:
    """Record what an engine offers: its modules, their names, signatures and record fields.

    \b
    Example:
      ratchet surface show 0.5.20 sglang.srt.runtime_context
    """


@surface.command("record")
@click.argument("version")
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    help="The engine's tree, or a folder around it.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="The file; else the one of the pack."
)
@pack_option
@_format_option
@_output_option
def record_command(
    version: str, root: Path, out: Path | None, pack: str | None, form: str | None, output: Reports
) -> None:
    """Read a tree, without importing anything, and add it to the pack's releases as VERSION.

    A release of that version is replaced. The pack says which folders are read.

    \b
    Example:
      ratchet surface record 0.5.24 --root python/sglang
    """
    from ratchet.atomic import write_file
    from ratchet.surface import encode, load_history, read_release, with_release
    from ratchet.surface.encoding import version_key
    from ratchet.surface.extraction import source_of

    chosen = chosen_pack(pack, root)
    file = out or Path(chosen.folder) / source_of(chosen).history
    version_key(version)
    release = read_release(version, *tree_of(root, chosen.package), chosen)
    known = load_history(file) if file.exists() else ()
    write_file(file, encode(with_release(known, release)).encode())
    counts = {"modules": len(release.modules), "fields": len(release.fields)}

    def render(format: str, _color: bool) -> str:
        if format == "json":
            return document("surface record", {"file": str(file), "release": version, **counts})
        modules, fields = plural(counts["modules"], "module"), plural(counts["fields"], "field")
        return f"{shown_path(file)}: {version} has {modules} and {fields}\n"

    Output(form, output).write(render)


@surface.command("show")
@click.argument("version")
@click.argument("module", required=False)
@pack_option
@_format_option
@_output_option
def show_command(
    version: str, module: str | None, pack: str | None, form: str | None, output: Reports
) -> None:
    """Print the names of MODULE in VERSION, or the modules where none is named.

    \b
    Example:
      ratchet surface show 0.5.17 sglang.srt.server_args
    """
    from ratchet.errors import UsageError
    from ratchet.surface import load_history
    from ratchet.surface.extraction import source_of

    chosen = chosen_pack(pack)
    releases = load_history(Path(chosen.folder) / source_of(chosen).history)
    release = next((one for one in releases if one.engine == version), None)
    if release is None:
        known = ", ".join(one.engine for one in releases)
        raise UsageError(f"no release {version} is recorded; there are {known}")
    if module is not None and module not in release.modules:
        raise UsageError(f"{version} has no module {module}; `ratchet surface show {version}` lists them")
    held = None if module is None else release.modules[module]

    def render(format: str, _color: bool) -> str:
        if format == "json":
            told = {"modules": list(release.modules)} if held is None else _module_json(held)
            return document("surface show", {"release": version, "module": module, **told})
        return joined(release.modules if held is None else _lines(held))

    Output(form, output).write(render)


def tree_of(root: Path, package: str) -> tuple[ReadFile, ListFiles]:
    """The readers of the tree in a folder."""
    from ratchet.schema import tree_readers
    from ratchet.workspace import root_of

    return tree_readers(root_of(root, package))


def _lines(held: Module) -> Iterator[str]:
    for name in _names(held):
        mark = " (refuses)" if name in held.refusing else " (passed on)" if name in held.passed else ""
        yield f"{name}{_signature(held.signatures.get(name, ''))}{mark}"
        for member, sign in _members(held, name):
            yield f"  {member}{_signature(sign)}"
    if held.open:
        yield "(and what its __getattr__ answers)"


def _signature(text: str) -> str:
    """What stands behind a name: the parameters of a function, or how a class is made."""
    return text if not text or text.startswith("(") else f": {text}"


def _module_json(held: Module) -> dict[str, object]:
    return {
        "names": [
            {
                "name": name,
                "signature": held.signatures.get(name) or None,
                "passed": name in held.passed,
                "refuses": name in held.refusing,
                "members": [
                    {"name": member, "signature": sign or None} for member, sign in _members(held, name)
                ],
            }
            for name in _names(held)
        ],
        "open": held.open,
    }


def _names(held: Module) -> list[str]:
    return sorted(held.defined | held.passed)


def _members(held: Module, name: str) -> Iterator[tuple[str, str]]:
    """The members of a class, each with its signature."""
    for dotted, sign in held.signatures.items():
        if dotted.startswith(f"{name}."):
            yield dotted[len(name) + 1 :], sign
