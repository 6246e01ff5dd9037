"""Facts as JSON text, compact, for the cache and between processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from ratchet.analysis.facts import Exports, FileFacts
from ratchet.analysis.values import Atom, Bag, Context, Function, Getter, Plain, Record, Value, View
from ratchet.model import Access, Match, Problem, Span

_Row = list[Any]  # a JSON array; its shape is known only to the pair of functions that write and read it


def encode_facts(facts: FileFacts) -> str:
    """The text of a file's facts."""
    return json.dumps(
        [
            [access_row(access) for access in facts.accesses],
            [_match_row(match) for match in facts.copies],
            [_match_row(match) for match in facts.matches],
            facts.imports,
            export_rows(facts.exports),
            None
            if facts.problem is None
            else [facts.problem.path, facts.problem.line, facts.problem.message],
            facts.parsed,
        ],
        separators=(",", ":"),
        check_circular=False,
    )


def decode_facts(text: str) -> FileFacts:
    """The facts that `encode_facts` wrote; a ValueError or TypeError where the text is something else."""
    accesses, copies, matches, imports, exports, problem, parsed = json.loads(text)
    return FileFacts(
        accesses=tuple(map(read_access, accesses)),
        copies=tuple(map(_match, copies)),
        matches=tuple(map(_match, matches)),
        imports=tuple(imports),
        exports=read_exports(exports),
        problem=Problem(*problem) if problem else None,
        parsed=parsed,
    )


def access_row(access: Access) -> _Row:
    """An access as a JSON array."""
    span = access.span
    return [
        [span.line, span.column, span.end_line, span.end_column],
        access.operation,
        access.origin,
        access.form,
        access.root,
        access.via,
        access.object,
        access.field,
        access.namespace,
        access.scope,
        access.code,
    ]


def read_access(row: _Row) -> Access:
    """The access that `access_row` wrote."""
    return Access(Span(*row[0]), *row[1:])


def _match_row(match: Match) -> _Row:
    span = match.span
    return [match.rule, [span.line, span.column, span.end_line, span.end_column], match.scope, match.code]


def _match(row: _Row) -> Match:
    return Match(row[0], Span(*row[1]), row[2], row[3])


def export_rows(exports: Exports) -> _Row:
    """Exports as JSON arrays, in a stable order."""
    return [
        [[name, _atoms(value)] for name, value in sorted(exports.names.items())],
        [[name, _atoms(value)] for name, value in sorted(exports.returns.items())],
        [[name, list(bases)] for name, bases in sorted(exports.bases.items())],
    ]


def read_exports(rows: _Row) -> Exports:
    """The exports that `export_rows` wrote."""
    names, returns, bases = rows
    return Exports(
        {name: _value(atoms) for name, atoms in names},
        {name: _value(atoms) for name, atoms in returns},
        {name: tuple(items) for name, items in bases},
    )


def _atoms(value: Value) -> _Row:
    return sorted(row for atom in value for row in _atom_rows(atom))


def _atom_rows(atom: Atom) -> Iterable[list[str]]:
    if isinstance(atom, Record):
        yield ["record", atom.object, atom.origin, atom.form, atom.root]
    elif isinstance(atom, Bag):
        yield ["bag", atom.path, atom.form, atom.root]
    elif isinstance(atom, Context):
        yield ["context", atom.accessor]
    elif isinstance(atom, Getter):
        yield ["getter", atom.kind, atom.target]
    elif isinstance(atom, Function):
        yield ["function", atom.name]
    elif isinstance(atom, View):
        record = atom.record
        yield ["view", "live" if atom.live else "", record.object, record.origin, record.form, record.root]
    elif isinstance(atom, Plain):
        yield [atom.value]


_READERS: dict[str, Callable[..., Atom]] = {
    "record": Record,
    "bag": Bag,
    "context": Context,
    "getter": Getter,
    "function": Function,
    "view": lambda live, *record: View(Record(*record), bool(live)),
}


def _value(rows: list[list[str]]) -> Value:
    return frozenset(_READERS[row[0]](*row[1:]) if row[0] in _READERS else Plain(row[0]) for row in rows)
