"""Runs a generated engine on the vendored runtime, and tells everything that it saw."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import ratchet

VENDOR = Path(ratchet.__file__).with_name("vendor")
PACKAGE = "sglang.srt.engine"
FOLDER = "srt/engine"
FIELDS: Mapping[str, int] = {
    "page_size": 3,
    "chunked_prefill_size": 5,
    "max_running_requests": 0,
    "dp_size": 7,
    "ep_size": 11,
    "moe_a2a_backend": 13,
    "hicache_ratio": 17,
    "decode_log_interval": 19,
    "tp_size": 23,
    "context_length": 29,
}
"""The fields that programs use, each with a value of its own: two of them are not the process's to move."""

LIMIT = 2_000  # calls of `note`: a loop that never ends is a fault of the generator
Program = Mapping[str, str]
"""The files of an engine by their names in its folder, in the order in which they are imported."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a run noted in order, errors included, and the fields' values at its end, on both stores."""

    notes: tuple[str, ...]
    record: Mapping[str, object]
    published: Mapping[str, object]


class Runtime:
    """The vendored library, imported once, with the legacy half that it has left behind put beside it."""

    def __init__(self) -> None:
        with _path():
            self.context = import_module("sglang.srt.runtime_context")
            self.records = import_module("sglang.srt.server_args")
            self.modules = _taken()
        self.make: Callable[[], Any] = lambda: _legacy(self.records.ServerArgs)("dummy", **FIELDS)
        # What engines before the migration call, under its older name as well.
        setattr(self.records, "get_global_server_args", self.context.get_server_args)  # noqa: B010

    def run(self, program: Program) -> Seen:
        """Run `main(record)` of the program's last module in a process that has just published the record."""
        notes: list[str] = []
        record = self.make()
        with self._installed():
            self.context.reset_context()
            self.context.publish(record, role="scheduler")
            _engine(notes)
            for name, text in program.items():
                module = ModuleType(f"{PACKAGE}.{name}")
                module.__package__ = PACKAGE
                sys.modules[module.__name__] = module
                # The generator wrote it, or the codemod did.
                _noted(notes, exec, compile(text, f"{name}.py", "exec"), vars(module))
            main = getattr(sys.modules[f"{PACKAGE}.{[*program][-1]}"], "main", None)
            if main is not None:
                _noted(notes, main, record)
            published = self.context.get_context().resolved_server_args_dict()
            self.context.reset_context()
        return Seen(
            tuple(notes),
            {name: getattr(record, name, "deleted") for name in FIELDS},
            {name: published[name] for name in FIELDS},
        )

    @contextmanager
    def _installed(self) -> Iterator[None]:
        before = _taken()
        sys.modules.update(self.modules)
        try:
            yield
        finally:
            _taken()
            sys.modules.update(before)


def _engine(notes: list[str]) -> None:
    """Puts the engine's package in place, and in it what programs call to tell what they see."""
    package, trace = ModuleType(PACKAGE), ModuleType(f"{PACKAGE}.trace")
    package.__path__ = []

    def note(label: str, *values: object) -> Any:
        if len(notes) > LIMIT:
            raise RuntimeError("the program does not end")
        notes.append(f"{label} {values!r}")
        return values[0] if values else None

    vars(trace).update(
        note=note, attempt=lambda function, *given: _noted(notes, function, *given), Error=ValueError
    )
    sys.modules.update({PACKAGE: package, trace.__name__: trace})


def _noted(notes: list[str], function: Callable[..., object], *given: object) -> object:
    try:
        return function(*given)
    except Exception as error:  # an error is what the program does
        notes.append(f"{type(error).__name__}: {error}")
        return None


def _legacy(base: type[Any]) -> type[Any]:
    """The record as it was: writable, with the audited writer."""

    def override(self: object, source: str = "", /, **fields: object) -> None:
        if "source" in fields:
            source = str(fields.pop("source"))
        if not source:
            raise TypeError("an override names its source")
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    members = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__, "override": override}
    return type("ServerArgs", (base,), members)


@contextmanager
def _path() -> Iterator[None]:
    before = _taken()
    sys.path.insert(0, str(VENDOR))
    try:
        yield
    finally:
        sys.path.remove(str(VENDOR))
        sys.modules.update(before)


def _taken() -> dict[str, ModuleType]:
    """The modules of the library, which are not there any more."""
    names = [name for name in sys.modules if name.partition(".")[0] == "sglang"]
    return {name: sys.modules.pop(name) for name in names}


def parses(program: Program) -> None:
    """Fails where the generator wrote what is no Python."""
    for text in program.values():
        ast.parse(text)
