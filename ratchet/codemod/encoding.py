"""Plans as text, for the cache: a tree that did not change is not planned again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ratchet.codemod.inspection import Finding
from ratchet.codemod.model import Accessor, Edit, Plan, Refusal, Skip
from ratchet.codemod.prediction import Change
from ratchet.model import Span

VERSION = 3
"""Raised whenever the same accesses could give another plan than before."""


def encode_plan(plan: Plan, changes: Iterable[Change], findings: Mapping[str, Finding]) -> str:
    """The text of a plan, of what it does to the counts, and of what it was made of."""
    return json.dumps(
        [
            [_edit_row(edit) for edit in plan.edits],
            [_skip_row(skip) for skip in plan.skips],
            plan.notes,
            [[change.rule, change.before, change.after] for change in changes],
            [[id, *_finding_row(finding)] for id, finding in findings.items()],
        ],
        separators=(",", ":"),
        check_circular=False,
    )


def decode_plan(text: str) -> tuple[Plan, tuple[Change, ...], dict[str, Finding]]:
    """What a text was made of; a ValueError, TypeError or IndexError where it is damaged."""
    edits, skips, notes, changes, findings = json.loads(text)
    plan = Plan(
        tuple(_edit(row) for row in edits),
        tuple(Skip(row[0], row[1], Span(*row[2]), *row[3:]) for row in skips),
        tuple(notes),
    )
    return plan, tuple(Change(*row) for row in changes), {id: _finding(row) for id, *row in findings}


def _edit_row(edit: Edit) -> list[Any]:
    reading = edit.reading_accessor
    return [
        edit.id,
        edit.path,
        _span_row(edit.span),
        edit.scope,
        edit.operation,
        edit.origin,
        edit.field,
        edit.namespace,
        edit.before,
        edit.after,
        [edit.accessor.module, edit.accessor.name],
        edit.note,
        edit.reading,
        [reading.module, reading.name] if reading is not None else None,
    ]


def _edit(row: list[Any]) -> Edit:
    id, path, span, *traits, accessor, note, reading, reading_accessor = row
    other = Accessor(*reading_accessor) if reading_accessor is not None else None
    parts: list[Any] = [id, path, Span(*span), *traits, Accessor(*accessor), note, reading, other]
    return Edit(*parts)


def _skip_row(skip: Skip) -> list[Any]:
    return [
        skip.id,
        skip.path,
        _span_row(skip.span),
        skip.scope,
        skip.operation,
        skip.origin,
        skip.field,
        skip.namespace,
        skip.before,
        skip.reason,
        skip.detail,
    ]


def _finding_row(finding: Finding) -> list[Any]:
    refusal = finding.refusal
    return [[refusal.reason, refusal.detail] if refusal else None, finding.source, finding.function]


def _finding(row: list[Any]) -> Finding:
    refusal, source, function = row
    return Finding(Refusal(*refusal) if refusal else None, source, function)


def _span_row(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]
