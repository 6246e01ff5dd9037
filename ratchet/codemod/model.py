"""The frozen types of a migration: what is planned, what stays and why, and what becomes of a file."""

from __future__ import annotations

from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Operation, Origin, Span

Reason = Literal[
    "live-shadowed",
    "boundary",
    "not-a-field",
    "no-namespace",
    "other-class",
    "import-time",
    "unpublished-process",
    "role-restricted",
    "owner-elsewhere",
    "fork",
    "handed-parameter",
    "borrowed",
    "parked-under-other-name",
    "optional-injection",
    "computed-name",
    "mixed-origin",
    "shadowed-name",
    "star-import",
    "generated-file",
    "unresolved-call-site",
    "unsupported-form",
    "comment-inside",
    "binding-inside",
    "uncertain-text",
    "not-a-statement",
    "import-cycle",
    "unproved",
    "type-error",
]
"""Those from `comment-inside` on come after the plan: from the rewriter, which sees the text around a site,
from the proof of a rewritten file, and from its type check."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a site stays: the reason's code, and the evidence in a sentence."""

    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Accessor:
    """A function that rewritten code calls: its dotted name, as it is imported."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A planned rewrite of one site.

    `id` is stable across line shifts. `span` is the text that is replaced, `before` its code; `after` is the
    expression that takes its place, in which the accessor is called by its own name (the rewriter puts the
    name that the file uses). `scope` is the qualified name of the enclosing function or class.

    Of a write, `span` is the target (`record.a`) or the call (an override call, a literal setattr), and
    `after` is the override call with its source but without fields: `context().override("module.function")`.
    The values are taken from the file; of an override call all arguments are, so each of its fields needs an
    edit. `reading`, with `reading_accessor`, is the expression that reads the field now, for an augmented
    store. An empty `after` deletes the statement of a dead write.

    `uses` is there for an edit of a rule's own codemod: the names that `after` has imported, any number of
    them (`accessor` is the first, or empty). `kept` are the ranges of the old text that stand in `after`.
    With `own_name` the accessor is called by its own name, and by no other that the file gives it.

    Where `span` is that of a name in an import statement, that name goes. Edits of one id are made together.
    """

    id: str
    path: str
    span: Span
    scope: str
    operation: Operation
    origin: Origin
    field: str
    namespace: str
    before: str
    after: str
    accessor: Accessor
    note: str = ""
    reading: str = ""
    reading_accessor: Accessor | None = None
    uses: tuple[Accessor, ...] | None = None
    kept: tuple[tuple[int, int], ...] = ()
    own_name: bool = False

    @property
    def accessors(self) -> tuple[Accessor, ...]:
        """All that its new text calls and that has to be imported."""
        if self.uses is not None:
            return self.uses
        return (self.accessor, *([self.reading_accessor] if self.reading_accessor is not None else ()))


@dataclass(frozen=True, slots=True)
class Skip:
    """A site that is left alone: the reason's code, and the evidence in a sentence."""

    id: str
    path: str
    span: Span
    scope: str
    operation: Operation
    origin: Origin
    field: str | None
    namespace: str | None
    before: str
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A parameter in a signature or an argument of a call, which goes: its text stands at `span`.

    `only_keyword` says that it is the one parameter behind a bare star, which goes with it.
    """

    path: str
    span: Span
    kind: Literal["parameter", "argument"]
    only_keyword: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that a run leaves without a use: what goes with it, or why it is `kept`.

    `function` is the dotted name of the function; `drops` hold the parameter itself, those of the methods
    that override it or that it overrides, and the arguments of all calls.
    """

    path: str
    span: Span
    function: str
    name: str
    drops: tuple[Drop, ...] = ()
    kept: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Every site of the chosen namespaces, once: as an edit or as a skip, in order of path and position.

    `parameters` are those that the edits leave without a use, as far as files have been rewritten.
    """

    edits: tuple[Edit, ...]
    skips: tuple[Skip, ...]
    notes: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file before and after, as bytes, with the edits and drops that made the difference.

    `changes` are that difference in the decoded text: start, end, and what stands there now.
    """

    path: str
    old: bytes
    new: bytes
    edits: tuple[Edit, ...]
    changes: tuple[tuple[int, int, str], ...] = ()
    drops: tuple[Drop, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file's edits: the file rewritten (None where no edit was left), and those refused."""

    rewritten: Rewritten | None
    skips: tuple[Skip, ...] = ()
