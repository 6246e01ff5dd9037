"""The walks through the processes of a program, each made once; none has to know what is read on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ratchet.frozen import dataclass
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
    Values,
    before_publish,
    frames_of,
    reach,
)

Enough = Callable[[Node, Step], bool]
"""Whether a walk has come far enough, told of each scope that it comes to."""


@dataclass(frozen=True, slots=True)
class Code:
    """The code of a role: its publishing calls, the parts of scopes where it begins, and what they reach."""

    name: str
    publishes: tuple[Publish, ...]
    frames: tuple[Root, ...]
    found: Reach


@dataclass(frozen=True, slots=True)
class Walked:
    """What code reaches, and the parts of scopes where it begins."""

    roots: tuple[Root, ...]
    found: Reach


class Walks:
    """Walks the processes of one program."""

    def __init__(
        self, program: Program, values: Values, bounds: Bounds, processes: Sequence[Process] = ()
    ) -> None:
        self._program = program
        self._values = values
        self._bounds = bounds
        self._processes = processes
        self._known_frames: dict[Publish, Frames] = {}
        self._codes: dict[str, Code] = {}
        self._early: dict[str, Walked] = {}
        self._silent: list[tuple[Process, Walked]] | None = None

    def code(self, role: str) -> Code:
        """What the processes of a role run once they have published."""
        found = self._codes.get(role)
        if found is None:
            found = self._codes[role] = self.code_until(role, lambda node, step: False)
        return found

    def code_until(self, role: str, enough: Enough) -> Code:
        """The same, as far as it takes to have seen enough."""
        roots = self.begin(role)
        return Code(role, self._publishes(role), roots, self._reach(roots, role, enough))

    def begin(self, role: str) -> tuple[Root, ...]:
        """The parts of scopes where the code of a role begins."""
        frames: dict[Node, Root] = {}
        for publish in self._publishes(role):
            for frame in self._frames(publish).roots:
                known = frames.get(frame.node)
                frames[frame.node] = frame if known is None else _earlier(known, frame)
        return tuple(frames.values())

    def early(self, role: str) -> Walked:
        """What can run in the processes of a role before they publish."""
        found = self._early.get(role)
        if found is None:
            roots = [
                root
                for publish in self._publishes(role)
                for root in before_publish(
                    self._program, self._frames(publish), self._bounds.publishes, self._bounds.begins
                )
                if root.node.scope
            ]
            parts = tuple({root.node: root for root in roots}.values())
            found = self._early[role] = Walked(parts, self._reach(parts, role, early=True))
        return found

    def silent(self) -> Sequence[tuple[Process, Walked]]:
        """The processes whose code reaches no publishing call, with what it reaches."""
        if self._silent is None:
            self._silent = [*self._found_silent()]
        return self._silent

    def _found_silent(self) -> Iterator[tuple[Process, Walked]]:
        frames = (frame.node for publish in self._bounds.publishes for frame in self._frames(publish).roots)
        inside = set(frames)  # runs in a process that publishes, as far as its callers are known
        for process in self._processes:
            if process.node in inside:
                continue
            roots = (Root(process.node),)
            found = self._reach(roots, None)
            publishing = [node for node in (*found.steps, *found.stopped) if self._bounds.roles(node)]
            if not any((found.steps.get(node) or found.stopped[node]).sure for node in publishing):
                yield process, Walked(roots, found)

    def _publishes(self, role: str) -> tuple[Publish, ...]:
        return tuple(publish for publish in self._bounds.publishes if publish.role == role)

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
        enough: Enough = lambda node, step: False,
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


def _earlier(one: Root, other: Root) -> Root:
    """Two parts of a scope as one."""
    return Root(one.node, min(one.after, other.after), 0, tuple(set(one.skipped) & set(other.skipped)))
