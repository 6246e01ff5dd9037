"""The ways in which the ends of a field part that show in the text only: values, calls, and import time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ratchet.flow.model import End, Finding
from ratchet.flow.sources import Sources, calls_in_order, conditions, literal, written_value
from ratchet.flow.table import Flows
from ratchet.model import Span
from ratchet.syntax.moments import Place, called_at_import, places_of

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CONSTANT = r"""\b{field}\s*(?::[^=]*)?=\s*(?:['"\d(\[{{+-]|[bBrRuU]{{1,2}}['"]|True\b|False\b|None\b)"""
_NEXT = 2
"""How many statements on "one call later" may be: the next one, or the one after a line between."""


def redundant_writes(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes of the value that is there already: the resolution's own, or the field's."""
    for end in ends:
        if (
            end.access.operation != "write"
            or flows.places.resolves(end)
            or not _may_be_plain(flows, sources, end)
        ):
            continue
        place = _place(flows, sources, end)
        value = written_value(end, place) if place is not None else None
        if place is None or value is None:
            continue
        read = _read_at(flows, sources, end, value)
        if read is not None:
            yield Finding(end, (read,), "it writes the value that it reads")
        elif literal(value) is not None:
            maker = _maker(flows, sources, end)
            if maker is not None:
                yield Finding(end, (maker,), "the resolution has already written this value where it applies")


def _may_be_plain(flows: Flows, sources: Sources, end: End) -> bool:
    """Whether a constant may follow the field's name, or a read of the field itself: a parse will tell."""
    span = end.access.span
    first, last = span.line, span.end_line + 1  # a target's value may stand on the next line
    others = (other for other in flows.ends(end.access.field or "") if other.path == end.path)
    if any(other.access.operation == "read" and first <= other.access.span.line <= last for other in others):
        return True
    if end.access.via not in ("attribute", "override"):
        return True
    text = "\n".join(sources.lines(end.path)[first - 1 : last])
    return re.search(_CONSTANT.format(field=re.escape(end.access.field or "")), text) is not None


def _read_at(flows: Flows, sources: Sources, end: End, value: ast.expr) -> End | None:
    """The read of the same field on the same store that an expression is, if it is one."""
    document = sources.document(end.path)
    span = document.span(value) if document is not None else None
    found = (
        other
        for other in flows.ends(end.access.field or "")
        if other.path == end.path and other.access.span == span and other.access.operation == "read"
    )
    return next((other for other in found if _same_object(other, end)), None)


def _same_object(read: End, write: End) -> bool:
    if read.store == "namespace" or write.store == "namespace":
        return read.store == write.store
    base = write.access.code.rpartition(".")[0] if write.access.via != "attribute" else write.access.code
    return read.access.code.rpartition(".")[0] in (base, base.rpartition(".")[0])


def _maker(flows: Flows, sources: Sources, end: End) -> End | None:
    """The write of the resolution that gives the same value wherever this one would."""
    makers = [
        other
        for other in flows.ends(end.access.field or "")
        if other.writes and other.store == "record" and flows.places.resolves(other)
    ]
    if not makers:
        return None
    wanted = _guarded(flows, sources, end)
    made = [(maker, _guarded(flows, sources, maker)) for maker in makers]
    if wanted is None:
        return None
    for maker, guarded in made:
        if guarded is None or guarded[0] != wanted[0] or guarded[0] is None:
            continue
        always = not guarded[1] and all(other is not None and other[0] == wanted[0] for _, other in made)
        if always or (guarded[1] and guarded[1] <= wanted[1]):
            return maker
    return None


def _guarded(flows: Flows, sources: Sources, end: End) -> tuple[object, frozenset[str]] | None:
    """The constant that a write gives its field, and the tests under which it does."""
    document, place = sources.document(end.path), _place(flows, sources, end)
    if document is None or place is None:
        return None
    return literal(written_value(end, place)), conditions(document, place, _fields_by_span(flows, end.path))


def _fields_by_span(flows: Flows, path: str) -> dict[Span, str]:
    reads = (end.access for end in flows.all_ends([path]) if end.access.operation == "read")
    return {access.span: access.field or "" for access in reads}


def _place(flows: Flows, sources: Sources, end: End) -> Place | None:
    """Where a write stands; those of all writes of its file are looked up together."""
    spans = (other.access.span for other in flows.all_ends([end.path]) if other.writes)
    return sources.places(end.path, spans).get(end.access.span)


def message_buses(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Writes that one function alone reads, which is called right after the one that writes."""
    for end in ends:
        if not end.writes or flows.places.resolves(end):
            continue
        readers = flows.readers_after(end)
        reading = {(other.path, other.function) for other in readers}
        if len(reading) != 1 or (end.path, end.function) in reading:
            continue
        caller = _caller(flows, sources, end, readers[0])
        if caller:
            yield Finding(end, readers, f"{caller} calls one right after the other: return the value")


def _caller(flows: Flows, sources: Sources, write: End, read: End) -> str:
    """What calls the function that writes and then, at once, the one that reads; empty where nothing does."""
    writer, reader = write.callee, read.callee
    if not writer or not reader or writer == reader:
        return ""
    for path in flows.paths():
        text = sources.text(path)
        if writer not in text or reader not in text:
            continue
        document = sources.document(path)
        for function in ast.walk(document.tree) if document is not None else ():
            if isinstance(function, _FUNCTIONS) and _follow(calls_in_order(function), writer, reader):
                return f"{path}:{function.lineno} ({function.name})"
    return ""


def _follow(statements: list[frozenset[str]], writer: str, reader: str) -> bool:
    """Whether a statement calls the reader soon after, or in the one that calls the writer."""
    return any(
        writer in called and any(reader in later for later in statements[number : number + _NEXT + 1])
        for number, called in enumerate(statements)
    )


def imported_reads(flows: Flows, ends: Iterable[End], sources: Sources) -> Iterator[Finding]:
    """Reads of a namespace while a module is imported: nothing is published yet."""
    for end in ends:
        if end.store != "namespace" or not end.reads:
            continue
        scope = end.function
        if "." not in scope and scope and not _is_called_at_top(sources.text(end.path), scope):
            if scope[:1].islower() or scope[:1] == "_":
                continue
        elif "." in scope and not scope.rpartition(".")[2][:1].isupper():
            continue
        note = _import_note(end, scope, sources)
        if note:
            yield Finding(end, (), note)


def _import_note(end: End, scope: str, sources: Sources) -> str:
    document = sources.document(end.path)
    place = places_of(document, {end.access.span}).get(end.access.span) if document else None
    if place is None or document is None or (place.as_script and place.function is None):
        return ""
    if not place.deferred:
        return "it runs while the module is imported"
    at_top = place.function is not None and place.function in document.tree.body
    called = at_top and scope in called_at_import(document.tree)
    return f"the module calls {scope}() while it is imported" if called else ""


def _is_called_at_top(text: str, name: str) -> bool:
    """Whether a line that is not indented, and begins no definition, calls a name."""
    call = rf"^(?!def |async def |class |#)\S.*\b{re.escape(name)}\("
    return re.search(call, text, re.MULTILINE) is not None
