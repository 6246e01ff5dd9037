"""`ratchet upgrade`: what a newer engine breaks in a tree that uses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratchet.cli.group import debug_option
from ratchet.cli.options import PLAIN, output_options, pack_option
from ratchet.cli.output import Output, to_json
from ratchet.escape import display_path
from ratchet.frozen import replace
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.upgrade.model import Finding, Upgrade

_FORMAT, _OUTPUT = output_options(PLAIN)


@click.command("upgrade")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "old", required=True, metavar="VERSION|TREE", help="The engine that the code is for.")
@click.option("--to", "new", required=True, metavar="VERSION|TREE", help="The engine that it is to run on.")
@pack_option
@click.option("--write", is_flag=True, help="Rewrite the imports that have surely moved.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the changes line by line.")
@click.option("--both", is_flag=True, help="Keep the code working with both engines: imports in a `try`.")
@click.option("--allow-dirty", is_flag=True, help="Write although the repository has changes.")
@click.option("--undo", is_flag=True, help="Take back what the last --write changed.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave these paths out. Repeatable.")
@_FORMAT
@_OUTPUT
@debug_option
def upgrade(
    paths: tuple[str, ...],
    old: str,
    new: str,
    pack: str | None,
    write: bool,
    show_diff: bool,
    both: bool,
    allow_dirty: bool,
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
    """
    from ratchet.cli.plan_text import diff_lines
    from ratchet.cli.schema import load_pack
    from ratchet.upgrade.judge import Judge
    from ratchet.upgrade.releases import releases_between
    from ratchet.upgrade.run import find_files, read_file, run
    from ratchet.upgrade.write import plan, undo_last, write_all

    if undo:
        click.echo(f"taken back: {plural(undo_last(Path.cwd()), 'file')}")
        return 0
    chosen = load_pack(pack)
    judge = Judge(releases_between(chosen, old, new), chosen)
    files, problems = find_files(paths, Path.cwd(), exclude)
    found = run(judge, files, problems, read_file)

    planned = plan(found, files, judge.old if both else None) if write or show_diff else None
    rewritten = planned.rewritten if planned else ()
    if write and planned is not None:
        write_all(planned, Path.cwd(), allow_dirty)
        found = replace(run(judge, files, problems, read_file), rewritten=planned.names)
    if planned is not None:
        found = replace(found, problems=(*found.problems, *planned.problems))

    def render(format: str, color: bool) -> str:
        if format == "json":
            return to_json(_json(found))
        shown = diff_lines(rewritten, color) if show_diff else ()
        return "".join(f"{line}\n" for line in (*shown, *_lines(found)))

    Output(form, output).write(render)
    for problem in found.problems:
        click.echo(f"{display_path(problem.path)}:{problem.line}: not judged: {problem.message}", err=True)
    return found.exit_code


# Text


def _lines(found: Upgrade) -> Iterator[str]:
    for finding in found.findings:
        place = f"{display_path(finding.path)}:{finding.span.line}:{finding.span.column}"
        yield display_path(f"{place}: {finding.what}: {_becomes(finding, found)}")
    changes = Counter(finding.change for finding in found.findings if not finding.guarded)
    listed = ", ".join(f"{count} {change}" for change, count in sorted(changes.items())) or "nothing to do"
    guarded = sum(finding.guarded for finding in found.findings)
    rest = f", {guarded} guarded" if guarded else ""
    if found.rewritten:
        yield f"rewritten: {plural(len(found.rewritten), 'file')}"
    files = f"{found.analysed} of {plural(found.discovered, 'file')}"
    yield f"{found.old} to {found.new}: {listed}{rest}, in {files}"


def _becomes(finding: Finding, found: Upgrade) -> str:
    """What a finding says after its name."""
    words = {
        "gone": f"gone since {finding.since}",
        "moved": f"moved in {finding.since}",
        "refuses": f"only raises since {finding.since}",
        "changed": f"another kind of class since {finding.since}",
        "absent": f"neither {found.old} nor {found.new} has it",
        "unknown": "cannot be told",
    }
    parts = [words[finding.change]]
    if finding.guarded:
        parts[0] += " (guarded)"
    if finding.advice:
        parts.append(finding.advice)
    if finding.rewritable:
        parts[-1] += " [can be rewritten]"
    return "; ".join(parts)


# JSON


def _json(found: Upgrade) -> dict[str, object]:
    return {
        "version": 1,
        "verb": "upgrade",
        "from": found.old,
        "to": found.new,
        "findings": [_finding_json(finding) for finding in found.findings],
        "rewritten": list(found.rewritten),
        "discovered": found.discovered,
        "analysed": found.analysed,
        "problems": [
            {"path": each.path, "line": each.line, "message": each.message} for each in found.problems
        ],
        "exit_code": found.exit_code,
    }


def _finding_json(finding: Finding) -> dict[str, object]:
    return {
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "kind": finding.kind,
        "what": finding.what,
        "change": finding.change,
        "since": finding.since,
        "instead": finding.instead,
        "advice": finding.advice,
        "guarded": finding.guarded,
        "rewritable": finding.rewritable,
    }
