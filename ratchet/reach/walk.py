"""What code can run from some roots on: calls, methods of classes that are made, callbacks handed as values.

An edge is *sure* where syntax says whom a call reaches, or that a function is handed on as a value. What only
a name suggests (a method called on an object of unknown class, a method that a framework may call) is
*possible*, and followed last: what is reached over it stays apart.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from ratchet.frozen import dataclass, field
from ratchet.reach.facts import Use
from ratchet.reach.program import Program
from ratchet.reach.scopes import DYNAMIC
from ratchet.reach.values import Node, Outcome, Value, Values, in_order

How = Literal["root", "call", "value", "method", "property", "framework", "name"]
POSSIBLE: frozenset[How] = frozenset(("framework", "name"))
_MAKING = ("__new__", "__init__", "__post_init__")
_COMMON = frozenset(
    "get pop append add items keys values update copy join split strip encode decode format extend insert "
    "remove clear index count sort reverse setdefault startswith endswith replace lower upper read write "
    "close put send recv wait set start run".split()
)


@dataclass(frozen=True, slots=True)
class Root:
    """Where a walk begins: the lines of a scope from `after` on and before `before` (0: the whole scope).

    `skipped` are ranges of lines that do not run in this part, both ends included. `handed` says that nothing
    calls on from here: the scope only hands on a function.
    """

    node: Node
    after: int = 0
    before: int = 0
    skipped: tuple[tuple[int, int], ...] = ()
    handed: bool = False

    def covers(self, line: int) -> bool:
        """Whether a line may run in this part."""
        return self.line_of(Use("", line, line, False)) is not None

    def line_of(self, use: Use) -> int | None:
        """The line at which this part may run a use, None where it runs none of them."""
        for line in (use.line, use.last):
            inside = line >= self.after and (not self.before or line < self.before)
            if inside and not any(first <= line <= last for first, last in self.skipped):
                return line
        return None


@dataclass(frozen=True, slots=True)
class Step:
    """How a scope was reached: from which one (None for a root), at which line there, and how."""

    source: Node | None
    line: int
    how: How
    sure: bool


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A place where code runs that cannot be followed, and why."""

    node: Node
    line: int
    why: Literal["dynamic", "table", "computed", "callable"]
    chain: str


@dataclass(frozen=True, slots=True)
class Reach:
    """What roots reach: each scope with how, what cannot be followed, and where the walk stopped.

    `complete` is false where it ended early because it had seen enough.
    """

    roots: tuple[Root, ...]
    steps: Mapping[Node, Step]
    unresolved: tuple[Unresolved, ...] = ()
    stopped: Mapping[Node, Step] = field(default_factory=dict)
    complete: bool = True

    def chain(self, node: Node) -> tuple[tuple[Node, int], ...]:
        """The way to a scope: each scope on it with the line that leads on, the last one with line 0."""
        way: list[tuple[Node, int]] = [(node, 0)]
        step = self.steps[node] if node in self.steps else self.stopped[node]
        while step.source is not None:
            way.append((step.source, step.line))
            step = self.steps[step.source]
        return tuple(reversed(way))


