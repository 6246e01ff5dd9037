"""What pack.toml declares beside the rules: objects, namespaces, boundaries, schema, engine, surface."""

from __future__ import annotations

from typing import cast, get_args

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.model import (
    ContextObject,
    EngineSource,
    Exemption,
    Moment,
    Namespace,
    Phase,
    Process,
    Publishing,
    SchemaSource,
    SurfaceSource,
    TrackedObject,
)
from ratchet.pack.rules import decode_exemption
from ratchet.pack.specifiers import check_specifier, take_specifier
from ratchet.pack.table import Table

_MOMENTS = cast(tuple[Moment, ...], get_args(Moment))
FORMAT = 1
"""The newest format of packs that is understood."""


@dataclass(frozen=True, slots=True)
class Declarations:
    """The contents of one pack.toml."""

    name: str
    version: str
    package: str
    objects: tuple[TrackedObject, ...]
    contexts: tuple[ContextObject, ...]
    namespaces: tuple[Namespace, ...]
    boundaries: tuple[Exemption, ...]
    schema: SchemaSource | None
    engine: EngineSource | None
    phases: tuple[Phase, ...]
    processes: tuple[Process, ...]
    readbacks: tuple[str, ...]
    publishing: Publishing | None
    surface: SurfaceSource | None


def decode_declarations(table: Table, checked: bool) -> Declarations:
    """What the table of a pack.toml declares; its faults are recorded in the table."""
    table.require("format", f"write `format = {FORMAT}`")
    table.require("name", "a pack has a name")
    table.require("version", "a pack has a version, as text")
    found = table.take_number("format", FORMAT)
    if found != FORMAT:
        table.fault("format", f"format {found} is not known; this ratchet reads format {FORMAT}: update it")
    declarations = Declarations(
        name=table.take_text("name"),
        version=table.take_text("version"),
        package=table.take_text("package"),
        objects=tuple(_object(entry) for entry in table.take_tables("object")),
        contexts=tuple(_context(entry) for entry in table.take_tables("context")),
        namespaces=tuple(_namespace(entry) for entry in table.take_tables("namespace")),
        boundaries=tuple(
            decode_exemption(entry, checked, boundary=True) for entry in table.take_tables("boundary")
        ),
        schema=_schema(table),
        engine=_engine(table) if table.has("engine") else None,
        phases=tuple(_phase(entry, checked) for entry in table.take_tables("phase")),
        processes=tuple(_process(entry, checked) for entry in table.take_tables("process")),
        readbacks=table.take_texts("readbacks"),
        publishing=_publishing(table, checked) if table.has("publishing") else None,
        surface=_surface(table) if table.has("surface") else None,
    )
    table.close()
    return declarations


def _object(table: Table) -> TrackedObject:
    table.require("id", "rules name the object by it")
    table.require("class", "write the dotted name of the record's class")
    tracked = TrackedObject(
        id=table.take_text("id"),
        class_name=table.take_text("class"),
        accessors=table.take_texts("accessors"),
        names=table.take_texts("names"),
        attributes=table.take_texts("attributes"),
        constructors=table.take_texts("constructors"),
        override=table.take_optional("override"),
        override_source=table.take_text("override-source", "source"),
    )
    table.close()
    return tracked


def _context(table: Table) -> ContextObject:
    table.require("accessor", "write the dotted name of the function that returns the context")
    slots = table.take_table("slots")
    context = ContextObject(
        accessor=table.take_text("accessor"),
        slots=tuple((name, slots.take_text(name)) for name in slots.names()),
        override=table.take_optional("override"),
        override_source=table.take_text("override-source", "source"),
    )
    table.close()
    return context


def _namespace(table: Table) -> Namespace:
    table.require("path", "write the dotted path of the namespace")
    table.require("accessor", "write the dotted name of the function that returns it")
    scoped = table.take_code("scoped")
    spellings = table.take_table("spellings") if table.has("spellings") else None
    namespace = Namespace(
        path=table.take_text("path"),
        accessor=table.take_text("accessor"),
        groups=table.take_texts("groups"),
        live=table.take_texts("live"),
        scoped="override" if scoped is None else scoped or None,
        spellings=tuple((name, spellings.take_text(name)) for name in spellings.names()) if spellings else (),
    )
    table.close()
    return namespace


def _phase(table: Table, checked: bool) -> Phase:
    table.require("name", "say in a few words what happens in the phase")
    table.require("moment", f"write one of {', '.join(_MOMENTS)}")
    phase = Phase(
        name=table.take_text("name"),
        moment=table.take_word("moment", _MOMENTS, "after publish"),
        paths=table.take_texts("paths"),
        scopes=table.take_texts("scopes"),
        engines=take_specifier(table, checked),
    )
    _require_place(table, "a phase", phase)
    table.close()
    return phase


def _process(table: Table, checked: bool) -> Process:
    table.require("name", "say which processes run the code")
    process = Process(
        name=table.take_text("name"),
        paths=table.take_texts("paths"),
        scopes=table.take_texts("scopes"),
        engines=take_specifier(table, checked),
    )
    _require_place(table, "a process", process)
    table.close()
    return process


def _require_place(table: Table, what: str, entry: Phase | Process) -> None:
    if not (entry.paths or entry.scopes):
        table.fault(None, f"{what} without `paths` or `scopes` would take in everything; name some")


def _engine(table: Table) -> EngineSource:
    engine = table.take_table("engine")
    engine.require("files", "list the files that may say the engine's version")
    engine.require("names", "list the names that the version may be assigned to")
    source = EngineSource(files=engine.take_texts("files"), names=engine.take_texts("names"))
    engine.close()
    return source


def _publishing(table: Table, checked: bool) -> Publishing:
    found = table.take_table("publishing")
    found.require("functions", "list the dotted names of what publishes the record")
    found.require("role", "write the keyword that names the role")
    unrestricted = found.take_table("unrestricted")
    publishing = Publishing(
        functions=found.take_texts("functions"),
        role=found.take_text("role"),
        wrappers=_pairs(found.take_table("wrappers")),
        declared=found.take_optional("declared"),
        unrestricted=_pairs(unrestricted),
        processes=found.take_texts("processes"),
        starters=_pairs(found.take_table("starters")),
    )
    for name, specifier in publishing.unrestricted:
        check_specifier(unrestricted, name, specifier, checked)
    found.close()
    return publishing


def _pairs(table: Table) -> tuple[tuple[str, str], ...]:
    return tuple((name, table.take_text(name)) for name in table.names())


def _surface(table: Table) -> SurfaceSource:
    surface = table.take_table("surface")
    surface.require("history", "name the file that holds the releases")
    surface.require("folders", "list the folders whose modules are recorded")
    instead = surface.take_table("instead") if surface.has("instead") else None
    source = SurfaceSource(
        history=surface.take_text("history"),
        folders=surface.take_texts("folders"),
        detailed=surface.take_texts("detailed"),
        instead=tuple((name, instead.take_text(name)) for name in instead.names()) if instead else (),
    )
    surface.close()
    return source


def _schema(table: Table) -> SchemaSource | None:
    raw = table.take_raw("schema")
    if raw is None:
        return None
    from ratchet.schema.table import parse_schema_table

    try:
        return parse_schema_table(raw, table.document.name)
    except JudgeError as error:
        table.fault("schema", str(error).removeprefix(f"{table.document.name}: "))
        return None
