"""`ratchet upgrade`: what a newer engine breaks in a tree that uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.group import debug_option
from ratchet.cli.options import PLAIN, chosen_pack, output_options, pack_option
from ratchet.cli.output import Output, aside, document, joined, note
from ratchet.cli.restored import show_restored
from ratchet.frozen import replace

if TYPE_CHECKING:
    from ratchet.model import Problem
    from ratchet.upgrade.fate import Judge
    from ratchet.upgrade.model import Upgrade
    from ratchet.upgrade.run import File, Run

_FORMAT, _OUTPUT = output_options(PLAIN)


@click.command("upgrade")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "old", metavar="VERSION|TREE", help="The engine that the code is for.")
@click.option("--to", "new", metavar="VERSION|TREE", help="The engine that it is to run on.")
@pack_option
@click.option("--write", is_flag=True, help="Rewrite what surely has another spelling now.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the changes line by line.")
@click.option("--both", is_flag=True, help="Keep the code working with both engines.")
@click.option("--allow-dirty", is_flag=True, help="Write although the repository has changes.")
@click.option("--resume", is_flag=True, help="Finish a --write that was interrupted.")
@click.option("--undo", is_flag=True, help="Take back what the last --write changed.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave these paths out. Repeatable.")
@_FORMAT
@_OUTPUT
@debug_option
def upgrade(
    paths: tuple[str, ...],
    old: str | None,
    new: str | None,
    pack: str | None,
    write: bool,
    show_diff: bool,
    both: bool,
    allow_dirty: bool,
    resume: bool,
    undo: bool,
    exclude: tuple[str, ...],
    form: str | None,
    output: tuple[tuple[str, Path], ...],
) -> int:
    """Report what code that uses an engine names, and a newer engine no longer has or has elsewhere.

    Without PATHS it is the working directory. Nothing is imported or run. It ends with 0 when nothing is to
    be done, 1 with findings, 2 for wrong arguments and 3 when a file could not be judged. After --write it is
    what is left that counts.

    \b
    Example:
      ratchet upgrade --from 0.5.17 --to 0.5.20 src/my_plugin tests
      ratchet upgrade --from 0.5.17 --to 0.5.20 --both --write
      ratchet upgrade --undo
    """
    from ratchet.config import load_config
    from ratchet.errors import UsageError
    from ratchet.upgrade.fate import Judge
    from ratchet.upgrade.releases import releases_between
    from ratchet.upgrade.run import find_files
    from ratchet.upgrade.write import journal_of, refuse_interrupted, restore

    cwd = Path.cwd()
    if resume or undo:
        return show_restored(restore(cwd, resume), resume, Output(form, output), "upgrade", journal_of(cwd))
    if old is None or new is None:
        raise UsageError("name both engines: --from VERSION --to VERSION")
    refuse_interrupted(cwd)
    chosen = chosen_pack(pack)
    judge = Judge(releases_between(chosen, old, new), chosen)
    files, problems = find_files(paths, cwd, exclude, load_config(cwd))
    made = _run(judge, files, problems, both)
    found = _written(made, lambda: _run(judge, files, problems, both), allow_dirty) if write else made.found
    _show(found, made, show_diff, Output(form, output))
    return found.exit_code


def _show(found: Upgrade, made: Run, show_diff: bool, output: Output) -> None:
    def render(format: str, color: bool) -> str:
        from ratchet.cli.migrate_text import diff_lines
        from ratchet.cli.upgrade_report import upgrade_json, upgrade_lines

        if format == "json":
            return document("upgrade", upgrade_json(found))
        shown = diff_lines([item for _, item in made.rewritten], color) if show_diff else ()
        return joined((*shown, *upgrade_lines(found)))

    output.write(render)
    aside(problems=found.problems)


def _written(made: Run, again: Callable[[], Run], allow_dirty: bool) -> Upgrade:
    """Write what a run made; what is left then."""
    if not made.rewritten:
        return made.found
    _write(made, Path.cwd(), allow_dirty)
    left = again().found
    unproved = tuple(one for one in made.found.problems if one not in left.problems)
    names = tuple(item.path for _, item in made.rewritten)
    return replace(left, rewritten=names, problems=(*left.problems, *unproved))


def _run(judge: Judge, files: Sequence[File], problems: Sequence[Problem], both: bool) -> Run:
    from ratchet.progress import Progress
    from ratchet.upgrade.run import read_file, run

    with Progress("judging files", len(files)) as bar:
        return run(judge, files, problems, read_file, both, bar.advance)


def _write(made: Run, cwd: Path, allow_dirty: bool) -> None:
    from ratchet.errors import UsageError
    from ratchet.upgrade.write import refuse_interrupted, write_all

    try:
        write_all(made.rewritten, cwd, allow_dirty)
    except KeyboardInterrupt:
        try:
            refuse_interrupted(cwd)
        except UsageError as error:
            note(str(error))
        raise