class Traversal:
    """A walk that goes as far as it is asked to: first over all sure edges, then over the possible ones."""

    def __init__(
        self,
        program: Program,
        values: Values,
        roots: Iterable[Root],
        stop: Callable[[Node, How], bool] = lambda node, how: False,
    ) -> None:
        """It goes no further than where `stop` says so."""
        self._program = program
        self._values = values
        self._roots = tuple(roots)
        self._stop = stop
        self._steps: dict[Node, Step] = {}
        self._stopped: dict[Node, Step] = {}
        self._unresolved: dict[Unresolved, None] = {}
        self._sure: deque[Node] = deque()
        self._possible: deque[tuple[Node, Step]] = deque()
        self._live: dict[Node, Step] = {}
        self._methods: dict[str, dict[Node, None]] = {}
        self._named: dict[str, Step] = {}
        self._dispatched: dict[tuple[Node, str], Step] = {}
        self._by_class: dict[Node, list[str]] = {}
        self._derived: dict[Node, list[Node]] = {}

        self._parts = {root.node: root for root in self._roots}
        for node in self._parts:
            self._steps[node] = Step(None, 0, "root", True)
        self._sure.extend(self._parts)
        self._pending: Node | None = None
        # The scopes that it came to, each with how much it had found until then; nothing of that is replaced.
        self._come: list[tuple[Node, int, int, int]] = []

    def whole(self) -> Reach:
        """Everything that the roots reach."""
        return self.until(lambda node, step: False)

    def until(self, enough: Callable[[Node, Step], bool]) -> Reach:
        """What the roots reach, as far as it takes: `enough`, told of each scope in turn, says where it ends.

        What an earlier call walked is not walked again, and changes no answer.
        """
        at = 0
        while at < len(self._come) or self._go_on():
            node, *known = self._come[at]
            if enough(node, self._steps[node]):
                return self._found(known, complete=False)
            at += 1
        return self._found((None, None, None), complete=True)

    def is_sure_of(self, node: Node) -> bool:
        """Whether the walk has found by now that a scope surely runs."""
        step = self._steps.get(node)
        return step is not None and step.sure

    def _found(self, known: Sequence[int | None], complete: bool) -> Reach:
        steps, unresolved, stopped = known
        return Reach(
            self._roots,
            dict(islice(self._steps.items(), steps)),
            tuple(islice(self._unresolved, unresolved)),
            dict(islice(self._stopped.items(), stopped)),
            complete,
        )

    def _go_on(self) -> bool:
        """Visit the scope that it came to last, and come to the next one; says whether there is one."""
        if self._pending is not None:
            self._visit(self._pending, self._steps[self._pending].sure, self._parts.get(self._pending))
            self._pending = None
        while not self._sure:
            if not self._possible:
                return False
            self._arrive(*self._possible.popleft())
        self._pending = self._sure.popleft()
        self._come.append((self._pending, len(self._steps), len(self._unresolved), len(self._stopped)))
        return True

    def _arrive(self, node: Node, step: Step) -> None:
        if node in self._steps or node in self._stopped:
            return
        if self._stop(node, step.how):
            self._stopped[node] = step
        else:
            self._steps[node] = step
            self._sure.append(node)

    def _go(self, source: Node, sure: bool, node: Node, line: int, how: How) -> None:
        if node == source or node in self._steps or node in self._stopped:
            return
        step = Step(source, line, how, sure and how not in POSSIBLE)
        if how in POSSIBLE:
            self._possible.append((node, step))
        else:
            self._arrive(node, step)

    def _visit(self, node: Node, sure: bool, root: Root | None) -> None:
        facts = self._program.scope(*node)
        for use in facts.uses:
            line = use.line if root is None else root.line_of(use)
            if line is None:
                continue
            outcome = self._values.of(node.path, node.scope, use.chain)
            self._follow(node, sure, use, line, outcome)

    def _follow(self, node: Node, sure: bool, use: Use, line: int, outcome: Outcome) -> None:
        for passed in sorted(outcome.properties):
            self._go(node, sure, passed, line, "property")
        for value in in_order(outcome.values):
            self._run(node, sure, value, line, use.called)
        if outcome.dispatched:
            for owner, name in sorted(outcome.dispatched):
                self._dispatch(node, sure, owner, name, line)
        if use.called and not outcome.values:
            self._miss(node, sure, use, line)

    def _run(self, node: Node, sure: bool, value: Value, line: int, called: bool) -> None:
        if value.kind == "function":
            self._go(node, sure, value.node, line, "call" if called else "value")
        elif value.kind == "class":
            self._make(node, sure, value.node, line, called)
        elif value.kind == "many" and value.inner is not None:
            self._run(node, sure, value.inner, line, called)
        elif value.kind == "instance" and called:
            self._dispatch(node, sure, value.node, "__call__", line)
        elif value.kind == "outside" and called and value.name in DYNAMIC[1:]:
            self._unresolved[Unresolved(node, line, "dynamic", value.name)] = None

    def _make(self, node: Node, sure: bool, owner: Node, line: int, called: bool) -> None:
        """A class is made, or handed on to somebody who may make it: its methods may now be called."""
        how: How = "call" if called else "value"
        for name in _MAKING:
            method = self._values.method(owner, name)
            if method is not None:
                self._go(node, sure, method, line, how)
        if owner in self._live:
            return
        step = Step(node, line, how, sure)
        self._live[owner] = step
        for ancestor in self._values.ancestors(owner):
            self._go(node, sure, ancestor, line, how)
            self._derived.setdefault(ancestor, []).append(owner)
            for name in self._by_class.get(ancestor, ()):
                self._dispatch_to(owner, name, self._dispatched[ancestor, name])
        self._offer(owner, step)

    def _offer(self, owner: Node, step: Step) -> None:
        """The methods of a class that now may have instances."""
        foreign = self._values.is_foreign(owner)
        for name, method in self._methods_of(owner):
            self._methods.setdefault(name, {})[method] = None
            called = self._named.get(name)
            if called is not None and called.source is not None:
                self._go(called.source, called.sure, method, called.line, "name")
            if foreign and step.source is not None:
                self._go(step.source, step.sure, method, step.line, "framework")

    def _methods_of(self, owner: Node) -> Iterator[tuple[str, Node]]:
        for holder in self._values.ancestors(owner):
            for name in self._program.calls(holder.path).methods(holder.scope):
                yield name, Node(holder.path, f"{holder.scope}.{name}")

    def _dispatch(self, node: Node, sure: bool, owner: Node, name: str, line: int) -> None:
        """A method called on an instance of a class: that of any class derived from it that is made."""
        if (owner, name) in self._dispatched:
            return
        step = Step(node, line, "method", sure)
        self._dispatched[owner, name] = step
        self._by_class.setdefault(owner, []).append(name)
        own = self._values.method(owner, name)
        if name == "__call__" and own is not None:
            self._go(node, sure, own, line, "call")
        for derived in self._derived.get(owner, ()):
            self._dispatch_to(derived, name, step)

    def _dispatch_to(self, owner: Node, name: str, step: Step) -> None:
        method = self._values.method(owner, name)
        if method is not None and step.source is not None:
            self._go(step.source, step.sure and self._live[owner].sure, method, step.line, "method")

    def _miss(self, node: Node, sure: bool, use: Use, line: int) -> None:
        """A call of something unknown: by the name of a method, or to be told as what cannot be followed."""
        if use.chain.endswith("[]"):
            self._unresolved[Unresolved(node, line, "table", use.chain)] = None
        elif use.chain.endswith(".*"):
            self._unresolved[Unresolved(node, line, "computed", use.chain)] = None
        elif "." not in use.chain:
            self._unresolved[Unresolved(node, line, "callable", use.chain.lstrip("?"))] = None
        name = use.chain.rpartition(".")[2]
        if not name.isidentifier() or use.chain == name:
            return
        if name in self._named or name in _COMMON:
            return
        step = Step(node, line, "name", sure)
        self._named[name] = step
        for method in self._methods.get(name, ()):
            self._go(node, sure, method, line, "name")
