"""What the chains of a program stand for: modules, classes, functions, instances, as far as syntax tells."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from ratchet.reach.facts import ScopeFacts, ScopeKind
from ratchet.reach.forms import CONTAINER, IMPORT, INSTANCE, LITERAL, TEXT, UNKNOWN
from ratchet.reach.program import Program
from ratchet.reach.scopes import DYNAMIC

_STEP = re.compile(r"\.(?:\w+|\*)|\(\)|\[\]")
_ROOT = re.compile(r"\^[\w.]+|\$+|\w+|\?\w*|!")
_BUILTINS = frozenset(dir(builtins))
_MARKS = (TEXT, CONTAINER, INSTANCE, LITERAL)
_DEFINED = ("class", "function")
_DEPTH = 24


ValueKind = Literal["module", "class", "function", "instance", "super", "text", "outside", "many"]
_RECEIVERS: dict[str, ValueKind] = {"$": "instance", "$$": "class", "super": "super"}


class Node(NamedTuple):
    """A scope of a file: a function, a class body, or what a module or a script runs itself."""

    path: str
    scope: str


class Value(NamedTuple):
    """What a chain may stand for: `outside` is code of others, by its dotted name; `many` holds values."""

    kind: ValueKind
    path: str
    name: str
    inner: Value | None = None

    @property
    def node(self) -> Node:
        """The scope that a class or a function is."""
        return Node(self.path, self.name)


class Outcome(NamedTuple):
    """What a chain stands for, and what running it involves.

    `properties` run on its way; `dispatched` are pairs of a class and a method's name, of which any class
    derived from it may have its own. No values: nobody knows what it stands for.
    """

    values: frozenset[Value]
    properties: frozenset[Node] = frozenset()
    dispatched: frozenset[tuple[Node, str]] = frozenset()


NOTHING = Outcome(frozenset())


class Held(NamedTuple):
    """What a class has under a name: a method, or what else it defines and binds there, with the scopes."""

    method: Node | None = None
    is_property: bool = False
    defined: tuple[Value, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()


class Values:
    """Evaluates the chains of one program, each once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[str, str, str], Outcome] = {}
        self._bases: dict[Node, tuple[tuple[Node, ...], bool]] = {}
        self._named: dict[str, frozenset[Value]] = {}
        self._around: dict[tuple[str, str], list[tuple[str, ScopeFacts]]] = {}
        self._members: dict[tuple[Node, str], Held | None] = {}
        self._kinds: dict[tuple[str, str], ScopeKind | None] = {}
        self._depth = 0

    def of(self, path: str, scope: str, form: str) -> Outcome:
        """What a form stands for in a scope."""
        key = (path, scope, form)
        found = self._known.get(key)
        if found is None:
            self._known[key] = NOTHING  # what leads back to itself adds nothing
            if self._depth >= _DEPTH:
                del self._known[key]
                return NOTHING
            self._depth += 1
            found = self._evaluated(path, scope, form)
            self._depth -= 1
            self._known[key] = found
        return found

    def dotted(self, name: str) -> frozenset[Value]:
        """What a dotted name stands for, seen from anywhere."""
        found = self._named.get(name)
        if found is None:
            self._named[name] = found = self._looked_up(name)
        return found

    def _looked_up(self, name: str) -> frozenset[Value]:
        package, modules = self._program.package, self._program.modules
        if name.partition(".")[0] != package:
            return frozenset((Value("outside", "", name),))
        rest: list[str] = []
        module = name
        while module and module not in modules and module not in self._program.folders:
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
        if not module:
            return frozenset((Value("outside", "", name),))
        if len(rest) == 1 and module in modules and self._program.defines(modules[module], rest[0]):
            return frozenset((Value("function", modules[module], rest[0]),))
        values = frozenset((Value("module", modules.get(module, ""), module),))
        for part in rest:
            values = frozenset(found for value in values for found in self._member(value, part)[0])
        return values or frozenset((Value("outside", "", name),))

    def ancestors(self, owner: Node) -> tuple[Node, ...]:
        """A class of the tree with the classes of the tree that it derives from, nearest first."""
        return self._family(owner)[0]

    def is_foreign(self, owner: Node) -> bool:
        """Whether a class derives from one outside of the tree, which may call its methods."""
        return self._family(owner)[1]

    def method(self, owner: Node, name: str) -> Node | None:
        """The method that an instance of a class has under a name."""
        for holder in self.ancestors(owner):
            scope = f"{holder.scope}.{name}"
            if self._kind(holder.path, scope) == "function":
                return Node(holder.path, scope)
        return None

    def _kind(self, path: str, scope: str) -> ScopeKind | None:
        """What a scope is, None where there is none of that name; asked most of all, and once of its file."""
        key = (path, scope)
        if key not in self._kinds:
            self._kinds[key] = self._program.calls(path).kind(scope)
        return self._kinds[key]

    # Forms and chains

    def _evaluated(self, path: str, scope: str, form: str) -> Outcome:
        mark, rest = form[:1], form[1:]
        if mark not in _MARKS:
            return self._chain(path, scope, form)
        if mark == TEXT:
            return Outcome(frozenset((Value("text", "", rest),)))
        if mark == CONTAINER:
            inner = self.of(path, scope, rest)
            return Outcome(frozenset(Value("many", "", "", value) for value in inner.values))
        if mark == INSTANCE:
            named = self.of(path, scope, rest)
            return Outcome(frozenset(_instance(value) for value in named.values))
        return Outcome(frozenset((Value("outside", "", "literal"),)))

    def _chain(self, path: str, scope: str, chain: str) -> Outcome:
        root, steps = split_chain(chain)
        if not root:
            return NOTHING
        values = self._root(path, scope, root)
        if not steps:
            return Outcome(values)
        if root == "super":
            steps = steps[1:]
        properties: set[Node] = set()
        dispatched: set[tuple[Node, str]] = set()
        for number, step in enumerate(steps):
            found: set[Value] = set()
            is_last = number == len(steps) - 1
            for value in values:
                if step[0] == "." and step != ".*":
                    members, through = self._member(value, step[1:])
                    properties |= through
                    found |= members
                    if is_last and value.kind in ("instance", "class"):
                        dispatched.add((value.node, step[1:]))
                else:
                    found.update(self._stepped(value, step))
            values = frozenset(found)
        return Outcome(frozenset(values), frozenset(properties), frozenset(dispatched))

    def _root(self, path: str, scope: str, root: str) -> frozenset[Value]:
        if root[0] == UNKNOWN:
            return frozenset()
        if root == LITERAL:
            return frozenset((Value("outside", "", "literal"),))
        if root[0] == IMPORT:
            return self.dotted(root[1:])
        if root in ("$", "$$", "super"):
            owner = self._class_around(path, scope)
            return frozenset((Value(_RECEIVERS[root], path, owner),)) if owner else frozenset()
        return self._name(path, scope, root)

    def _class_around(self, path: str, scope: str) -> str:
        while scope and self._kind(path, scope) != "class":
            scope = scope.rpartition(".")[0]
        return scope

    def _name(self, path: str, scope: str, name: str) -> frozenset[Value]:
        """What a name stands for in a scope, as Python looks it up."""
        for inside, facts in self.scopes_around(path, scope):
            found = self._bound(path, inside, facts, name)
            if found is not None:
                return found
        outside = (Value("outside", "", name),) if name in _BUILTINS else ()
        return self._starred(path, name) or frozenset(outside)

    def scopes_around(self, path: str, scope: str) -> list[tuple[str, ScopeFacts]]:
        """The scopes in which the names of a scope are looked up, the innermost first."""
        found = self._around.get((path, scope))
        if found is None:
            found = self._around[path, scope] = []
            inside = scope
            while True:
                facts = self._program.scope(path, inside)
                if inside == scope or facts.kind != "class":
                    found.append((inside, facts))
                if not inside:
                    break
                inside = inside.rpartition(".")[0] if self._kind(path, inside) else ""
        return found

    def _bound(self, path: str, scope: str, facts: ScopeFacts, name: str) -> frozenset[Value] | None:
        """What a scope itself binds a name to; None where it does not."""
        forms = facts.names.get(name)
        if facts.kind == "function" and name not in facts.inner:
            defined: tuple[Value, ...] = ()
        else:
            defined = self._defined(path, f"{scope}.{name}" if scope and facts.kind != "main" else name)
        if forms is None:
            return frozenset(defined) if defined else None
        found = [self.of(path, scope, form).values for form in forms]
        return found[0] if len(found) == 1 and not defined else frozenset(defined).union(*found)

    def _defined(self, path: str, scope: str) -> tuple[Value, ...]:
        kind = self._kind(path, scope)
        return (Value("class" if kind == "class" else "function", path, scope),) if kind in _DEFINED else ()

    def _starred(self, path: str, name: str) -> frozenset[Value]:
        for source in self._program.calls(path).stars:
            held = self._program.modules.get(source)
            if held is not None:
                found = self._member(Value("module", held, source), name)[0]
                if found:
                    return frozenset(found)
        return frozenset()

    # Steps

    def _member(self, value: Value, name: str) -> tuple[set[Value], set[Node]]:
        """What an attribute of a value stands for, and the properties that it runs."""
        if value.kind == "module":
            return self._of_module(value, name), set()
        if value.kind in ("class", "instance", "super"):
            return self._of_class(value, name)
        if value.kind == "outside" and value.name in DYNAMIC:
            return {Value("outside", "", f"{value.name}.{name}")}, set()
        if value.kind in ("outside", "many"):
            return {value}, set()
        return set(), set()

    def _of_module(self, value: Value, name: str) -> set[Value]:
        found = self._bound(value.path, "", self._program.scope(value.path, ""), name) if value.path else None
        if found:
            return set(found)
        inner = f"{value.name}.{name}"
        if inner in self._program.modules or inner in self._program.folders:
            return {Value("module", self._program.modules.get(inner, ""), inner)}
        return set(self._starred(value.path, name)) if value.path else set()

    def _of_class(self, value: Value, name: str) -> tuple[set[Value], set[Node]]:
        family = self.ancestors(value.node)
        for holder in family[1:] if value.kind == "super" else family:
            held = self._held(holder, name)
            if held is None:
                continue
            if held.method is not None:
                if held.is_property and value.kind != "class":
                    return set(self._result(held.method)), {held.method}
                return {Value("function", *held.method)}, set()
            found = {*held.defined}
            for scope, form in held.forms:
                found |= self.of(holder.path, scope, form).values
            if found:
                return found, set()
        outside = Value("outside", "", name)
        return ({outside} if self.is_foreign(value.node) else set()), set()

    def _held(self, holder: Node, name: str) -> Held | None:
        """What a class itself has under a name, None where that is nothing."""
        key = (holder, name)
        if key not in self._members:
            self._members[key] = self._looked_for(holder, name)
        return self._members[key]

    def _looked_for(self, holder: Node, name: str) -> Held | None:
        calls, scope = self._program.calls(holder.path), f"{holder.scope}.{name}"
        if self._kind(holder.path, scope) == "function":
            is_property = any(mark.rpartition(".")[2] in _PROPERTIES for mark in calls.marks(scope))
            return Held(Node(holder.path, scope), is_property)
        forms = [(holder.scope, form) for form in calls.scope(holder.scope).names.get(name, ())]
        held = Held(
            defined=self._defined(holder.path, scope),
            forms=(*forms, *calls.attributes(holder.scope, name)),
        )
        return held if held.defined or held.forms else None

    def _stepped(self, value: Value, step: str) -> Iterable[Value]:
        """What calling a value, taking an element of it, or a computed attribute gives."""
        if value.kind == "outside":
            return (value,)
        if value.kind == "many" and value.inner is not None:
            return (value.inner,) if step == "[]" else (value, value.inner)
        if step == "()":
            if value.kind == "class":
                return (Value("instance", value.path, value.name),)
            if value.kind == "function":
                return self._result(value.node)
            if value.kind == "instance":
                called = self.method(value.node, "__call__")
                return self._result(called) if called else ()
        if step == "[]" and value.kind in ("class", "function"):
            return (value,)
        return ()

    def _result(self, function: Node) -> frozenset[Value]:
        facts = self._program.scope(*function)
        values = frozenset(v for form in facts.returns for v in self.of(*function, form).values)
        # What an annotation outside of the tree promises says nothing where the code returns more.
        inside = frozenset(value for value in values if value.kind != "outside")
        return inside or values

    # Classes

    def _family(self, owner: Node) -> tuple[tuple[Node, ...], bool]:
        found = self._bases.get(owner)
        if found is None:
            self._bases[owner] = ((owner,), False)
            found = self._bases[owner] = self._joined(owner)
        return found

    def _joined(self, owner: Node) -> tuple[tuple[Node, ...], bool]:
        family, foreign = {owner: None}, False
        around = owner.scope.rpartition(".")[0]
        for base in self._program.scope(*owner).bases:
            values = self.of(owner.path, around, base).values
            for value in in_order(values):
                if value.kind == "class":
                    inherited, outside = self._family(value.node)
                    family.update(dict.fromkeys(inherited))
                    foreign |= outside
            if not any(value.kind == "class" for value in values):
                foreign |= base.partition("[")[0].rpartition(".")[2] not in _PLAIN_BASES
        return tuple(family), foreign


def split_chain(chain: str) -> tuple[str, list[str]]:
    """The root of a chain, empty where it has none, and its steps."""
    if chain.isidentifier():  # as every second one is
        return chain, []
    root = _ROOT.match(chain)
    return (root[0], _STEP.findall(chain, root.end())) if root else ("", [])


_PROPERTIES = ("property", "cached_property", "setter")
_PLAIN_BASES = (
    "object ABC Protocol Generic Enum IntEnum StrEnum Flag IntFlag str int float dict list set tuple bytes "
    "Exception ValueError RuntimeError TypeError KeyError BaseException NamedTuple TypedDict"
).split()


def _instance(value: Value) -> Value:
    return value._replace(kind="instance") if value.kind == "class" else value


def in_order(values: frozenset[Value]) -> Iterable[Value]:
    """Values in an order that does not change from run to run."""
    return values if len(values) < 2 else sorted(values, key=_order)


def _order(value: Value) -> tuple[object, ...]:
    kind, path, name, inner = value
    return kind, path, name, _order(inner) if inner else ()
