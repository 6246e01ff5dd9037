"""The frozen types that pass between the stages; this module imports nothing of ours.

files -> accesses -> sites -> verdict -> report. Lines and columns count from 1, columns in characters, and a
span's end is exclusive. Paths are relative to the source root, with forward slashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ratchet.frozen import dataclass, field

Operation = Literal["read", "write", "delete", "mutate", "call", "escape", "scoped"]
Origin = Literal["global", "supplied", "mixed", "constructed", "copy", "namespace"]
Form = Literal["accessor", "alias", "self", "parameter", "chain", "constructed"]
Via = Literal["attribute", "builtin", "mapping", "override", "replace", "pattern", "value"]
Kind = Literal["access", "copy", "call", "import", "global", "pattern", "text", "flow"]
Mode = Literal["ban", "ratchet", "warn"]
Unit = Literal["site", "path-field"]

COMPUTED = "*"
"""The field of an access whose name is computed."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where an expression stands: its start, and its exclusive end."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One Python file of a tree: `path` identifies it; `data` are its bytes as read."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be judged, and why; `line` is 0 where none is known."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Access:
    """One place where code touches a record or a namespace.

    `root` is the form of the expression that an alias stands for (equal to `form` where there is no alias).
    `via` says how it is spelled: an attribute, a builtin such as getattr, a mapping view such as vars(), the
    keywords of an override call or of a replace call, a class pattern, or (for an escape) the value itself.
    `field` is None for an escape and COMPUTED where the name is computed. `namespace` is the dotted path of
    the bag for the origin `namespace`, else the path that the schema gives the field, else None. `code` is
    normalised: a read's expression, a write's target without its value, a call's callee with its keyword
    names sorted.
    """

    span: Span
    operation: Operation
    origin: Origin
    form: Form
    root: Form
    via: Via
    object: str
    field: str | None
    namespace: str | None
    scope: str
    code: str


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule other than an access rule found in one file."""

    rule: str
    span: Span
    scope: str
    code: str


@dataclass(frozen=True, slots=True)
class Example:
    """A rule's own test: `bad` is found, `good` is not, `fixed` is what the codemod makes of `bad`.

    `path` places the snippet in a tree where the rule looks at certain paths only; `sites` is how many sites
    `bad` holds; `engine` pins an engine version for rules that depend on one.
    """

    bad: str | None = None
    good: str | None = None
    fixed: str | None = None
    path: str = "example.py"
    sites: int = 1
    engine: str | None = None


@dataclass(frozen=True, slots=True)
class Exemption:
    """Paths, scopes or fields that a rule does not count (in a pack: a boundary that codemods do not cross).

    An empty tuple means "any". `until` is an ISO date past which the entry fails the check. `outside` marks a
    boundary in which no code uses the record: it makes the values, or its record is another class.
    `unpublished` marks one whose code runs in processes that never publish, or before they do.
    """

    reason: str
    paths: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    owner: str | None = None
    issue: str | None = None
    until: str | None = None
    engines: str | None = None
    outside: bool = False
    unpublished: bool = False


@dataclass(frozen=True, slots=True)
class AccessMatch:
    """Filters of an `access` rule; an empty tuple lets everything pass."""

    operations: tuple[Operation, ...] = ()
    origins: tuple[Origin, ...] = ()
    forms: tuple[Form, ...] = ()
    roots: tuple[Form, ...] = ()
    vias: tuple[Via, ...] = ()
    objects: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    not_fields: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    members: bool | None = None
    unit: Unit = "site"


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Dotted names that a `call` or `import` rule looks for, resolved through imports; `*` spans dots.

    `renamed` limits an import rule to imports that rename what they import; `imports` makes a call rule count
    the imports of the names too. `versioned` holds further names, each group with the engine versions
    (a specifier) in which it counts.
    """

    names: tuple[str, ...]
    renamed: bool = False
    imports: bool = False
    versioned: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """Snippets of Python with `$NAME` and `...` holes; `where` maps a hole to a regular expression."""

    patterns: tuple[str, ...]
    where: tuple[tuple[str, str], ...] = ()
    rewrite: str | None = None


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A regular expression over the raw text; `unit` says whether matches or matching lines count."""

    regex: str
    unit: Literal["match", "line"] = "match"


@dataclass(frozen=True, slots=True)
class AnyMatch:
    """A kind without filters: `copy` (of the named objects, all where empty) and `global`."""

    objects: tuple[str, ...] = ()


RuleMatch = AccessMatch | NameMatch | PatternMatch | TextMatch | AnyMatch


@dataclass(frozen=True, slots=True)
class Rule:
    """What is counted, why, and what to write instead.

    `paths` limits where it looks (a path, a folder, or a glob; empty is everywhere); `exempt` is not
    counted. `engines` is a version specifier outside of which the rule is listed with count 0.
    `fingerprint` covers the matching keys only, so that a change of wording asks for no new baseline.
    """

    id: str
    kind: Kind
    match: RuleMatch
    mode: Mode
    title: str
    why: str
    instead: str
    fingerprint: str
    paths: tuple[str, ...] = ()
    exempt: tuple[Exemption, ...] = ()
    engines: str | None = None
    formerly: tuple[str, ...] = ()
    codemod: str | None = None
    examples: tuple[Example, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True)
class Site:
    """An access or a match that a rule counts. Its identity is `key`; its position only locates it."""

    rule: str
    path: str
    span: Span
    scope: str
    code: str
    operation: Operation | None = None
    origin: Origin | None = None
    form: Form | None = None
    field: str | None = None
    namespace: str | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Path, scope and code: what a baseline row is made of."""
        return (self.path, self.scope, self.code)


