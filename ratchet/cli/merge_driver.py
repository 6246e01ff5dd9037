"""`ratchet merge-driver`: what git runs to merge two versions of a baseline."""

from __future__ import annotations

from pathlib import Path

import click

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command("merge-driver")
@click.argument("base", type=_FILE)
@click.argument("ours", type=_FILE)
@click.argument("theirs", type=_FILE)
@click.argument("path")
@click.pass_context
def merge_driver(context: click.Context, base: Path, ours: Path, theirs: Path, path: str) -> None:
    """Merge two versions of a baseline, row by row, since their common ancestor.

    Git calls it with the names of three files and of the baseline; the merged text replaces OURS. It exits
    with 1 where the versions were adopted for different versions of the rule, and leaves a conflict.

    \b
    Example, as `ratchet init` installs it:
      git config merge.ratchet.driver "ratchet merge-driver %O %A %B %P"
      echo "baselines/**/*.tsv merge=ratchet" >> .gitattributes
    """
    from ratchet.baseline.merge import drive

    conflict = drive(base, ours, theirs, path)
    if conflict:
        click.echo(f"ratchet merge-driver: {conflict}", err=True)
        context.exit(1)
