"""What is known of roles: their reads with evidence, their sets, and the processes without any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Access, Problem
from ratchet.reach import Node, Process, Publish

Evidence = Literal["reached", "possible"]
"""Whether calls lead to a read, or only names suggest that they do."""

Risk = Literal["possible-read", "record-read", "computed-name", "whole-bag", "unresolved-call", "unread-file"]
"""What makes a restriction unsafe."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One place on a way: a scope, and the line in it that leads on.

    `table` says that a call on the line runs an element of a table, and counts as running any of them.
    """

    node: Node
    line: int
    table: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """A read that code of a process can reach: the access, where it stands, and the way there.

    The way begins where the process does, and ends at the access.
    """

    namespace: str
    evidence: Evidence
    way: tuple[Hop, ...]
    access: Access

    @property
    def path(self) -> str:
        """The file of the access."""
        return self.way[-1].node.path


@dataclass(frozen=True, slots=True)
class Unsafe:
    """Something that a set of namespaces cannot answer for; `namespace` is the one that it may need."""

    risk: Risk
    path: str
    line: int
    text: str
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """A role: who publishes under it, what its code can read, and the sets.

    `own` are the namespaces read in the modules that publish, `reads` the nearest read of each namespace,
    `declared` is None where no set is declared or it is all of them (`is_declared` tells which), `observed`
    None where no audit saw the role. `early` are reads that can run before it publishes. `complete` is false
    where the code was followed only until it had read every namespace of the tree.
    """

    name: str
    publishes: tuple[Publish, ...]
    own: frozenset[str]
    reads: tuple[Read, ...]
    is_declared: bool
    declared: frozenset[str] | None
    observed: frozenset[str] | None
    early: tuple[Read, ...]
    complete: bool
    unsafe: tuple[Unsafe, ...]

    def names(self, evidence: Evidence) -> frozenset[str]:
        """The namespaces with this evidence."""
        return frozenset(read.namespace for read in self.reads if read.evidence == evidence)

    @property
    def proposed(self) -> frozenset[str]:
        """The set that the evidence backs: what calls lead to, and what was observed."""
        return self.names("reached") | (self.observed or frozenset())

    @property
    def undeclared(self) -> tuple[Read, ...]:
        """The reads that contradict the declared set."""
        allowed = self.declared
        if allowed is None:
            return ()
        return tuple(r for r in self.reads if r.evidence == "reached" and r.namespace not in allowed)


@dataclass(frozen=True, slots=True)
class Unpublished:
    """A process that publishes nothing, and the nearest read of each namespace that it reads all the same."""

    process: Process
    reads: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The roles of a tree, the processes that never publish, and what could not be told.

    `unnamed` are publishing calls whose role is no constant, `targets` processes of which nobody can tell
    what they run, `sets` where the table of declared sets stands (None: there is none).
    """

    roles: tuple[Role, ...]
    unpublished: tuple[Unpublished, ...]
    unnamed: tuple[Publish, ...]
    targets: tuple[tuple[Node, int, str], ...]
    sets: tuple[str, int] | None
    unused: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()

    def role(self, name: str) -> Role | None:
        """The role of that name."""
        return next((role for role in self.roles if role.name == name), None)


@dataclass(frozen=True, slots=True)
class Declared:
    """The table of declared sets: its file and line, and the namespaces of each role (None: all)."""

    path: str
    line: int
    sets: Mapping[str, frozenset[str] | None]
