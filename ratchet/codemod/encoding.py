"""Plans as text, for the cache: a tree that did not change is not planned again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ratchet.codemod.inspection import Finding
from ratchet.codemod.model import Accessor, Drop, Edit, Parameter, Plan, Refusal, Skip
from ratchet.codemod.prediction import Change
from ratchet.model import Span

Row = list[Any]

VERSION = 9
"""Raised whenever the same accesses could give another plan than before."""


def encode_plan(
    plan: Plan, changes: Iterable[Change], findings: Mapping[str, Finding], new: Sequence[Row] = ()
) -> str:
    """The text of a plan, of what it does to the counts, and of what it was made of.

    `new` are rows for the sites that it makes rules count, as whoever counts writes them.
    """
    return json.dumps(
        [
            [_edit_row(edit) for edit in plan.edits],
            [_skip_row(skip) for skip in plan.skips],
            plan.notes,
            [[change.rule, change.before, change.after] for change in changes],
            [[id, *_finding_row(finding)] for id, finding in findings.items()],
            [_parameter_row(one) for one in plan.parameters],
            new,
        ],
        separators=(",", ":"),
        check_circular=False,
    )


def decode_plan(text: str) -> tuple[Plan, tuple[Change, ...], dict[str, Finding], list[Row]]:
    """What a text was made of; a ValueError, TypeError or IndexError where it is damaged."""
    edits, skips, notes, changes, findings, parameters, new = json.loads(text)
    plan = Plan(
        tuple(_edit(row) for row in edits),
        tuple(Skip(row[0], row[1], Span(*row[2]), *row[3:]) for row in skips),
        tuple(notes),
        tuple(_parameter(row) for row in parameters),
    )
    counts = tuple(Change(*row) for row in changes)
    return plan, counts, {id: _finding(row) for id, *row in findings}, list(new)


def _edit_row(edit: Edit) -> Row:
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
        [[item.module, item.name] for item in edit.uses] if edit.uses is not None else None,
        edit.kept,
        edit.own_name,
    ]


def _edit(row: Row) -> Edit:
    id, path, span, *traits, accessor, note, reading, reading_accessor, uses, kept, own_name = row
    other = Accessor(*reading_accessor) if reading_accessor is not None else None
    used = tuple(Accessor(*item) for item in uses) if uses is not None else None
    ranges = tuple((start, end) for start, end in kept)
    parts: Row = [id, path, Span(*span), *traits, Accessor(*accessor), note, reading, other]
    parts += [used, ranges, own_name]
    return Edit(*parts)


def _skip_row(skip: Skip) -> Row:
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


def _parameter_row(one: Parameter) -> Row:
    drops = [[drop.path, _span_row(drop.span), drop.kind, drop.only_keyword] for drop in one.drops]
    kept = [one.kept.reason, one.kept.detail] if one.kept else None
    return [one.path, _span_row(one.span), one.function, one.name, drops, kept]


def _parameter(row: Row) -> Parameter:
    path, span, function, name, drops, kept = row
    dropped = tuple(Drop(place, Span(*where), *how) for place, where, *how in drops)
    return Parameter(path, Span(*span), function, name, dropped, Refusal(*kept) if kept else None)


def _finding_row(finding: Finding) -> Row:
    refusal = finding.refusal
    return [[refusal.reason, refusal.detail] if refusal else None, finding.source, finding.function]


def _finding(row: Row) -> Finding:
    refusal, source, function = row
    return Finding(Refusal(*refusal) if refusal else None, source, function)


def _span_row(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]
