"""`ratchet init`: what a project needs to begin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import document

if TYPE_CHECKING:
    from ratchet.checking.scaffold import Scaffold


@click.command("init")
@click.option("--package", metavar="NAME", help="The package to watch, where several could be meant.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@shared_options(*PLAIN)
def init(common: Common, package: str | None, dry_run: bool) -> int:
    """Write ratchet.toml, a starter pack with one rule, and a folder for baselines; nothing is overwritten.

    It prints what it leaves to you: a hook for pre-commit, a CI workflow, and the merge driver.

    \b
    Example:
      ratchet init --dry-run
      ratchet init --package shop && ratchet adopt --all
    """
    from ratchet.checking.scaffold import plan_scaffold, write_scaffold

    root = common.options.root
    scaffold = plan_scaffold(Path.cwd(), package, root)
    if not dry_run:
        write_scaffold(scaffold)

    def render(format: str, _color: bool) -> str:
        return _json(scaffold, dry_run) if format == "json" else _text(scaffold, dry_run)

    common.output.write(render)
    return 0


def _text(scaffold: Scaffold, dry_run: bool) -> str:
    verb = "would write" if dry_run else "wrote"
    lines = [f"{verb} {path}" for path in scaffold.files]
    lines += [f"kept {path}, which is there already" for path in scaffold.kept]
    if dry_run:
        lines += [f"\n--- {path}\n{text.rstrip()}" for path, text in scaffold.files.items()]
    for title, text in scaffold.advice:
        lines += ["", f"{title}:", "", *(f"    {line}".rstrip() for line in text.splitlines())]
    return "\n".join(lines) + "\n"


def _json(scaffold: Scaffold, dry_run: bool) -> str:
    return document(
        "init",
        {
            "written": not dry_run,
            "files": dict(scaffold.files),
            "kept": list(scaffold.kept),
            "advice": dict(scaffold.advice),
        },
    )
