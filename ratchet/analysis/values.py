"""What a name can stand for: a value is a set of atoms, the empty set being "nothing reaches this place"."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from ratchet.frozen import dataclass, replace
from ratchet.model import Form, Origin

if TYPE_CHECKING:
    from ratchet.analysis.emission import Emission


class Plain(Enum):
    """Atoms without content: None, something known not to be tracked, and something of unknown origin."""

    NONE = "none"
    OTHER = "other"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__  # the one of Enum hashes the name, in Python


@dataclass(frozen=True, slots=True)
class Record:
    """The tracked record: which object, where it came from, how this place and its alias's root spell it."""

    object: str
    origin: Origin
    form: Form
    root: Form


@dataclass(frozen=True, slots=True)
class Bag:
    """A namespace, by its dotted path."""

    path: str
    form: Form
    root: Form


@dataclass(frozen=True, slots=True)
class Context:
    """What a context accessor returns, by the accessor's dotted name."""

    accessor: str


@dataclass(frozen=True, slots=True)
class Getter:
    """A function or class that yields a tracked value when it is called."""

    kind: Literal["record", "bag", "context", "class", "constructor"]
    target: str


@dataclass(frozen=True, slots=True)
class Module:
    """A module or package that leads to a tracked name."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A dotted name of another module that this file imports."""

    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method of the tree, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the tree, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the tree."""

    name: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a record that was taken as a value, with the emission of that read."""

    owner: Record
    name: str
    emission: Emission | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A string constant, or one of several, in the order in which they are written."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """A literal list, tuple or set whose elements are these values together."""

    value: Value


@dataclass(frozen=True, slots=True)
class Dict:
    """A dict, by the place where it is made."""

    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Keys:
    """The string keys that a dict is given, and whether it may have others (`open`)."""

    names: tuple[str, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class View:
    """A record's fields as a mapping; a store into a `live` one changes the record."""

    record: Record
    live: bool


@dataclass(frozen=True, slots=True)
class Element:
    """What a field holds, with the emission that read it, so that a change in place can turn it into one."""

    emission: Emission


Atom: TypeAlias = (
    Plain
    | Record
    | Bag
    | Context
    | Getter
    | Module
    | Symbol
    | Function
    | Class
    | Instance
    | Method
    | Text
    | Items
    | Dict
    | View
    | Element
)
Value: TypeAlias = frozenset[Atom]

NOTHING: Value = frozenset()
NONE: Value = frozenset({Plain.NONE})
OTHER: Value = frozenset({Plain.OTHER})
UNKNOWN: Value = frozenset({Plain.UNKNOWN})

_Kind = TypeVar("_Kind")


def only(atom: Atom) -> Value:
    """The value that is just this atom."""
    return frozenset({atom})


def join(left: Value, right: Value) -> Value:
    """Either of two values."""
    if left is right or not right:
        return left
    return right if not left else left | right


def join_all(values: Iterable[Value]) -> Value:
    """Any of the values."""
    result = NOTHING
    for value in values:
        if value and value is not result:
            result = result | value if result else value
    return result


def pick(value: Value, kind: type[_Kind]) -> list[_Kind]:
    """The atoms of one kind, in a stable order."""
    if len(value) == 1:
        (atom,) = value
        return [atom] if isinstance(atom, kind) else []
    found: list[_Kind] = [atom for atom in value if isinstance(atom, kind)]
    return found if len(found) < 2 else sorted(found, key=repr)


def reform(value: Value, change: Callable[[Form], tuple[Form, Form | None]]) -> Value:
    """The value with the form (and, where one is given, the root) of its records and bags changed."""
    for atom in value:
        if isinstance(atom, (Record, Bag)):
            return frozenset(_reformed(item, change) for item in value)
    return value


def _reformed(atom: Atom, change: Callable[[Form], tuple[Form, Form | None]]) -> Atom:
    if not isinstance(atom, (Record, Bag)):
        return atom
    form, root = change(atom.form)
    return replace(atom, form=form, root=root or atom.root)


def aliased(value: Value) -> Value:
    """The value as it is seen through another name."""
    return reform(value, lambda form: ("alias", None))


def seen_through(value: Value, form: Form) -> Value:
    """The value as it is seen through an attribute (`self` or `chain`) that it was parked on."""
    return reform(value, lambda old: (form, form))


def without_tracked(value: Value) -> Value:
    """The value without what is tracked itself."""
    return frozenset(atom for atom in value if not isinstance(atom, (Record, Bag, Getter, View)))


def without_dicts(value: Value) -> Value:
    """The value without the dicts whose keys are followed."""
    return frozenset(atom for atom in value if not isinstance(atom, Dict))
