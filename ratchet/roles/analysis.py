"""The roles of a tree: what the code of each can read once it has published, and before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from ratchet.frozen import dataclass
from ratchet.model import COMPUTED, Access
from ratchet.reach import (
    Bounds,
    Frames,
    How,
    Node,
    Process,
    Program,
    Publish,
    Reach,
    Root,
    Step,
    Tables,
    Values,
    before_publish,
    frames_of,
    reach,
)
from ratchet.roles.model import Evidence, Hop, Read, Unpublished, Unsafe
from ratchet.roles.reading import Reading


@dataclass(frozen=True, slots=True)
class Code:
    """The code of a role: its publishing calls, the parts of scopes where it begins, and what they reach."""

    name: str
    publishes: tuple[Publish, ...]
    frames: tuple[Root, ...]
    found: Reach


class Analysis:
    """Walks the processes of one program."""

    def __init__(
        self,
        program: Program,
        values: Values,
        bounds: Bounds,
        reading: Reading,
        processes: Sequence[Process] = (),
    ) -> None:
        self._program = program
        self._values = values
        self._bounds = bounds
        self._processes = processes
        self._reading = reading
        self._tables = Tables(program, values)
        self._known_frames: dict[Publish, Frames] = {}

    def code(self, role: str, wanted: Collection[str] | None = None) -> Code:
        """What the processes of a role run once they have published.

        The walk ends once it has surely reached a read of each of the `wanted` namespaces.
        """
        publishes = tuple(publish for publish in self._bounds.publishes if publish.role == role)
        frames: dict[Node, Root] = {}
        for publish in publishes:
            for frame in self._frames(publish).roots:
                known = frames.get(frame.node)
                frames[frame.node] = frame if known is None else _earlier(known, frame)
        roots = tuple(frames.values())
        missing = set(wanted or ())

        def enough(node: Node, step: Step) -> bool:
            if missing and step.sure:
                part = frames.get(node)
                covers = part.covers if part else lambda line: True
                missing.difference_update(t for t, a in self._reading.reads(node) if covers(a.span.line))
                return not missing
            return False

        return Code(role, publishes, roots, self._reach(roots, role, enough))

    def _frames(self, publish: Publish) -> Frames:
        found = self._known_frames.get(publish)
        if found is None:
            found = frames_of(self._program, self._values, publish, self._bounds.begins)
            self._known_frames[publish] = found
        return found

    def _reach(
        self,
        roots: Sequence[Root],
        role: str | None,
        enough: Callable[[Node, Step], bool] = lambda node, step: False,
        early: bool = False,
    ) -> Reach:
        """A walk that stays in its process: not into others, nor into what publishes under another role.

        What is handed on as a value `early` may run late, and is left out.
        """
        own = {root.node for root in roots}

        def stop(node: Node, how: How) -> bool:
            if node in own:
                return False
            if early and how == "value":
                return True
            roles = self._bounds.roles(node)
            return self._bounds.begins(node) or bool(roles and role not in roles)

        return reach(self._program, self._values, roots, stop, enough)

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

    def early(self, code: Code) -> tuple[Read, ...]:
        """What can be read in the processes of a role before they publish."""
        roots = [
            root
            for publish in code.publishes
            for root in before_publish(
                self._program, self._frames(publish), self._bounds.publishes, self._bounds.begins
            )
            if root.node.scope
        ]
        parts = tuple({root.node: root for root in roots}.values())
        found = self._reach(parts, code.name, early=True)
        return tuple(read for read in self._nearest(found, parts) if read.evidence == "reached")

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
                yield Unsafe("unresolved-call", item.node.path, item.line, f"{item.chain}: {item.why}")
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
        inside = self._climbed()
        for process in self._processes:
            if process.node in inside:
                continue
            roots = (Root(process.node),)
            found = self._reach(roots, None)
            publishing = [node for node in (*found.steps, *found.stopped) if self._bounds.roles(node)]
            if any((found.steps.get(node) or found.stopped[node]).sure for node in publishing):
                continue
            yield Unpublished(process, self._nearest(found, roots))

    def _climbed(self) -> set[Node]:
        """The scopes that run in a process which publishes, as far as its callers are known."""
        frames = (frame.node for publish in self._bounds.publishes for frame in self._frames(publish).roots)
        return set(frames)


def _earlier(one: Root, other: Root) -> Root:
    """Two parts of a scope as one."""
    return Root(one.node, min(one.after, other.after), 0, tuple(set(one.skipped) & set(other.skipped)))


def _within(namespace: str | None, wanted: str) -> bool:
    return namespace is not None and (namespace == wanted or namespace.startswith(f"{wanted}."))
