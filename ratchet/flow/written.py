"""The ways in which the ends of a field part that show in the text only: values, calls, and import time."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from ratchet.flow.model import End, Finding
from ratchet.flow.sources import Called, Sources, conditions, literal, written_value
from ratchet.flow.table import Flows
from ratchet.frozen import dataclass
from ratchet.model import Span
from ratchet.syntax.moments import Place

_KNOWN = r"""'[^'"\\\n]*'|"[^'"\\\n]*"|\d+|True|False|None"""
_GIVEN = re.compile(
    rf"""\s*(?::[^=]*)?=\s*(?=(?:(?P<known>{_KNOWN})\s*(?:[,)#\n]|$))?)"""
    r"""(?:['"\d(\[{+-]|[bBrRuU]{1,2}['"]|True\b|False\b|None\b)"""
)
_NEXT = 2
"""How many statements on "one call later" may be: the next one, or the one after a line between."""


def redundant_writes(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes of the value that is there already: the resolution's own, or the field's."""
    values = _Values(flows, sources)
    for end in ends:
        if end.access.operation != "write" or flows.places.resolves(end) or not values.may_be_plain(end):
            continue
        value = values.of(end)
        if value is None:
            continue
        read = values.read_at(end, value)
        if read is not None:
            yield Finding(end, (read,), "it writes the value that it reads")
        elif literal(value) is not None:
            maker = values.maker(end)
            if maker is not None:
                yield Finding(end, (maker,), "the resolution has already written this value where it applies")


@dataclass(frozen=True, slots=True)
class _Guarded:
    """The constant that a write gives its field (None: no constant), and the tests under which it does."""

    value: object
    tests: frozenset[str]


class _Values:
    """What writes put into their fields; each file and each field is looked at once."""

    def __init__(self, flows: Flows, sources: Sources) -> None:
        self._flows = flows
        self._sources = sources
        self._reads: dict[str, dict[Span, End]] = {}
        self._fields: dict[str, dict[Span, str]] = {}
        self._lines: dict[str, dict[str | None, list[int]]] = {}
        self._later: dict[str, frozenset[object]] = {}
        self._said_before: dict[str, frozenset[str | None]] = {}
        self._made: dict[str, tuple[tuple[End, _Guarded | None], ...]] = {}

    def may_be_plain(self, end: End) -> bool:
        """Whether a constant may follow the field's name, or a read of the field: a parse will tell."""
        span = end.access.span
        first, last = span.line, span.end_line + 1  # a target's value may stand on the next line
        lines = self._read_lines(end.path, end.access.field)
        number = bisect_left(lines, first)
        if number < len(lines) and lines[number] <= last:
            return True
        said = self._said(end)
        made = self._said_by_makers(end.access.field or "") if said != "" else ()
        return any(None in (said, other) or said == other for other in made)

    def _said(self, end: End) -> str | None:
        """The text of the constant that a write seems to give; empty where it gives none, None: untold."""
        if end.access.via not in ("attribute", "override"):
            return None
        span = end.access.span
        text = "\n".join(self._sources.lines(end.path)[span.line - 1 : span.end_line + 1])
        found = _given(end.access.field or "", text)
        known = found["known"] if found else ""
        return known if known is None else known.replace('"', "'")

    def _said_by_makers(self, field: str) -> frozenset[str | None]:
        if field not in self._said_before:
            found = frozenset(self._said(maker) for maker in self._makers(field))
            self._said_before[field] = found - {""}
        return self._said_before[field]

    def of(self, end: End) -> ast.expr | None:
        """The expression that a write puts into its field, None where it is none by itself."""
        place = self._place(end)
        return written_value(end, place) if place is not None else None

    def read_at(self, end: End, value: ast.expr) -> End | None:
        """The read of the same field of the same object that an expression is, if it is one."""
        document = self._sources.document(end.path)
        read = self._reads_in(end.path).get(document.span(value)) if document is not None else None
        same = read is not None and read.access.field == end.access.field and _same_object(read, end)
        return read if same else None

    def maker(self, end: End) -> End | None:
        """The write of the resolution that gives the same value wherever this one would."""
        made = self._made_of(end.access.field or "")
        wanted = self._guarded(end) if made else None
        if wanted is None:
            return None
        for maker, guarded in made:
            if guarded is None or guarded.value != wanted.value or guarded.value is None:
                continue
            always = not guarded.tests and all(
                other is not None and other.value == wanted.value for _, other in made
            )
            if not always and not (guarded.tests and guarded.tests <= wanted.tests):
                continue
            if not self._is_written_over(maker, guarded) and not self._is_changed(end, wanted):
                return maker
        return None

    def _is_written_over(self, maker: End, guarded: _Guarded) -> bool:
        """Whether the resolution may give another value further down in the function of one that it gives."""
        return any(
            other.scope == maker.scope
            and other.access.span.line > maker.access.span.line
            and (value is None or value.value != guarded.value)
            and not (value is not None and _exclude(guarded.tests, value.tests))
            for other, value in self._made_of(maker.access.field or "")
        )

    def _is_changed(self, end: End, wanted: _Guarded) -> bool:
        """Whether code outside of the resolution writes another value, which may be there before."""
        field = end.access.field or ""
        if field not in self._later:
            writes = (other for other in self._flows.ends(field) if other.access.operation == "write")
            shared = (other for other in writes if other.access.origin not in ("copy", "constructed"))
            later = [other for other in shared if not self._flows.places.resolves(other)]
            guarded = [self._guarded(other) for other in later]
            self._later[field] = frozenset(each.value if each else None for each in guarded)
        return self._later[field] != {wanted.value}

    def _made_of(self, field: str) -> tuple[tuple[End, _Guarded | None], ...]:
        """What the resolution writes into a field."""
        if field not in self._made:
            self._made[field] = tuple((maker, self._guarded(maker)) for maker in self._makers(field))
        return self._made[field]

    def _makers(self, field: str) -> list[End]:
        writes = (end for end in self._flows.ends(field) if end.writes and end.store == "record")
        return [end for end in writes if self._flows.places.resolves(end)]

    def _guarded(self, end: End) -> _Guarded | None:
        document, place = self._sources.document(end.path), self._place(end)
        if document is None or place is None:
            return None
        if end.path not in self._fields:
            reads = self._reads_in(end.path).items()
            self._fields[end.path] = {span: read.access.field or "" for span, read in reads}
        tests = conditions(document, place, self._fields[end.path])
        return _Guarded(literal(written_value(end, place)), tests)

    def _reads_in(self, path: str) -> Mapping[Span, End]:
        """The reads of fields in a file, by where they stand."""
        if path not in self._reads:
            reads = (end for end in self._flows.all_ends([path]) if end.access.operation == "read")
            self._reads[path] = {end.access.span: end for end in reads}
        return self._reads[path]

    def _read_lines(self, path: str, field: str | None) -> Sequence[int]:
        if path not in self._lines:
            lines = self._lines[path] = {}
            for end in self._reads_in(path).values():
                lines.setdefault(end.access.field, []).append(end.access.span.line)
        return self._lines[path].get(field, ())

    def _place(self, end: End) -> Place | None:
        """Where a write stands; those of all writes of its file are looked up together."""
        spans = (other.access.span for other in self._flows.all_ends([end.path]) if other.writes)
        return self._sources.places(end.path, "writes", spans).get(end.access.span)


def _exclude(tests: frozenset[str], others: frozenset[str]) -> bool:
    """Whether one of some tests is the negation of one of the others."""
    return any(f"not {test}" in others for test in tests) or any(f"not {test}" in tests for test in others)


def _given(field: str, text: str) -> re.Match[str] | None:
    """Where a text gives a constant to a name, the first time that it does."""
    at = text.find(field)
    while at >= 0:
        given = _GIVEN.match(text, at + len(field))
        if given is not None and not _is_word(text[at - 1 : at]):
            return given
        at = text.find(field, at + 1)
    return None


def _is_word(letter: str) -> bool:
    return letter == "_" or letter.isalnum()


def _same_object(read: End, write: End) -> bool:
    if read.store == "namespace" or write.store == "namespace":
        return read.store == write.store
    base = write.access.code.rpartition(".")[0] if write.access.via != "attribute" else write.access.code
    return read.access.code.rpartition(".")[0] in (base, base.rpartition(".")[0])


def message_buses(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes that one function alone reads, which is called right after the one that writes."""
    for end in ends:
        if not end.writes or flows.places.resolves(end):
            continue
        readers = flows.readers_after(end)
        reading = readers.functions(2)
        if len(reading) != 1 or (end.path, end.function) in reading:
            continue
        writer, reader = end.callee, next(iter(readers)).callee
        find = partial(_caller, flows, sources, writer, reader)
        caller = sources.caller(writer, reader, end.access.field or "", find)
        if caller:
            yield Finding(end, readers, f"{caller} calls one right after the other: return the value")


def _caller(flows: Flows, sources: Sources, writer: str, reader: str) -> str:
    """What calls the function that writes and then, at once, the one that reads; empty where nothing does."""
    if not writer or not reader or writer == reader:
        return ""
    for path in flows.paths():
        if not sources.mentions(path, writer, reader):
            continue
        for function, calls in sources.calls(path, writer, reader):
            if _follow(calls, writer, reader):
                return f"{path}:{function.lineno} ({function.name})"
    return ""


def _follow(statements: Sequence[Called], writer: str, reader: str) -> bool:
    """Whether a statement calls the reader soon after, or in the one that calls the writer, and then."""
    for number, called in enumerate(statements):
        if writer not in called.names:
            continue
        if reader in called.names[called.names.index(writer) :]:
            return True
        for later in statements[number + 1 : number + _NEXT + 1]:
            if reader in later.names and called.may_lead_to(later):
                return True
    return False


def imported_reads(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Reads of a namespace while a module is imported: nothing is published yet."""
    for end in ends:
        if end.store != "namespace" or not end.reads:
            continue
        scope = end.function
        if "." not in scope and scope and not sources.may_run_at_import(end.path, scope):
            if scope[:1].islower() or scope[:1] == "_":
                continue
        elif "." in scope and not scope.rpartition(".")[2][:1].isupper():
            continue
        note = _import_note(flows, sources, end, scope)
        if note:
            yield Finding(end, (), note)


def _import_note(flows: Flows, sources: Sources, end: End, scope: str) -> str:
    spans = (other.access.span for other in flows.all_ends([end.path]) if other.reads)
    place = sources.places(end.path, "reads", spans).get(end.access.span)
    if place is None or (place.as_script and place.function is None):
        return ""
    if not place.deferred:
        return "it runs while the module is imported"
    at_top = place.function is not None and place.above[1] is place.function
    called = at_top and scope in sources.called_at_import(end.path)
    return f"the module calls {scope}() while it is imported" if called else ""
