"""Where processes begin: functions that publish, targets of process starters, scripts, run modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal, Protocol

from ratchet.frozen import dataclass
from ratchet.model import Publishing
from ratchet.reach.callers import Handed, callers
from ratchet.reach.facts import MAIN, Keyed, Keywords, ScopeFacts
from ratchet.reach.program import Program
from ratchet.reach.values import Node, Value, Values
from ratchet.reach.walk import Root

_CLIMB = 12
_ARGUMENTS = 4_000  # characters of a call before the keyword that matters


@dataclass(frozen=True, slots=True)
class Publish:
    """A call that publishes: where it stands, and its role; None where that is no constant."""

    node: Node
    line: int
    role: str | None


@dataclass(frozen=True, slots=True)
class Process:
    """Where a process begins: a function, or the module that is run; who starts it (None: a user may).

    `via` says how: a `target` of a process starter, a `module` of a command line, a `script`, or `declared`
    by the pack.
    """

    node: Node
    via: Literal["target", "module", "script", "declared"]
    started: tuple[Node, int] | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """The publishing calls and the processes of a program, and the targets that nobody can name."""

    publishes: tuple[Publish, ...]
    processes: tuple[Process, ...]
    unknown: tuple[tuple[Node, int, str], ...]

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that something publishes under."""
        return tuple(sorted({publish.role for publish in self.publishes if publish.role}))


def keywords_of(publishing: Publishing) -> Keywords:
    """What the walk over files needs to know of a pack's table of publishing."""
    return Keywords(publishing.role, publishing.starters)


def find_entries(program: Program, values: Values, publishing: Publishing) -> Entries:
    """Where processes begin, and where they publish.

    Only calls in files that spell the keyword of the role, or the module of what publishes, are found.
    """
    finder = Finder(program, values, publishing)
    publishes = {item for path in finder.publishing_files() for item in finder.publishes_in(path)}
    processes = {process.node: process for process in reversed([*finder.processes()])}
    return Entries(
        tuple(sorted(publishes, key=_publish_order)),
        tuple(sorted(processes.values(), key=lambda item: item.node)),
        tuple(finder.unknown),
    )


def _publish_order(item: Publish) -> tuple[str, Node, int]:
    return (item.role or "", item.node, item.line)


class Bounds(Protocol):
    """Where walks through processes end: at what begins another one, or publishes under another role."""

    @property
    def publishes(self) -> tuple[Publish, ...]:
        """The publishing calls, all those of each role that matters."""

    def begins(self, node: Node) -> bool:
        """Whether a process begins with a scope."""

    def roles(self, node: Node) -> Collection[str | None]:
        """The roles under which a scope publishes."""


class Known:
    """The bounds that a program's entries are."""

    def __init__(self, entries: Entries) -> None:
        self.publishes = entries.publishes
        self._begin = frozenset(process.node for process in entries.processes)
        self._roles: dict[Node, set[str | None]] = {}
        for publish in entries.publishes:
            self._roles.setdefault(publish.node, set()).add(publish.role)

    def begins(self, node: Node) -> bool:
        """Whether a process begins with a scope."""
        return node.scope == MAIN or node in self._begin

    def roles(self, node: Node) -> Collection[str | None]:
        """The roles under which a scope publishes."""
        return self._roles.get(node, ())


@dataclass(frozen=True, slots=True)
class Frames:
    """The scopes around a publishing call, from it up to where its process starts, each with what follows it.

    `callers` are those of each scope among them.
    """

    publish: Publish
    roots: tuple[Root, ...]
    callers: Mapping[Node, tuple[Node, ...]]


