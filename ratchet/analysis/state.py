"""What the walk over one file knows, from pass to pass, and the look-ups on it."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterable

from ratchet.analysis.dicts import Dicts
from ratchet.analysis.emission import Emitter
from ratchet.analysis.facts import Exports
from ratchet.analysis.lines import Hits, Lines
from ratchet.analysis.scopes import Scope, ScopeKind
from ratchet.analysis.tracked import Tracked
from ratchet.analysis.values import (
    NOTHING,
    UNKNOWN,
    Atom,
    Bag,
    Class,
    Context,
    Dict,
    Function,
    Getter,
    Instance,
    Items,
    Method,
    Module,
    Plain,
    Record,
    Symbol,
    Text,
    Value,
    View,
    aliased,
    join,
    join_all,
    only,
    pick,
    seen_through,
)
from ratchet.frozen import dataclass, field
from ratchet.model import Form

_INTERESTING = (Record, Bag, Context, Getter, Method, Module, View)


@dataclass(slots=True)
class ClassInfo:
    """A class of this file: its bases by dotted name, what its attributes hold, methods and properties.

    `holds` says whether an attribute of an unconventional name, or a method, gives something tracked.
    """

    bases: tuple[str, ...] = ()
    record: str | None = None
    attributes: dict[str, Value] = field(default_factory=dict)
    properties: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    holds: bool = False


Deferred = tuple["ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda", Scope]


class State:
    """The tables of one file.

    A pass that wants a word, or that changes what it has already been `asked` for (a function's name, a
    class's, an attribute's with a dot before it), asks for another pass.
    """

    def __init__(
        self, tracked: Tracked, module: str, is_package: bool, lines: Lines, outside: Exports
    ) -> None:
        self.tracked = tracked
        self.module = module
        self.is_package = is_package
        self.lines = lines
        self.outside = outside
        self.words = set(tracked.words) | _outside_words(outside)
        self.hits = Hits(lines, self.words | tracked.stems | {"import"})
        self.emitter = Emitter(tracked, lines)
        self.wanted: set[str] = set()
        self.changed = False
        self.scopes: dict[tuple[str, int], Scope] = {}
        self.classes: dict[str, ClassInfo] = {}
        self.returns: dict[str, Value] = {}
        self.promised: dict[str, Value] = {}
        self.dicts = Dicts()
        self.asked: set[str] = set()
        self.subclasses: dict[str, set[str]] = {}
        self.loose: dict[str, Value] = {}
        self.modules: set[str] = set()
        self.imported: set[str] = set()
        self.deferred: deque[Deferred] = deque()

    def next_pass(self) -> bool:
        """Make the wanted words interesting; whether another pass would see more than the last one."""
        fresh = self.wanted - self.words
        self.words |= fresh
        again = any([self.hits.add(fresh), self.dicts.next_pass(), self.changed])
        self.asked.clear()
        self.wanted.clear()
        self.changed = False
        return again

    def forget(self) -> None:
        """Let go of the syntax tree, which the tables' cycles would keep until a garbage collection."""
        self.emitter.clear()
        self.scopes.clear()
        self.deferred.clear()

    def scope(self, kind: ScopeKind, name: str, parent: Scope | None, line: int) -> Scope:
        """The scope that begins on a line, the same one in every pass."""
        found = self.scopes.get((name, line))
        if found is None:
            dotted = f"{self.module}.{name}" if name else self.module
            found = self.scopes[name, line] = Scope(kind, name, dotted, parent)
        found.start()
        return found

    # Names

    def bind(self, scope: Scope, name: str, value: Value) -> None:
        """Bind a name; a value of unknown origin under a conventional name is the record, handed in."""
        owner = scope.elsewhere.get(name, scope)
        if Plain.UNKNOWN in value:
            value = (value - {Plain.UNKNOWN}) | owner.declared.get(name, UNKNOWN)
            value = self.by_convention(value, self.tracked.conventional_name(name), "alias")
        if name not in self.words and self.interesting(value):
            self.wanted.add(name)
        if owner is scope:
            # Whoever reads the name from within runs later and sees it; whoever read it before did not.
            if name in scope.outer and name not in scope.ever:
                self.changed = True
            scope.bind(name, value)
            return
        before = owner.ever.get(name)
        after = owner.ever[name] = join(before or NOTHING, value)
        self.changed = self.changed or after != before or name not in owner.shared
        owner.shared.add(name)

    def declare(self, scope: Scope, name: str, value: Value) -> None:
        """Note what an annotation promises of a name, wherever it is bound."""
        if scope.declared.get(name) != value:
            scope.declared[name] = value
            self.changed = self.changed or name in scope.ever
        if value - {Plain.NONE, Plain.UNKNOWN, Plain.OTHER} and not self._is_instance(value):
            self.wanted.add(name)

    def _is_instance(self, value: Value) -> bool:
        return all(isinstance(atom, (Instance, Plain)) for atom in value)

    def by_convention(self, value: Value, object_id: str | None, form: Form) -> Value:
        """The value with its unknown part replaced by the object that a conventional name stands for."""
        if object_id is None or Plain.UNKNOWN not in value:
            return value
        return (value - {Plain.UNKNOWN}) | only(Record(object_id, "supplied", form, form))

    def interesting(self, value: Value) -> bool:
        """Whether a name that stands for this value leads to accesses."""
        for atom in value:
            kind = type(atom)
            if kind is Plain or kind is Symbol:
                continue
            if isinstance(atom, _INTERESTING) or self._leads_on(atom):
                return True
        return False

    def _leads_on(self, atom: Atom) -> bool:
        """Whether something that is not tracked itself holds, or gives, something that is."""
        if isinstance(atom, Function):
            return bool(self.result_of(atom.name))
        if isinstance(atom, (Class, Instance)):
            return self._parks(atom.name)
        if isinstance(atom, Items):
            return self.interesting(atom.value)
        return isinstance(atom, Dict) and atom.place in self.dicts.expanded

    def want(self, name: str) -> None:
        """Ask for the statements that bind a name whose value matters (a constant, a dict)."""
        self.wanted.add(name)

    def dotted(self, name: str) -> Value:
        """What a dotted name of some module stands for."""
        value = self.tracked.getters.get(name, NOTHING)
        if value and any(isinstance(atom, Getter) and atom.kind == "record" for atom in value):
            # The pack says what an accessor yields, whatever its own body is seen to return.
            return value
        if not value and name in self.tracked.modules:
            value = only(Module(name))
        if self.outside:
            value = join(value, self._from_outside(name))
        return value or only(Symbol(name))

    def _from_outside(self, name: str) -> Value:
        value = aliased(self.outside.names.get(name, NOTHING))
        if name in self.outside.returns:
            value = join(value, only(Function(name)))
        if name in self.outside.bases:
            value = join(value, only(Class(name)))
        return value

    # Functions and classes

    def result_of(self, function: str) -> Value:
        """What a function of this or another file returns; nothing where it returns nothing tracked."""
        self.asked.add(function)
        value = join(self.returns.get(function, NOTHING), self.outside.returns.get(function, NOTHING))
        promised = self.promised.get(function)
        if promised is not None and (not value or Plain.UNKNOWN in value):
            value = (value - {Plain.UNKNOWN}) | promised
        return value if any(not isinstance(atom, Plain) for atom in value) else NOTHING

    def returned(self, function: str, value: Value) -> None:
        """Note what a function returns: what is tracked, and whether it may be something else."""
        kept = frozenset(atom for atom in value if isinstance(atom, (Plain, *_INTERESTING)))
        before = self.returns.get(function, NOTHING)
        after = join(before, kept if len(kept) == len(value) else kept | UNKNOWN)
        if after != before:
            self.returns[function] = after
            if self.interesting(after):
                owner, _, name = function.rpartition(".")
                self.changed = self.changed or function in self.asked
                self.wanted.add(name)
                if owner in self.classes:
                    self._hold(owner)

    def promise(self, function: str, value: Value) -> None:
        """Note what the annotation of a function says that it returns."""
        if not any(isinstance(atom, Record) for atom in value):
            self.promised.pop(function, None)  # an earlier pass did not know the class yet
            return
        self.changed = self.changed or function not in self.promised
        self.promised[function] = value
        self.wanted.add(function.rpartition(".")[2])

    def derive(self, base: str, class_name: str) -> None:
        """Note that a class derives from another."""
        known = self.subclasses.setdefault(base, set())
        if class_name not in known:
            # Those further up have it below them too.
            known |= {class_name, *self.subclasses.get(class_name, ())}

    def park(self, class_name: str, attribute: str, value: Value) -> None:
        """Note what an attribute of a class, or of its instances, is bound to."""
        info = self.classes.get(class_name)
        if info is None:
            self.park_loosely(attribute, value)
            return
        if Plain.UNKNOWN in value:
            value = self.by_convention(value, self.tracked.conventional_attribute(attribute), "self")
        before = info.attributes.get(attribute, NOTHING)
        after = join(before, value)
        if after != before:
            info.attributes[attribute] = after
            conventional = self.tracked.conventional_attribute(attribute) is not None
            if not (conventional and _handed_in(value)):
                self._parked(attribute, value)
            if not conventional and self.interesting(value):
                self._hold(class_name)
                self.wanted.add(class_name.rpartition(".")[2])

    def park_loosely(self, attribute: str, value: Value) -> None:
        """Note a park on an object of unknown class: any unknown object of this file may be the one."""
        if self.tracked.conventional_attribute(attribute) is not None:
            return
        if not (self.interesting(value) or attribute in self.loose):
            return
        before = self.loose.get(attribute, NOTHING)
        after = join(before, value)
        if after != before:
            self.loose[attribute] = after
            self._parked(attribute, after)

    def _parked(self, attribute: str, value: Value) -> None:
        if self.interesting(value):
            self.wanted.add(attribute)
            self.changed = self.changed or f".{attribute}" in self.asked

    def _hold(self, class_name: str) -> None:
        """Note that a class holds something tracked."""
        info = self.classes[class_name]
        concerned = {class_name, *self.subclasses.get(class_name, ())}
        self.changed = self.changed or not (info.holds or self.asked.isdisjoint(concerned))
        info.holds = True

    def attribute(self, class_name: str, attribute: str, form: Form) -> Value:
        """What an attribute of a class's instances holds; nothing where neither it nor its bases tell."""
        found = self._inherited(class_name, attribute, set())
        if not found:
            # A method of a base class runs on the objects of its subclasses too.
            below = sorted(self.subclasses.get(class_name, ()))
            found = join_all(self._inherited(name, attribute, {class_name}) for name in below)
        return seen_through(found, form)

    def _inherited(self, class_name: str, attribute: str, seen: set[str]) -> Value:
        if class_name in seen:
            return NOTHING
        seen.add(class_name)
        self.asked.add(f".{attribute}")
        info = self.classes.get(class_name)
        qualified = f"{class_name}.{attribute}"
        if info is not None and attribute in info.properties:
            return self.result_of(qualified) or self._unheld(qualified)
        if info is not None and attribute in info.methods:
            return only(Function(qualified))
        if info is None and qualified in self.outside.returns:
            return only(Function(qualified))
        value = (
            info.attributes.get(attribute, NOTHING) if info else self.outside.names.get(qualified, NOTHING)
        )
        bases = info.bases if info else self.outside.bases.get(class_name, ())
        for base in bases:
            value = join(value, self._inherited(base, attribute, seen))
        return value

    def _unheld(self, property_name: str) -> Value:
        """What a property gives that returns nothing tracked: something unknown, unless it tells."""
        returned = self.returns.get(property_name, UNKNOWN)
        attribute = property_name.rpartition(".")[2]
        return self.by_convention(returned, self.tracked.conventional_attribute(attribute), "self")

    def bases_of(self, class_name: str) -> Iterable[str]:
        """The bases of a class by dotted name, as far as they are known."""
        info = self.classes.get(class_name)
        return info.bases if info else self.outside.bases.get(class_name, ())

    def record_class(self, class_name: str, seen: frozenset[str] = frozenset()) -> str | None:
        """The tracked object that a class is, or derives from."""
        info = self.classes.get(class_name)
        if info is not None and info.record is not None:
            return info.record
        getters = self.tracked.getters.get(class_name, NOTHING)
        for atom in getters:
            if isinstance(atom, Getter) and atom.kind == "class":
                return atom.target
        if class_name in seen:
            return None
        found = (self.record_class(base, seen | {class_name}) for base in self.bases_of(class_name))
        return next((object_id for object_id in found if object_id is not None), None)

    def loosely(self, attribute: str, form: Form) -> Value:
        """What was parked under a name on any object of unknown class."""
        self.asked.add(f".{attribute}")
        return seen_through(self.loose.get(attribute, NOTHING), form)

    def _parks(self, class_name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a class, or a base of it, holds something tracked under an unconventional name."""
        self.asked.add(class_name)
        info = self.classes.get(class_name)
        if info is None:
            return class_name in self.outside.bases
        if info.holds or class_name in seen:
            return info.holds
        return any(self._parks(base, seen | {class_name}) for base in info.bases)


def _handed_in(value: Value) -> bool:
    """Whether a value is what a conventional name stands for anyway."""
    return all(
        atom is Plain.NONE or (isinstance(atom, Record) and atom.origin == "supplied") for atom in value
    )


def _outside_words(outside: Exports) -> set[str]:
    names = (*outside.names, *outside.returns, *outside.bases)
    return {name.rpartition(".")[2] for name in names}


def constant_names(value: Value) -> list[str] | None:
    """The strings that a value may be, None where it may be something else."""
    if not value or any(not isinstance(atom, Text) for atom in value):
        return None
    return list(dict.fromkeys(name for text in pick(value, Text) for name in text.choices))
