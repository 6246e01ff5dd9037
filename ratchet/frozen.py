"""Data classes that cost little to define: start-up is measured, and a hundred of them make up the stages.

`dataclasses.dataclass` writes six methods a class as text and compiles them in every process that starts,
which for a hundred classes takes as long as everything else in a check of one file. Here the same methods are
closures over the fields' names. To a type checker, and to `dataclasses.fields` and `replace`, these are data
classes; what is not needed here (inheritance, InitVar, ClassVar, keyword-only fields) is left out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, field
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "fields", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, fields, replace
else:

    def dataclass(*, slots, frozen=False, order=False, eq=True):
        """Make a class with slots out of annotated names, as `dataclasses.dataclass` does."""
        assert slots, "without slots, use the data classes of the standard library"
        return lambda cls: _made(cls, frozen, order, eq)

    def fields(owner):
        """The fields of a class or of an instance, in order; each has at least a name and a default."""
        return tuple((owner if isinstance(owner, type) else type(owner)).__frozen_fields__.values())

    def replace(value, /, **changes):
        """A copy of a value with other contents in some of its fields."""
        for name, item in type(value).__frozen_fields__.items():
            if item.init and name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)


Methods = dict[str, Any]
Setter = Callable[[Any, Any], None]


class _StandardFields:
    """What the standard library asks of a data class; made by it, when it asks."""

    def __get__(self, _instance: object, owner: Any) -> Mapping[str, Field[Any]]:
        copies = {name: _copied(item) for name, item in owner.__frozen_fields__.items()}
        plain = type(owner.__name__, (), {"__annotations__": owner.__annotations__, **copies})
        found: Mapping[str, Field[Any]] = dataclasses.dataclass(plain).__dataclass_fields__  # type: ignore[attr-defined]
        owner.__dataclass_fields__ = found
        return found


def _copied(item: Field[Any]) -> Field[Any]:
    made: Field[Any] = field(init=item.init, repr=item.repr, compare=item.compare)
    made.default, made.default_factory = item.default, item.default_factory
    return made


def _made(cls: type, frozen: bool, order: bool, eq: bool) -> type:
    found = {name: _field(cls, name) for name in cls.__annotations__}
    namespace = {name: value for name, value in cls.__dict__.items() if name not in found}
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = tuple(found)
    namespace["__frozen_fields__"] = found
    namespace["__dataclass_fields__"] = _StandardFields()
    namespace["__match_args__"] = tuple(name for name, item in found.items() if item.init)
    namespace |= {"__repr__": _repr_of(found), **_pickling(found)}
    if eq:
        namespace |= _comparisons(found, frozen, order)
    if frozen:
        namespace |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    # Only now are there slots to fill: their descriptors set what __setattr__ refuses.
    type.__setattr__(made, "__init__", _init_of(made, found))
    return made


def _field(cls: type, name: str) -> Field[Any]:
    given = cls.__dict__.get(name, MISSING)
    item: Field[Any] = given if isinstance(given, Field) else field(default=given)
    item.name = name
    return item


def _init_of(made: type, found: Mapping[str, Field[Any]]) -> Callable[..., None]:
    filled = {name: made.__dict__[name].__set__ for name in found}
    names = tuple(name for name, item in found.items() if item.init)
    setters = tuple(filled[name] for name in names)
    count = len(names)
    later = tuple(
        (filled[name], item) for name, item in found.items() if not item.init and _has_default(item)
    )
    prepare = made.__dict__.get("__post_init__")
    if prepare is None and not later and 0 < count <= len(_SHORT):
        defaults = [found[name].default for name in names]
        if not any(found[name].default_factory is not MISSING for name in names):
            return _short_init(_SHORT[count - 1](*setters), names, defaults)

    def __init__(self: Any, *args: Any, **given: Any) -> None:
        if len(args) != count:
            args = _arguments(made.__name__, found, names, args, given)
        elif given:
            raise TypeError(f"{made.__name__}() got all fields by position, and {', '.join(given)} once more")
        for set_field, value in zip(setters, args):  # noqa: B905 - as many as there are, and called most of all
            set_field(self, value)
        for set_field, item in later:
            set_field(self, _default(item))
        if prepare is not None:
            prepare(self)

    return __init__


def _short_init(init: FunctionType, names: Sequence[str], defaults: Sequence[Any]) -> Callable[..., None]:
    """One of the functions below whose parameters are called what the fields are."""
    init.__code__ = init.__code__.replace(co_varnames=("self", *names))
    init.__defaults__ = tuple(default for default in defaults if default is not MISSING)
    return init


def _one(first: Setter) -> Any:
    def __init__(self: Any, a: Any) -> None:
        first(self, a)

    return __init__


def _two(first: Setter, second: Setter) -> Any:
    def __init__(self: Any, a: Any, b: Any) -> None:
        first(self, a)
        second(self, b)

    return __init__


def _three(first: Setter, second: Setter, third: Setter) -> Any:
    def __init__(self: Any, a: Any, b: Any, c: Any) -> None:
        first(self, a)
        second(self, b)
        third(self, c)

    return __init__


def _four(first: Setter, second: Setter, third: Setter, fourth: Setter) -> Any:
    def __init__(self: Any, a: Any, b: Any, c: Any, d: Any) -> None:
        first(self, a)
        second(self, b)
        third(self, c)
        fourth(self, d)

    return __init__


def _five(first: Setter, second: Setter, third: Setter, fourth: Setter, fifth: Setter) -> Any:
    def __init__(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
        first(self, a)
        second(self, b)
        third(self, c)
        fourth(self, d)
        fifth(self, e)

    return __init__


# Classes of few fields are made by the hundred thousand: what takes any arguments costs three times as much.
_SHORT: tuple[Callable[..., Any], ...] = (_one, _two, _three, _four, _five)


def _arguments(
    called: str,
    found: Mapping[str, Field[Any]],
    names: Sequence[str],
    args: tuple[Any, ...],
    given: dict[str, Any],
) -> tuple[Any, ...]:
    """The values of all fields, where some were given by name or not at all."""
    if len(args) > len(names):
        raise TypeError(f"{called}() got {len(args)} values for its {len(names)}")
    values = list(args)
    for name in names[len(args) :]:
        if name in given:
            values.append(given.pop(name))
        elif _has_default(found[name]):
            values.append(_default(found[name]))
        else:
            raise TypeError(f"{called}() lacks the field {name}")
    if given:
        raise TypeError(f"{called}() has no field {', '.join(given)} left to fill")
    return tuple(values)


def _has_default(item: Field[Any]) -> bool:
    return item.default is not MISSING or item.default_factory is not MISSING


def _default(item: Field[Any]) -> Any:
    return item.default_factory() if item.default_factory is not MISSING else item.default


def _comparisons(found: Mapping[str, Field[Any]], frozen: bool, order: bool) -> Methods:
    key = _key_of([name for name, item in found.items() if item.compare])

    def __eq__(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    def __lt__(self: Any, other: Any) -> Any:
        return key(self) < key(other) if other.__class__ is self.__class__ else NotImplemented

    def __le__(self: Any, other: Any) -> Any:
        return key(self) <= key(other) if other.__class__ is self.__class__ else NotImplemented

    def __gt__(self: Any, other: Any) -> Any:
        return key(self) > key(other) if other.__class__ is self.__class__ else NotImplemented

    def __ge__(self: Any, other: Any) -> Any:
        return key(self) >= key(other) if other.__class__ is self.__class__ else NotImplemented

    methods: Methods = {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}
    return methods | (
        {"__lt__": __lt__, "__le__": __le__, "__gt__": __gt__, "__ge__": __ge__} if order else {}
    )


def _key_of(names: Sequence[str]) -> Callable[[Any], Any]:
    """What instances are compared by: the tuple of their fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda value: (getattr(value, names[0]),)) if names else (lambda value: ())


def _repr_of(found: Mapping[str, Field[Any]]) -> Callable[[Any], str]:
    names = [name for name, item in found.items() if item.repr]

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _pickling(found: Mapping[str, Field[Any]]) -> Methods:
    """How instances cross to another process or are copied: as the list of their fields' contents."""
    names = tuple(found)

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return {"__getstate__": __getstate__, "__setstate__": __setstate__}


def _refuse_set(self: Any, name: str, value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