def frames_of(program: Program, values: Values, publish: Publish, begins: Callable[[Node], bool]) -> Frames:
    """The scopes whose code runs in a process that has published, each from the line on where it has.

    That is the function that publishes, and its callers up to where a process `begins`.
    """
    frames = {publish.node: _from(program, publish.node, publish.line, publish.line + 1)}
    calling: dict[Node, list[Node]] = {}
    pending = [(publish.node, 0)]
    while pending:
        node, depth = pending.pop()
        if depth >= _CLIMB or not node.scope or begins(node):
            continue
        for caller, line, called in callers(program, values, node):
            calling.setdefault(node, []).append(caller)
            if caller not in frames and caller != node:
                frames[caller] = _from(program, caller, line, line, handed=not called)
                pending.append((caller, depth + 1))
    return Frames(publish, tuple(frames.values()), {node: tuple(found) for node, found in calling.items()})


def before_publish(
    program: Program, frames: Frames, publishes: Iterable[Publish], begins: Callable[[Node], bool]
) -> tuple[Root, ...]:
    """Of the scopes around a publishing call, the parts that run before it, and before any other.

    Where a process `begins` on some way to the call, only what lies on such a way counts.
    """
    roots = {root.node: root for root in frames.roots if not root.handed}
    own = frames.publish.node
    published = {item.node for item in publishes if item.node != own}
    tops = [node for node in roots if begins(node)]
    tops = tops or [node for node in roots if not frames.callers.get(node)]
    called: dict[Node, list[Node]] = {}
    for node, found in frames.callers.items():
        for caller in found:
            called.setdefault(caller, []).append(node)
    on_way: dict[Node, None] = {}
    pending = [node for node in tops if node not in published]
    while pending:
        node = pending.pop()
        if node in roots and node not in on_way and node not in published:
            on_way[node] = None
            pending += called.get(node, ())
    line = frames.publish.line
    return tuple(_until(program, node, line if node == own else roots[node].after) for node in on_way)


def _until(program: Program, node: Node, line: int) -> Root:
    """The part of a scope that runs before a line: branches from which no way leads there are skipped."""
    branches = program.scope(*node).branches
    skipped = tuple((first, last) for first, last, end in branches if last < line <= end)
    return Root(node, before=line, skipped=skipped)


def _from(program: Program, node: Node, line: int, after: int, handed: bool = False) -> Root:
    """The part of a scope that runs once a line has: what the branch of that line leaves out is skipped."""
    branches = program.scope(*node).branches
    skipped = tuple((last + 1, end) for first, last, end in branches if first <= line <= last)
    return Root(node, after, skipped=skipped, handed=handed)


