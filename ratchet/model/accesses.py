"""What code does with a tracked object, where it stands, and what could not be judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ratchet.frozen import dataclass

Operation = Literal["read", "write", "delete", "mutate", "call", "escape", "scoped"]
Origin = Literal["global", "supplied", "mixed", "constructed", "copy", "namespace"]
Form = Literal["accessor", "alias", "self", "parameter", "chain", "constructed"]
Via = Literal["attribute", "builtin", "mapping", "override", "replace", "pattern", "value"]

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
class Problem:
    """A file that could not be judged, and why; `line` is 0 where none is known."""

    path: str
    line: int
    message: str


ReadFile = Callable[[str], "bytes | Problem"]
"""Gives the bytes of the file at a path below the source root, or why there are none."""


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
