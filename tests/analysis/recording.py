"""Runs a program of ours with a recording record in place of the real one, and says what it touched."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType, GeneratorType, ModuleType

Happened = set[tuple[str, str]]

_MAX_FLIPS = 200


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to the record, and to one that had left before."""

    happened: Happened = field(default_factory=set)
    leaked: Happened = field(default_factory=set)


class Stop(BaseException):
    """The program has made all of its choices."""


class Value:
    """What a field holds, and anything else that takes whatever is done to it."""

    def __call__(self, *args: object, **kwargs: object) -> Value:
        return self

    def __getattr__(self, name: str) -> Value:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self

    def __add__(self, other: object) -> Value:
        return self

    def __getitem__(self, key: object) -> Value:
        return self

    def __setitem__(self, key: object, value: object) -> None: ...

    def __delitem__(self, key: object) -> None: ...

    def __delattr__(self, name: str) -> None: ...

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *error: object) -> None: ...


class Foo(Value):
    """Something that is no record."""


class Mapping(dict[str, object]):
    """What vars() shows of a record."""

    def __init__(self, happened: Happened) -> None:
        self._happened = happened

    def __getitem__(self, key: str) -> Value:
        self._happened.add(("read", key))
        return Value()

    def __setitem__(self, key: str, value: object) -> None:
        self._happened.add(("write", key))

    def __delitem__(self, key: str) -> None:
        self._happened.add(("delete", key))

    def update(self, *args: object, **kwargs: object) -> None:
        self._happened.update(("write", key) for key in kwargs)


class Record:
    """Notes each field that is read, written or deleted."""

    def __init__(self, happened: Happened) -> None:
        object.__setattr__(self, "_happened", happened)

    def __getattribute__(self, name: str) -> object:
        happened: Happened = object.__getattribute__(self, "_happened")
        if name == "__dict__":
            return Mapping(happened)
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        if name == "override":
            return lambda source, **fields: happened.update(("write", key) for key in fields)
        happened.add(("read", name))
        return Value()

    def __setattr__(self, name: str, value: object) -> None:
        object.__getattribute__(self, "_happened").add(("write", name))

    def __delattr__(self, name: str) -> None:
        object.__getattribute__(self, "_happened").add(("delete", name))

    def __copy__(self) -> Record:
        return type(self)(object.__getattribute__(self, "_happened"))

    def __deepcopy__(self, memo: object) -> Record:
        return type(self)(object.__getattribute__(self, "_happened"))


class Guard:
    """A context manager that swallows every error."""

    def __enter__(self) -> Foo:
        return Foo()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        return kind is None or issubclass(kind, Exception)


def run(program: str, seeds: range) -> Trace:
    """Every (operation, field) that the program really did, over one run a seed.

    The seed decides the branches that it takes. A run may end in an error; what happened before it counts.
    """
    trace = Trace()
    code = compile(program, "<program>", "exec")
    for seed in seeds:
        with _modules(trace, random.Random(seed)):
            try:
                scope: dict[str, object] = {"__name__": "program"}
                exec(code, scope)  # the generator wrote it
                scope["main"](Record(trace.happened))  # type: ignore[operator]
            except (Exception, Stop):
                continue
    return trace


@contextmanager
def _modules(trace: Trace, choices: random.Random) -> Iterator[None]:
    made = {
        "sglang": ModuleType("sglang"),
        "sglang.srt": ModuleType("sglang.srt"),
        "sglang.srt.runtime_context": _context(trace.happened),
        "sglang.srt.server_args": ModuleType("sglang.srt.server_args"),
        "othertool": _othertool(trace.leaked, choices),
    }
    made["sglang"].srt = made["sglang.srt"]  # type: ignore[attr-defined]
    made["sglang.srt"].runtime_context = made["sglang.srt.runtime_context"]  # type: ignore[attr-defined]
    made["sglang.srt.server_args"].ServerArgs = Record  # type: ignore[attr-defined]
    before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in made}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _context(happened: Happened) -> ModuleType:
    module = ModuleType("sglang.srt.runtime_context")
    record, context = Record(happened), Foo()
    object.__setattr__(context, "server_args", record)
    module.get_server_args = lambda: record  # type: ignore[attr-defined]
    module.get_context = lambda: context  # type: ignore[attr-defined]
    return module


def _othertool(leaked: Happened, choices: random.Random) -> ModuleType:
    left = iter(range(_MAX_FLIPS))

    def flip() -> bool:
        if next(left, None) is None:
            raise Stop
        return choices.random() < 0.6

    def boom() -> None:
        if not flip():
            raise ValueError("boom")

    def leak(*args: object, **kwargs: object) -> object:
        """A record of its own where one is among what it is given, else what it is given."""
        found = next(_contents([*args, *kwargs.values()]), None)
        return Record(leaked) if isinstance(found, Record) else found

    module = ModuleType("othertool")
    for name, value in {
        "Foo": Foo,
        "guard": Guard(),
        "flip": flip,
        "boom": boom,
        "leak": leak,
        "same": lambda value: value,
        "get_server_args": Foo,
    }.items():
        setattr(module, name, value)
    return module


def _contents(value: object) -> Iterator[object]:
    """What lies in containers and behind functions; numbers are fillings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, GeneratorType)):
        for part in value:
            yield from _contents(part)
    elif isinstance(value, FunctionType):
        yield from _contents(value())
    elif not isinstance(value, int):
        yield value