class Finder:
    """Looks for entries in the files whose bytes may hold one. `unknown` are targets that nobody can name."""

    def __init__(self, program: Program, values: Values, publishing: Publishing) -> None:
        self._program = program
        self._values = values
        self._publishing = publishing
        self._functions = {found for name in publishing.functions for found in values.dotted(name)}
        self._wrappers = {found: role for name, role in publishing.wrappers for found in values.dotted(name)}
        self._handed = Handed(program, values)
        self.unknown: dict[tuple[Node, int, str], None] = {}

    def publishing_files(self) -> list[str]:
        """The files whose bytes may hold a publishing call: they call the name, or give it another one."""
        found: set[str] = set()
        for name in self._publishing.functions:
            module, _, word = name.rpartition(".")
            named = rf"(?m){re.escape(word)}(?:[\s\\]*\(|\s+as\b|\s*$)"
            for path in self._program.matching(word, named):
                beside = (self._publishing.role, module.rpartition(".")[2])
                if any(self._program.holds(path, [other]) for other in beside):
                    found.add(path)
        for name, _ in self._publishing.wrappers:
            found.update(self._program.holding(name.rpartition(".")[2]))
        return sorted(found)

    def publishes_in(self, path: str) -> Iterator[Publish]:
        """The publishing calls of a file."""
        names = {name.rpartition(".")[2] for name in self._publishing.functions}
        names |= {name.rpartition(".")[2] for name, _ in self._publishing.wrappers}
        for name, forms in self._program.scope(path, "").names.items():  # what is imported under another name
            if any(form.rpartition(".")[2] in names for form in forms):
                names = {*names, name}
        # Each begins with a text, which is looked for many times faster than one of several would be.
        calls = [rf"{re.escape(name)}\b" for name in sorted(names)]
        for scope, facts in self._program.around(
            path, *calls, rf"{re.escape(self._publishing.role)}[\s\\]*="
        ):
            yield from self._publishes(Node(path, scope), facts, names)

    def _publishes(self, node: Node, facts: ScopeFacts, names: Collection[str]) -> Iterator[Publish]:
        if any(value.node == node for value in self._wrappers):
            return
        for call in facts.roles:
            called = self._values.of(*node, call.chain).values
            if called & self._functions:
                roles = self._texts(node, call)
                yield from (Publish(node, call.line, role) for role in roles or (None,))
        keyed = {call.line for call in facts.roles}
        local = {
            name
            for name, forms in facts.names.items()
            if any(form.rpartition(".")[2] in names for form in forms)
        }
        for use in facts.uses:
            root, name = use.chain.partition(".")[0], use.chain.rpartition(".")[2]
            if not use.called or name not in {*names, *local} or facts.names.get(root) == ("$",):
                continue
            called = self._values.of(*node, use.chain).values
            for value in called & self._wrappers.keys():
                yield Publish(node, use.line, self._wrappers[value])
            if called & self._functions and use.line not in keyed:
                yield Publish(node, use.line, None)

    def _texts(self, node: Node, call: Keyed) -> list[str]:
        """The roles that a call may name; nothing where one of them is no constant."""
        found: list[str] = []
        for form in call.forms:
            values = self._values.of(*node, form).values
            if not values or any(value.kind != "text" for value in values):
                return []
            found += sorted(value.name for value in values)
        return found

    def processes(self) -> Iterator[Process]:
        """Where processes begin, once for each way to begin them."""
        yield from self.declared()
        for starts in (*self.starts(), self.runs()):
            for path in self._program.matching(*starts):
                yield from self.started(path, starts[1])
        for path in self._program.scripts():
            yield Process(Node(path, MAIN), "script")

    def declared(self) -> Iterator[Process]:
        """The processes that the pack names."""
        for name in self._publishing.processes:
            for value in self._functions_in(self._values.dotted(name)):
                yield Process(value.node, "declared")

    def starts(self) -> Iterator[tuple[str, str]]:
        """For each process starter a text, and a pattern that begins with it: its calls with a target."""
        for name, keyword in self._publishing.starters:
            yield name, rf"{re.escape(name)}[\s\\]*\([^;]{{0,{_ARGUMENTS}}}?{re.escape(keyword)}[\s\\]*="

    def runs(self) -> tuple[str, str]:
        """Likewise for command lines that run a module of the tree."""
        return "-m", rf"-m[\"\'],\s*[\"\']{re.escape(self._program.package)}\."

    def started(self, path: str, starts: str) -> Iterator[Process]:
        """The processes that a file starts where a pattern matches."""
        for scope, facts in self._program.around(path, starts):
            node = Node(path, scope)
            for call in facts.targets:
                told = [self._handed.of(node, form) for form in call.forms]
                found = [
                    *self._functions_in(sorted({value for values, _ in told for value in values}, key=repr))
                ]
                if not found or not all(complete for _, complete in told):
                    self.unknown[node, call.line, call.forms[0] if call.forms else "?"] = None
                for value in found:
                    yield Process(value.node, "target", (node, call.line))
            for line, module in facts.modules:
                for run in (self._program.modules.get(module), self._program.modules.get(f"{module}.{MAIN}")):
                    if run is not None:
                        begin = MAIN if self._program.is_script(run) else ""
                        yield Process(Node(run, begin), "module", (node, line))

    def _functions_in(self, values: Iterable[Value]) -> Iterator[Value]:
        """The functions among values, those in containers too; a callable object runs its own method."""
        for value in values:
            if value.kind == "function":
                yield value
            elif value.kind == "many" and value.inner is not None:
                yield from self._functions_in([value.inner])
            elif value.kind == "instance":
                method = self._values.method(value.node, "__call__")
                if method is not None:
                    yield Value("function", *method)
