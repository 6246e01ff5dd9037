"""`ratchet migrate --rule`: the sites of a rule that says itself what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ratchet.cli.migrate_json import changes_json, sites_json, typecheck_json
from ratchet.cli.migrate_options import Wanted
from ratchet.cli.migrate_text import diff_lines, migration_lines
from ratchet.cli.migrate_write import UNVERIFIED, checked_text, tell_unwritten
from ratchet.cli.options import Common
from ratchet.cli.output import Place, aside, document, joined, place_of
from ratchet.escape import display_path
from ratchet.report.layout import placed
from ratchet.report.values import problems_json
from ratchet.wording import plural

if TYPE_CHECKING:
    from ratchet.checking.preparing import Prepared
    from ratchet.checking.writing import Written


def migrate_rule(common: Common, wanted: Wanted) -> int:
    """Plan the codemod of a rule, show it, and with --write carry it out."""
    from ratchet.checking.preparing import LEFT_OUT
    from ratchet.checking.replacing import plan_rule
    from ratchet.checking.typechecking import NOT_RUN
    from ratchet.checking.writing import refuse_pending, refuse_unjudged, write

    assert wanted.rule is not None
    written: Written | None = None
    with common.session() as session:
        refuse_pending(session)
        place = place_of(session)
        checking = wanted.write and not wanted.no_typecheck
        unchecked = LEFT_OUT if wanted.write else NOT_RUN
        prepared = plan_rule(session, wanted.rule, wanted.paths, None if checking else unchecked)
        if wanted.write:
            refuse_unjudged(prepared.migration.census, "may hold sites of the rule")
        if wanted.write and prepared.typecheck.status != "unverified":
            written = write(session, prepared, wanted.allow_dirty, allow_new=wanted.allow_new)

    def render(format: str, color: bool) -> str:
        if format == "json":
            return document("migrate", _json(wanted.rule or "", prepared, written), session.root_name)
        return joined(_lines(wanted, prepared, written, color, place))

    common.output.write(render)
    return _end(wanted, prepared, written, place)


def _end(wanted: Wanted, prepared: Prepared, written: Written | None, place: Place) -> int:
    census = prepared.migration.census
    aside(prepared.migration.notes, census.problems, found_nothing=census.found_nothing, place=place)
    tell_unwritten(prepared, written, place)
    refused = written is not None and (written.refused or written.held)
    unverified = prepared.typecheck.status == "unverified"
    if census.problems or census.found_nothing or prepared.failed or refused or unverified:
        return 3
    return 1 if wanted.check and prepared.edits else 0


def _lines(
    wanted: Wanted, prepared: Prepared, written: Written | None, color: bool, place: Place
) -> Iterator[str]:
    from ratchet.codemod.ledger import find

    if wanted.explain:
        entry = find(prepared.migration.plan, wanted.explain)
        after = getattr(entry, "after", None)
        yield f"{entry.id}  {place(entry.path)}:{entry.span.line}:{entry.span.column}"
        yield f"  {display_path(entry.before)}"
        yield f"  in {entry.scope or 'the module'}"
        why = display_path(placed(_why(entry), place))
        yield f"  moves: {display_path(after)}" if after else f"  stays: {why}"
        return
    yield from diff_lines(prepared.files if wanted.show_diff else (), color, place)
    yield from migration_lines(prepared.migration, place)
    yield f"typecheck: {checked_text(prepared.typecheck)}" + ("" if wanted.write else " (--write runs it)")
    if prepared.typecheck.status == "unverified":
        yield UNVERIFIED
    if written is not None and not written.held:
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
    return {
        "rule": rule,
        "engine": migration.tree.engine,
        **places,
        "baseline": changes_json(migration.baseline),
        "new": sites_json(migration.new),
        "typecheck": typecheck_json(prepared.typecheck),
        "written": [file.path for file in prepared.files] if written is not None and not written.held else [],
        "failed": problems_json(prepared.failed),
        "notes": [*migration.notes, *(written.notes if written is not None else ())],
        "discovered": migration.census.discovered,
        "analysed": migration.census.analysed,
        "problems": problems_json(migration.census.problems),
    }