@dataclass(frozen=True, slots=True, order=True)
class Row:
    """One line of a baseline: a site identity, how many there are, and why they were allowed (or empty)."""

    path: str
    scope: str
    code: str
    count: int
    reason: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Path, scope and code: what a site is compared by."""
        return (self.path, self.scope, self.code)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The committed rows of a rule, sorted, with the fingerprint of the rule that they were adopted for."""

    rule: str
    fingerprint: str
    rows: tuple[Row, ...]

    @property
    def total(self) -> int:
        """How many sites the rows hold together."""
        return sum(row.count for row in self.rows)


@dataclass(frozen=True, slots=True)
class Census:
    """What a run saw: how many files it discovered, analysed, judged by their bytes, and could not judge.

    `judged` holds the paths that were read and judged (by parse or by bytes), so that a partial run knows
    which rows it may call gone; `complete` says whether that is the whole tree. `ignored` counts arguments
    outside of the root. `absent` holds the paths that a partial run was asked about and that are no more.
    """

    discovered: int
    analysed: int
    judged_by_bytes: int
    judged: frozenset[str]
    complete: bool
    problems: tuple[Problem, ...] = ()
    ignored: int = 0
    absent: frozenset[str] = frozenset()

    @property
    def found_nothing(self) -> bool:
        """Whether the run was to see a whole tree and found no file; a part may well hold none."""
        return self.complete and not self.discovered


@dataclass(frozen=True, slots=True)
class Move:
    """A site of now that stands for a baseline row of another path or another scope."""

    site: Site
    row: Row


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """The sites of a rule now, against its baseline. `gone` rows carry how many of them are missing.

    `baseline` is None where there is nothing to compare with (`count`); `skipped` says why a rule did not
    apply (an engine version outside its own), and then its count is 0.
    """

    rule: Rule
    sites: tuple[Site, ...]
    baseline: int | None = None
    known: tuple[Site, ...] = ()
    new: tuple[Site, ...] = ()
    moved: tuple[Move, ...] = ()
    gone: tuple[Row, ...] = ()
    skipped: str | None = None

    @property
    def count(self) -> int:
        """How many sites there are now."""
        return len(self.sites)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The whole run: one entry a rule in order of their ids, what was read, and what went wrong.

    `faults` are sentences about packs, rules or baselines that keep the run from judging. `notes` inform.
    `stale_fails` says whether gone and moved rows fail. `pack` and `engine` say what it was judged with.
    """

    rules: tuple[RuleVerdict, ...]
    census: Census
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stale_fails: bool = True
    engine: str | None = None
    packs: tuple[str, ...] = ()
    root: str = ""

    @property
    def exit_code(self) -> int:
        """0 clean, 1 new or stale, 3 could not judge."""
        if self.faults or self.census.problems or self.census.found_nothing:
            return 3
        failing = any(self.fails(entry) for entry in self.rules)
        return 1 if failing else 0

    def fails(self, entry: RuleVerdict) -> bool:
        """Whether this rule fails the run: it has new sites, or stale rows where those fail."""
        if entry.rule.mode == "warn" or entry.baseline is None:
            return False
        return bool(entry.new) or (self.stale_fails and bool(entry.gone or entry.moved))


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
class EngineSource:
    """Where a tree says its engine version: the first of `files` that assigns a literal to one of `names`."""

    files: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """A folder of rules with the objects, namespaces and boundaries that they speak of.

    `package` is the name of the top package that the source root is. `fingerprint` covers what changes the
    analysis. `folder` is where it lies on disk: of several packs, the one that brings the schema.
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
