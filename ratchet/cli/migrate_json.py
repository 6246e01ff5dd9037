"""A migration as JSON: its plan, and what was written of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ratchet.report.values import problems_json

if TYPE_CHECKING:
    from ratchet.checking.migrating import Done, Outcome
    from ratchet.checking.migration import Migration
    from ratchet.checking.typechecking import TypeCheck
    from ratchet.codemod.batches import Batch
    from ratchet.codemod.model import Edit, Parameter, Skip
    from ratchet.codemod.prediction import Change
    from ratchet.model import Site


def migration_json(migration: Migration, batches: Iterable[Batch | None] = ()) -> dict[str, object]:
    """A plan, of which nothing was written."""
    from ratchet.checking.typechecking import NOT_RUN

    return {
        **_head(migration, migration.plan.edits),
        "baseline": changes_json(migration.baseline),
        "new": sites_json(migration.new),
        "typecheck": typecheck_json(NOT_RUN),
        "slices": [_batch(batch) for batch in batches if batch is not None],
        **_tail(migration, ()),
    }


def outcome_json(outcome: Outcome) -> dict[str, object]:
    """A plan of which something was written: `edits` are those that were made."""
    written = [one for one in outcome.done if one.written and not one.written.held]
    edits = [edit for one in written for edit in one.prepared.edits]
    notes = [note for one in outcome.done if one.written for note in one.written.notes]
    return {
        **_head(outcome.migration, edits),
        "baseline": changes_json(outcome.counts),
        "new": sites_json(site for one in outcome.done if one.written for site in one.written.new),
        "typecheck": typecheck_json(outcome.typecheck),
        "written": [file.path for one in written for file in one.prepared.files],
        "failed": problems_json(problem for one in outcome.done for problem in one.prepared.failed),
        "slices": [_done(one) for one in outcome.done if one.batch is not None],
        "slices_left": outcome.left,
        **_tail(outcome.migration, notes),
    }


def _head(migration: Migration, edits: Iterable[Edit]) -> dict[str, object]:
    return {
        "engine": migration.tree.engine,
        "edits": [_edit_json(edit) for edit in edits],
        "skips": [_skip_json(skip) for skip in migration.plan.skips],
        "parameters": [_parameter_json(one) for one in migration.plan.parameters],
    }


def _tail(migration: Migration, notes: Iterable[str]) -> dict[str, object]:
    census = migration.census
    return {
        "notes": [*migration.plan.notes, *migration.notes, *notes],
        "discovered": census.discovered,
        "analysed": census.analysed,
        "problems": problems_json(census.problems),
    }


def changes_json(counts: Iterable[Change]) -> list[dict[str, object]]:
    """What rules count before and after."""
    return [{"rule": each.rule, "before": each.before, "after": each.after} for each in counts]


def sites_json(sites: Iterable[Site]) -> list[dict[str, object]]:
    """Sites that rules count afterwards only, where they stand before."""
    return [
        {
            "rule": site.rule,
            "path": site.path,
            "line": site.span.line,
            "column": site.span.column,
            "scope": site.scope,
            "code": site.code,
        }
        for site in sites
    ]


def typecheck_json(check: TypeCheck) -> dict[str, object]:
    """How a type check ended."""
    return {"status": check.status, "detail": check.detail, "sites": check.sites}


def _batch(batch: Batch) -> dict[str, object]:
    sites = [edit.id for edit in batch.edits]
    return {"key": batch.key, "number": batch.number, "sites": sites, "paths": list(batch.paths)}


def _done(one: Done) -> dict[str, object]:
    assert one.batch is not None
    counts = one.written.counts if one.written and not one.written.held else ()
    return {**_batch(one.batch), "baseline": changes_json(counts), "commit": one.commit}


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


def _parameter_json(one: Parameter) -> dict[str, object]:
    return {
        "path": one.path,
        "line": one.span.line,
        "function": one.function,
        "name": one.name,
        "dropped": one.kept is None,
        "reason": one.kept.reason if one.kept else None,
        "detail": one.kept.detail if one.kept else "",
        "places": [
            {"path": drop.path, "line": drop.span.line, "column": drop.span.column, "kind": drop.kind}
            for drop in one.drops
        ],
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
