"""What a file says of functions and classes: the frozen types, from its text to the families of functions."""

from __future__ import annotations

from typing import Literal

from ratchet.frozen import dataclass
from ratchet.model import Span

Kind = Literal["call", "value", "base", "type", "text", "export"]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call: `name` is its keyword (None by position; "*" and "**" where it is unpacked).

    `plain` says whether evaluating it does nothing.
    """

    name: str | None
    span: Span
    plain: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names a function or a class.

    `target` is the dotted name that is meant; None where that is an attribute of an object that nobody knows.
    `bound` says whether the object before the dot is the first argument: off `self`, or off `super()`.
    """

    path: str
    line: int
    word: str
    kind: Kind
    target: str | None
    bound: bool = False
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in a signature, where it stands with its annotation and default."""

    name: str
    span: Span
    positional: bool
    only_keyword: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A function: `owner` is the class of a method; `parameters` are without those that collect."""

    path: str
    line: int
    dotted: str
    name: str
    owner: str | None
    parameters: tuple[Parameter, ...]
    decorators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """A class: `bases` are dotted names (None: nobody knows), `odd` says what makes calling it special."""

    path: str
    dotted: str
    bases: tuple[str | None, ...]
    odd: str


@dataclass(frozen=True, slots=True)
class Seen:
    """What one file says of some words: `aliases` are what its module's names stand for."""

    definitions: tuple[Definition, ...] = ()
    classes: tuple[Class, ...] = ()
    mentions: tuple[Mention, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
