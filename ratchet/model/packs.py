"""Packs: tracked objects, namespaces, the schema of the record, and the rules that speak of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ratchet.frozen import dataclass, field
from ratchet.model.rules import Exemption, Rule


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the record as the tree declares it: its type and default as written, its namespace or None.

    `help` is its help text where a tree was read; snapshots hold none.
    """

    name: str
    type: str
    default: str | None
    namespace: str | None
    help: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The record's fields by name, and where they were read: a tree, or the snapshot of a version."""

    source: str
    fields: Mapping[str, Field]
    notes: tuple[str, ...] = field(default=())

    def namespace_of(self, name: str) -> str | None:
        """The dotted namespace path of a field, None where the schema does not know it or gives it none."""
        found = self.fields.get(name)
        return found.namespace if found else None


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """One way in which trees declare the record's fields.

    `markers`: one class, `class_name`, in the file `path`, whose fields carry `marker("a.namespace")` calls.
    `classes`: one class a namespace in the folder `path`, each with its namespace in the attribute `marker`.
    `annotation` is the name that the tree gives `typing.Annotated`.
    """

    kind: Literal["markers", "classes"]
    path: str
    marker: str
    annotation: str = "Annotated"
    class_name: str = ""


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """Where the schema comes from: the first of `shapes` that a tree has, else the snapshot `default`.

    `snapshots` is the folder of the snapshots, inside the pack's.
    """

    default: str
    snapshots: str
    shapes: tuple[SchemaShape, ...]


@dataclass(frozen=True, slots=True)
class TrackedObject:
    """A kind of object whose accesses are followed.

    `class_name` and `accessors` are dotted names; `names` are conventional variable names (globs),
    `attributes` conventional attribute names. `constructors` are dotted names of functions, or names of
    class methods with a leading dot, that return a fresh object. `override` is the method that writes
    keywords into fields, and `override_source` its parameter that is no field.
    """

    id: str
    class_name: str
    accessors: tuple[str, ...]
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    constructors: tuple[str, ...] = ()
    override: str | None = None
    override_source: str = "source"


@dataclass(frozen=True, slots=True)
class ContextObject:
    """The accessor of a context: `slots` are attributes that hold a tracked object (attribute, object id)."""

    accessor: str
    slots: tuple[tuple[str, str], ...]
    override: str | None
    override_source: str


@dataclass(frozen=True, slots=True)
class Namespace:
    """A published bag: its dotted path, and the dotted name of the accessor of its top.

    `groups` are the names of the bags inside of it, `live` the names that live values shadow, and `scoped`
    the bag's method that overrides fields for the length of a block. `spellings` are the accessors of other
    engine versions, each behind a specifier; the first that applies is written instead.
    """

    path: str
    accessor: str
    groups: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    scoped: str | None = "override"
    spellings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Publishing:
    """How processes publish the record, and how others are started.

    `functions` are the dotted names of what publishes, `role` their keyword that names the role; `wrappers`
    publish under a role of their own (dotted name, role). `declared` is the dotted name of the table that
    declares each role's namespaces (None there: all). `unrestricted` are namespaces that no role is refused,
    each with the engine versions (a specifier) in which that holds. `processes` are dotted names of functions
    that run as processes of their own. `starters` are callables that start a process: their last name, and
    the keyword that takes the target.
    """

    functions: tuple[str, ...]
    role: str
    wrappers: tuple[tuple[str, str], ...] = ()
    declared: str | None = None
    unrestricted: tuple[tuple[str, str], ...] = ()
    processes: tuple[str, ...] = ()
    starters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EngineSource:
    """Where a tree says its engine version: the first of `files` that assigns a literal to one of `names`."""

    files: tuple[str, ...]
    names: tuple[str, ...]


Moment = Literal["import", "resolution", "before publish", "after publish"]


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of a process's life: the files and scopes whose code runs then, and only then.

    A pack lists its phases in order of time. `moment` says where publishing falls.
    """

    name: str
    moment: Moment
    paths: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    engines: str | None = None


@dataclass(frozen=True, slots=True)
class SurfaceSource:
    """What is recorded of the engine's surface, for code that uses the engine.

    `history` is the file in the pack's folder that holds the releases. `folders`, relative to the source
    root, are those whose modules are read; of modules that a glob in `detailed` names, signatures too.
    `instead` maps dotted names to what is written in their place: another dotted name, or one that is called
    and read (`package.module.accessor().field`).
    """

    history: str
    folders: tuple[str, ...]
    detailed: tuple[str, ...]
    instead: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Process:
    """Files and scopes whose code runs in processes of one kind only: no write there reaches another kind."""

    name: str
    paths: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    engines: str | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of rules with the objects, namespaces and boundaries that they speak of.

    `package` is the name of the top package that the source root is. `fingerprint` covers what changes the
    analysis. `folder` is where it lies on disk: of several packs, the one that brings the schema.
    `readbacks` are names of functions and methods that give back the whole configuration.
    """

    name: str
    version: str
    package: str
    objects: tuple[TrackedObject, ...]
    contexts: tuple[ContextObject, ...]
    namespaces: tuple[Namespace, ...]
    boundaries: tuple[Exemption, ...]
    rules: tuple[Rule, ...]
    fingerprint: str
    folder: str
    schema: SchemaSource | None = None
    engine: EngineSource | None = None
    phases: tuple[Phase, ...] = ()
    processes: tuple[Process, ...] = ()
    readbacks: tuple[str, ...] = ()
    publishing: Publishing | None = None
    surface: SurfaceSource | None = None
