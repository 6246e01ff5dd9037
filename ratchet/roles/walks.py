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
    Traversal,
    Values,
    before_publish,
    frames_of,
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
        self._codes: dict[str, Traversal] = {}
        self._early: dict[str, Walked] = {}
        self._silent: list[tuple[Process, Walked]] | None = None

    def code(self, role: str) -> Code:
        """What the processes of a role run once they have published."""
        return self.code_until(role, lambda node, step: False)

    def code_until(self, role: str, enough: Enough) -> Code:
        """The same, as far as it takes to have seen enough."""
        return Code(role, self._publishes(role), self.begin(role), self._traversal(role).until(enough))

    def walk_ahead(self, role: str, wanted: Sequence[Node]) -> None:
        """Walk the code of a role until it surely runs all of these, to the end where there are none.

        Whoever asks for the code finds what was walked, and no more than was asked for.
        """
        walk = self._traversal(role)
        walk.until(lambda node, step: bool(wanted) and all(map(walk.is_sure_of, wanted)))

    def _traversal(self, role: str) -> Traversal:
        known = self._codes.get(role)
        if known is None:
            known = self._codes[role] = self._walk(self.begin(role), role)
        return known

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
            found = self._early[role] = Walked(parts, self._walk(parts, role, early=True).whole())
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
            found = self._walk(roots, None).whole()
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

    def _walk(self, roots: Sequence[Root], role: str | None, early: bool = False) -> Traversal:
        """A walk that stays in its process: not into others, nor into what publishes under another role.

        What is handed on as a value `early` may run late, and is left out.
        """
        own = {root.node for root in roots}
        bounds = self._bounds  # and not all of this, which keeps the walk: what nobody needs is freed at once

        def stop(node: Node, how: How) -> bool:
            if node in own:
                return False
            if early and how == "value":
                return True
            roles = bounds.roles(node)
            return bounds.begins(node) or bool(roles and role not in roles)

        return Traversal(self._program, self._values, roots, stop)


def _earlier(one: Root, other: Root) -> Root:
    """Two parts of a scope as one."""
    return Root(one.node, min(one.after, other.after), 0, tuple(set(one.skipped) & set(other.skipped)))
