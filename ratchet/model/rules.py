"""Rules as they are declared: what is counted, where, and what is exempt."""

from __future__ import annotations

from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model.accesses import Form, Operation, Origin, Via

Kind = Literal["access", "copy", "call", "import", "global", "pattern", "text", "flow", "role"]
LOCAL_KINDS: frozenset[Kind] = frozenset({"text", "call", "import", "global", "pattern"})
"""The kinds of rules that one file decides alone; the others count accesses, judged once for all of them."""
Mode = Literal["ban", "ratchet", "warn"]
Unit = Literal["site", "path-field"]
Shape = Literal[
    "lost-write",
    "stale-read",
    "dead-write",
    "redundant-write",
    "split-function",
    "shared-write",
    "message-bus",
    "unpublished-read",
]
"""The ways in which the two ends of a field, who writes it and who reads it, can be out of step."""


@dataclass(frozen=True, slots=True)
class Example:
    """A rule's own test: `bad` is found, `good` is not, `fixed` is what the codemod makes of `bad`.

    `path` places the snippet in a tree where the rule looks at certain paths only; `sites` is how many sites
    `bad` holds; `engine` pins an engine version for rules that depend on one. `files` are other files of the
    tree, by path, for rules that look at more than one.
    """

    bad: str | None = None
    good: str | None = None
    fixed: str | None = None
    path: str = "example.py"
    sites: int = 1
    engine: str | None = None
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Exemption:
    """Paths, scopes or fields that a rule does not count (in a pack: a boundary that codemods do not cross).

    An empty tuple means "any". `until` is an ISO date past which the entry fails the check. `outside` marks a
    boundary in which no code uses the record: it makes the values, or its record is another class.
    `unpublished` marks one whose code runs in processes that never publish, or before they do, `separate` one
    whose records are others than the process's, so that a write on one is no write on that.
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
    separate: bool = False


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


@dataclass(frozen=True, slots=True)
class FlowMatch:
    """One end of a field that is out of step with the other; `access` says which of those accesses count."""

    shape: Shape
    access: AccessMatch


@dataclass(frozen=True, slots=True)
class Codemod:
    """What makes of a rule's sites what is to be written instead.

    `imports` are the dotted names that a pattern's `rewrite` uses, each imported from its module. `replace`
    gives for the names that a call rule looks for (`*` spans dots) the expression that takes a call's place:
    it starts with the dotted name of what it imports, and `...` in it stands for the call's arguments.
    `versioned` holds further ones, each group with the engine versions (a specifier) to which it is limited;
    with `surface` those of the pack's `[surface.instead]` are among `replace`. `own_name` makes an import
    rule's names be called by their own names.
    """

    imports: tuple[str, ...] = ()
    replace: tuple[tuple[str, str], ...] = ()
    versioned: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    surface: bool = False
    own_name: bool = False


@dataclass(frozen=True, slots=True)
class RoleMatch:
    """Reads that a role's declared set leaves out and its code reaches; `access` filters them."""

    access: AccessMatch


RuleMatch = AccessMatch | NameMatch | PatternMatch | TextMatch | AnyMatch | FlowMatch | RoleMatch


@dataclass(frozen=True, slots=True)
class Rule:
    """What is counted, why, and what to write instead.

    `paths` limits where it looks (a path, a folder, or a glob; empty is everywhere); `exempt` is not
    counted. `engines` is a version specifier outside of which the rule is listed with count 0. `codemod`
    names the verb that rewrites its sites; `own_codemod` says itself what becomes of them.
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
    own_codemod: Codemod | None = None
    examples: tuple[Example, ...] = ()
    file: str = ""

    @property
    def filters(self) -> AccessMatch | None:
        """Which accesses may be its sites; None for a rule about something else."""
        match = self.match
        if isinstance(match, FlowMatch | RoleMatch):
            return match.access
        return match if isinstance(match, AccessMatch) else None
