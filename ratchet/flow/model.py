"""The ends of a field: the accesses that write or read it, each with where it stands."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Access

Store = Literal["record", "namespace"]

_INNER = re.compile(r"\.?<\w+>")

WRITES = frozenset({"write", "delete"})
"""Operations that put another value into a store; a change in place is seen in both."""


@dataclass(frozen=True, slots=True)
class End:
    """One access to a field, and the file that it stands in."""

    path: str
    access: Access

    @property
    def store(self) -> Store:
        """Which of the two stores it touches."""
        return "record" if self.access.object else "namespace"

    @property
    def writes(self) -> bool:
        """Whether it puts another value into its store, to stay."""
        return self.access.operation in WRITES

    @property
    def reads(self) -> bool:
        """Whether it reads the field."""
        return self.access.operation in ("read", "mutate")

    @property
    def scope(self) -> tuple[str, str]:
        """The file and the scope that it stands in."""
        return self.path, self.access.scope

    @property
    def owner(self) -> tuple[str, str]:
        """The class, or the function outside of classes, that it stands in."""
        return self.path, self.access.scope.partition(".")[0]

    @property
    def function(self) -> str:
        """The function that it stands in, with the lambdas and comprehensions in it; empty in a module."""
        return _INNER.sub("", self.access.scope)

    @property
    def callee(self) -> str:
        """The name by which its function is called; of a constructor the class's."""
        parts = self.function.split(".")
        return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]

    @property
    def place(self) -> str:
        """The file, the line and the scope, as a sentence names them."""
        return f"{self.path}:{self.access.span.line} ({self.access.scope or 'module'})"


@dataclass(frozen=True, slots=True)
class Finding:
    """An end that is out of step, the other ends that it is out of step with, and how."""

    end: End
    others: Collection[End]
    note: str
