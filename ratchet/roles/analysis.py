"""The roles of a tree: what the code of each can read once it has published, and before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ratchet.model import COMPUTED, Access
from ratchet.reach import Node, Program, Reach, Root, Step, Tables, Values
from ratchet.roles.model import Evidence, Hop, Read, Unpublished, Unsafe
from ratchet.roles.reading import Reading
from ratchet.roles.walks import Code, Walks


class Analysis:
    """Tells what is read on the walks through a program."""

    def __init__(self, program: Program, values: Values, walks: Walks, reading: Reading) -> None:
        self._program = program
        self._walks = walks
        self._reading = reading
        self._tables = Tables(program, values)

    def code(self, role: str, *, unrestricted: bool = False) -> Code:
        """What the processes of a role run once they have published.

        Where a role may read everything and does, the rest of its code says nothing more about its set: the
        walk of an `unrestricted` one ends once it has surely reached a read of each namespace of the tree.
        """
        missing = set(self._reading.namespaces()) if unrestricted else set()
        if not missing:
            return self._walks.code(role)
        frames = {root.node: root for root in self._walks.begin(role)}

        def enough(node: Node, step: Step) -> bool:
            if step.sure:
                part = frames.get(node)
                covers = part.covers if part else lambda line: True
                missing.difference_update(t for t, a in self._reading.reads(node) if covers(a.span.line))
            return not missing

        return self._walks.code_until(role, enough)

    # Reads

    def reads(self, code: Code) -> tuple[Read, ...]:
        """The nearest read of each namespace, one with each evidence where both are there."""
        return self._nearest(code.found, code.frames)

    def every_read(self, code: Code, namespace: str) -> tuple[Read, ...]:
        """All reads of a namespace (or of a group in it, by its dotted path), the nearest first."""
        return tuple(
            self._read(code.found, node, access, top)
            for node, top, access in self._found(code.found, code.frames)
            if top == namespace or _within(access.namespace, namespace)
        )

    def contradictions(self, code: Code, allowed: frozenset[str]) -> Iterator[tuple[Node, Access]]:
        """The reads that calls lead to, of namespaces outside of a set."""
        for node, top, access in self._found(code.found, code.frames):
            if top not in allowed and code.found.steps[node].sure:
                yield node, access

    def own(self, code: Code) -> frozenset[str]:
        """The namespaces that the modules which publish read anywhere in them."""
        paths = {publish.node.path for publish in code.publishes}
        accesses = (access for path in paths for access in self._reading.files.get(path, ()))
        return frozenset(top for access in accesses if (top := self._reading.namespace(access)))

    def early(self, role: str) -> tuple[Read, ...]:
        """What can be read in the processes of a role before they publish."""
        walked = self._walks.early(role)
        nearest = self._nearest(walked.found, walked.roots)
        return tuple(read for read in nearest if read.evidence == "reached")

    def _nearest(self, found: Reach, roots: Sequence[Root]) -> tuple[Read, ...]:
        first: dict[tuple[str, Evidence], Read] = {}
        for node, top, access in self._found(found, roots):
            evidence: Evidence = "reached" if found.steps[node].sure else "possible"
            if (top, "reached") not in first and (top, evidence) not in first:
                first[top, evidence] = self._read(found, node, access, top)
        return tuple(first[key] for key in sorted(first))

    def _found(self, found: Reach, roots: Sequence[Root]) -> Iterator[tuple[Node, str, Access]]:
        """The reads that a walk reaches, in the order in which it does; of roots only those in their part."""
        parts = {root.node: root for root in roots}
        for node in found.steps:
            part = parts.get(node)
            for top, access in self._reading.reads(node):
                if part is None or part.covers(access.span.line):
                    yield node, top, access

    def _read(self, found: Reach, node: Node, access: Access, top: str) -> Read:
        way = found.chain(node)
        hops = [Hop(scope, line, self._tables.picked(scope, line)) for scope, line in way[:-1]]
        evidence: Evidence = "reached" if found.steps[node].sure else "possible"
        return Read(top, evidence, (*hops, Hop(node, access.span.line)), access)

    # What a set cannot answer for

    def unsafe(self, code: Code, proposed: frozenset[str]) -> Iterator[Unsafe]:
        """What makes a restriction to a set unsafe, the same thing once."""
        for read in self.reads(code):
            if read.evidence == "possible" and read.namespace not in proposed:
                line, text = read.access.span.line, read.access.code
                yield Unsafe("possible-read", read.path, line, text, read.namespace)
        yield from self._odd_accesses(code, proposed)
        for item in code.found.unresolved:
            if code.found.steps[item.node].sure:
                text = f"{_spelled(item.chain)}: {item.why}"
                yield Unsafe("unresolved-call", item.node.path, item.line, text)
        reached = {node.path for node in code.found.steps}
        for problem in self._program.problems():
            if problem.path in reached:
                yield Unsafe("unread-file", problem.path, problem.line, problem.message)

    def _odd_accesses(self, code: Code, proposed: frozenset[str]) -> Iterator[Unsafe]:
        parts = {root.node: root for root in code.frames}
        for node, step in code.found.steps.items():
            part = parts.get(node)
            for access in self._reading.at(node) if step.sure else ():
                if part is not None and not part.covers(access.span.line):
                    continue
                line = access.span.line
                top = access.namespace.partition(".")[0] if access.namespace else None
                if (
                    self._reading.is_record_read(access)
                    and top not in proposed | {None} | self._reading.unrestricted
                ):
                    yield Unsafe("record-read", node.path, line, access.code, top)
                elif self._reading.namespace(access) and access.field == COMPUTED:
                    yield Unsafe("computed-name", node.path, line, access.code, top)
                elif self._reading.namespace(access) and access.operation == "escape":
                    yield Unsafe("whole-bag", node.path, line, access.code, top)

    # Processes without a role

    def unpublished(self) -> Iterator[Unpublished]:
        """The processes whose code reaches no publishing call."""
        for process, walked in self._walks.silent():
            yield Unpublished(process, self._nearest(walked.found, walked.roots))


def _within(namespace: str | None, wanted: str) -> bool:
    return namespace is not None and (namespace == wanted or namespace.startswith(f"{wanted}."))


def _spelled(chain: str) -> str:
    """What is called, for people: a chain off something without a name says so."""
    chain = chain.lstrip("?")
    return chain if chain[:1].isidentifier() else f"(an expression){chain}"
