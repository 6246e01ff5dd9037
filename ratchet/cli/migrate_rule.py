"""`ratchet migrate --rule`: the sites of a rule that says itself what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ratchet.cli.migrate_options import Wanted
from ratchet.cli.options import Common
from ratchet.cli.output import note, shown_path, to_json
from ratchet.cli.plan_text import diff_lines, joined, plan_lines
from ratchet.escape import display_path
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.preparing import Prepared
    from ratchet.checking.writing import Written


def migrate_rule(common: Common, wanted: Wanted) -> int:
    """Plan the codemod of a rule, show it, and with --write carry it out."""
    from ratchet.checking.replacing import plan_rule
    from ratchet.checking.writing import refuse_pending, write

    assert wanted.rule is not None
    written: Written | None = None
    with common.session() as session:
        refuse_pending(session)
        prepared = plan_rule(session, wanted.rule, wanted.paths)
        if wanted.write and not prepared.migration.census.problems:
            written = write(session, prepared, wanted.allow_dirty)

    def render(format: str, color: bool) -> str:
        if format == "json":
            return to_json(_json(wanted.rule or "", prepared, written))
        return joined(_lines(wanted, prepared, written, color))

    common.output.write(render)
    return _end(wanted, prepared, written)


def _end(wanted: Wanted, prepared: Prepared, written: Written | None) -> int:
    census = prepared.migration.census
    for sentence in written.notes if written is not None else ():
        note(sentence)
    for problem in census.problems:
        click.echo(f"{display_path(problem.path)}:{problem.line}: not judged: {problem.message}", err=True)
    for problem in prepared.failed:
        place = f"{display_path(problem.path)}:{problem.line}"
        click.echo(f"{place}: not written, its proof failed: {problem.message}", err=True)
    for path in written.refused if written is not None else ():
        click.echo(f"{shown_path(path)}: not written, it changed meanwhile", err=True)
    refused = written is not None and written.refused
    if census.problems or census.found_nothing or prepared.failed or refused:
        return 3
    return 1 if wanted.check and prepared.edits else 0


def _lines(wanted: Wanted, prepared: Prepared, written: Written | None, color: bool) -> Iterator[str]:
    from ratchet.codemod.ledger import find

    if wanted.explain:
        entry = find(prepared.migration.plan, wanted.explain)
        after = getattr(entry, "after", None)
        yield f"{entry.id}  {display_path(entry.path)}:{entry.span.line}:{entry.span.column}"
        yield f"  {display_path(entry.before)}"
        yield f"  in {entry.scope or 'the module'}"
        yield f"  moves: {display_path(after)}" if after else f"  stays: {display_path(_why(entry))}"
        return
    yield from diff_lines(prepared.files if wanted.show_diff else (), color)
    yield from plan_lines(prepared.migration)
    if written is not None:
        yield f"written: {plural(len(written.files), 'file')}, baselines included"
        yield "next: run your tests; `ratchet migrate --undo` takes it back"


def _why(entry: object) -> str:
    return f"{getattr(entry, 'reason', '')}: {getattr(entry, 'detail', '')}"


def _json(rule: str, prepared: Prepared, written: Written | None) -> dict[str, object]:
    migration = prepared.migration
    places = {
        "edits": [
            {
                "id": edit.id,
                "path": edit.path,
                "line": edit.span.line,
                "column": edit.span.column,
                "scope": edit.scope,
                "before": edit.before,
                "after": edit.after,
                "imports": [f"{item.module}.{item.name}" for item in edit.accessors],
            }
            for edit in prepared.edits
        ],
        "skips": [
            {
                "id": skip.id,
                "path": skip.path,
                "line": skip.span.line,
                "column": skip.span.column,
                "scope": skip.scope,
                "before": skip.before,
                "reason": skip.reason,
                "detail": skip.detail,
            }
            for skip in migration.plan.skips
        ],
    }
    failed = [(each.path, each.line, each.message) for each in prepared.failed]
    problems = [(each.path, each.line, each.message) for each in migration.census.problems]
    return {
        "version": 1,
        "verb": "migrate",
        "rule": rule,
        "engine": migration.tree.engine,
        **places,
        "baseline": [
            {"rule": each.rule, "before": each.before, "after": each.after} for each in migration.baseline
        ],
        "typecheck": {"status": "not run", "detail": "", "sites": 0},
        "written": [file.path for file in prepared.files] if written is not None else [],
        "failed": [dict(zip(("path", "line", "message"), each, strict=True)) for each in failed],
        "notes": [*migration.notes, *(written.notes if written is not None else ())],
        "discovered": migration.census.discovered,
        "analysed": migration.census.analysed,
        "problems": [dict(zip(("path", "line", "message"), each, strict=True)) for each in problems],
    }
