"""`ratchet surface`: what an engine offers to code outside of it, release by release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import chosen_pack, pack_option
from ratchet.cli.output import joined
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.schema import ListFiles, ReadFile
    from ratchet.surface import Release
    from ratchet.workspace import root_of


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
def record_command(version: str, root: Path, out: Path | None, pack: str | None) -> None:
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
    modules, fields = plural(len(release.modules), "module"), plural(len(release.fields), "field")
    click.echo(f"{file}: {version} has {modules} and {fields}")


@surface.command("show")
@click.argument("version")
@click.argument("module", required=False)
@pack_option
def show_command(version: str, module: str | None, pack: str | None) -> None:
    """Print the names of MODULE in VERSION, or the modules where none is named.

    \b
    Example:
      ratchet surface show 0.5.17 sglang.srt.server_args
    """
    from ratchet.cli.output import write_out
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
    lines = release.modules if module is None else _names(release, module)
    write_out(joined(lines))


def tree_of(root: Path, package: str) -> tuple[ReadFile, ListFiles]:
    """The readers of the tree in a folder."""
    from ratchet.schema import tree_readers

    return tree_readers(root_of(root, package))


def _names(release: Release, module: str) -> Iterator[str]:
    held = release.modules[module]
    for name in sorted(held.defined | held.passed):
        mark = " (refuses)" if name in held.refusing else " (passed on)" if name in held.passed else ""
        yield f"{name}{held.signatures.get(name, '')}{mark}"
        for member, sign in held.signatures.items():
            if member.startswith(f"{name}."):
                yield f"  {member[len(name) + 1 :]}{sign}"
    if held.open:
        yield "(and what its __getattr__ answers)"
