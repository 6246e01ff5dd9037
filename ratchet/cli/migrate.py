"""`ratchet migrate`: what may move to the namespaces, and why every other site stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.options import PLAIN, Common, shared_options
from ratchet.cli.output import note, to_json
from ratchet.escape import display_path

if TYPE_CHECKING:
    from ratchet.checking.migration import Migration
    from ratchet.codemod.model import Edit, Rewritten, Skip


@click.command("migrate")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--namespace", "namespaces", multiple=True, metavar="NAME", help="The fields of a namespace. Repeatable."
)
@click.option("--all", "everything", is_flag=True, help="The fields of every namespace.")
@click.option("--field", "fields", multiple=True, metavar="NAME", help="Only this field. Repeatable.")
@click.option("--writes", is_flag=True, help="Move writes too, each with all readers that may move.")
@click.option("--parameters", is_flag=True, help="Move the reads of functions that are handed the record.")
@click.option("--chains", is_flag=True, help="Move the reads that borrow the record off another object.")
@click.option("--diff", "show_diff", is_flag=True, help="Show the changes line by line.")
@click.option("--explain", metavar="ID", help="Tell what becomes of one site, and why.")
@click.option("--check", is_flag=True, help="End with 1 where something can move.")
@shared_options(*PLAIN)
def migrate(
    common: Common,
    paths: tuple[str, ...],
    namespaces: tuple[str, ...],
    everything: bool,
    fields: tuple[str, ...],
    writes: bool,
    parameters: bool,
    chains: bool,
    show_diff: bool,
    explain: str | None,
    check: bool,
) -> int:
    """Plan how reads and writes of the record move to its namespaces: each site moves, or stays for a reason.

    Without PATHS it is the whole tree. Nothing is written. It ends with 0, with 1 under --check when
    something can move, with 2 for wrong arguments and with 3 when a file could not be judged.

    \b
    Example:
      ratchet migrate --namespace parallel
      ratchet migrate --namespace exec.moe --writes --diff srt/layers
      ratchet migrate --all --explain 3f9a0c
    """
    from ratchet.checking.migration import Request, plan_migration

    everything = everything or bool(explain and not (namespaces or fields))
    request = Request(namespaces, everything, fields, paths, writes, parameters, chains)
    rewritten: tuple[Rewritten, ...] = ()
    with common.session() as session:
        migration = plan_migration(session, request)
        if show_diff or check:  # what the rewriter refuses cannot move either
            from ratchet.checking.rewriting import rewrite_all

            migration, rewritten = rewrite_all(session, migration)

    def render(format: str, color: bool) -> str:
        if format == "json":
            return to_json(_json(migration))
        if explain:
            return _joined(_explained(migration, explain))
        lines = [*_diff(rewritten if show_diff else (), color), *_lines(migration)]
        return _joined(lines)

    common.output.write(render)
    for sentence in (*migration.plan.notes, *migration.notes):
        note(sentence)
    for problem in migration.census.problems:
        click.echo(f"{display_path(problem.path)}:{problem.line}: not judged: {problem.message}", err=True)
    if migration.census.problems or migration.census.found_nothing:
        return 3
    return 1 if check and migration.plan.edits else 0


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _explained(migration: Migration, id: str) -> Iterator[str]:
    from ratchet.codemod.ledger import find, told

    return (display_path(line) for line in told(find(migration.plan, id)))


# Text


def _lines(migration: Migration) -> Iterator[str]:
    """The plan as a table: by namespace, file and reason; then the reasons, and what rules will count."""
    from ratchet.codemod.ledger import reasons_of

    plan = migration.plan
    spaces: dict[str, dict[str, tuple[list[Edit], list[Skip]]]] = {}
    for edit in plan.edits:
        spaces.setdefault(edit.namespace, {}).setdefault(edit.path, ([], []))[0].append(edit)
    for skip in plan.skips:
        spaces.setdefault(skip.namespace or "", {}).setdefault(skip.path, ([], []))[1].append(skip)
    for space, files in sorted(spaces.items()):
        yield from _space(space or "no namespace", files)
        yield ""
    moving, staying = len(plan.edits), len(plan.skips)
    paths = len({edit.path for edit in plan.edits})
    yield f"{moving} {_of(moving, 'site')} in {paths} {_of(paths, 'file')} can move, {staying} stay"
    yield from (f"  {count:5}  {reason}" for reason, count in reasons_of(plan.skips).items())
    yield from (f"{change.rule}  {change.before} → {change.after}" for change in migration.baseline)


def _space(name: str, files: dict[str, tuple[list[Edit], list[Skip]]]) -> Iterator[str]:
    from ratchet.codemod.ledger import reasons_of

    moving = sum(len(edits) for edits, _ in files.values())
    staying = sum(len(skips) for _, skips in files.values())
    yield f"{name}: {moving} can move, {staying} stay"
    for path, (edits, skips) in sorted(files.items()):
        reasons = ", ".join(f"{reason} {count}" for reason, count in reasons_of(skips).items())
        parts = [f"{len(edits)} can move"] * bool(edits) + [f"{len(skips)} stay ({reasons})"] * bool(skips)
        yield f"  {display_path(path)}: {', '.join(parts)}"


def _of(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _diff(rewritten: Iterable[Rewritten], color: bool) -> Iterator[str]:
    from difflib import unified_diff

    for item in rewritten:
        old, new = (data.decode("utf-8", "replace").splitlines() for data in (item.old, item.new))
        name = display_path(item.path)
        for line in unified_diff(old, new, f"a/{name}", f"b/{name}", lineterm=""):
            yield _colored(display_path(line)) if color else display_path(line)


_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def _colored(line: str) -> str:
    return click.style(line, fg=_COLORS.get(line[:1]), bold=line.startswith(("+++", "---")))


# JSON


def _json(migration: Migration) -> dict[str, object]:
    plan, census = migration.plan, migration.census
    return {
        "version": 1,
        "verb": "migrate",
        "engine": migration.tree.engine,
        "edits": [_edit_json(edit) for edit in plan.edits],
        "skips": [_skip_json(skip) for skip in plan.skips],
        "baseline": [
            {"rule": change.rule, "before": change.before, "after": change.after}
            for change in migration.baseline
        ],
        "typecheck": {"status": "not run"},
        "notes": [*plan.notes, *migration.notes],
        "discovered": census.discovered,
        "analysed": census.analysed,
        "problems": [
            {"path": each.path, "line": each.line, "message": each.message} for each in census.problems
        ],
    }


def _edit_json(edit: Edit) -> dict[str, object]:
    return {
        "id": edit.id,
        "path": edit.path,
        "line": edit.span.line,
        "column": edit.span.column,
        "scope": edit.scope,
        "operation": edit.operation,
        "origin": edit.origin,
        "field": edit.field,
        "namespace": edit.namespace,
        "before": edit.before,
        "after": edit.after,
        "accessor": f"{edit.accessor.module}.{edit.accessor.name}",
        "note": edit.note,
    }


def _skip_json(skip: Skip) -> dict[str, object]:
    return {
        "id": skip.id,
        "path": skip.path,
        "line": skip.span.line,
        "column": skip.span.column,
        "scope": skip.scope,
        "operation": skip.operation,
        "origin": skip.origin,
        "field": skip.field,
        "namespace": skip.namespace,
        "before": skip.before,
        "reason": skip.reason,
        "detail": skip.detail,
    }
