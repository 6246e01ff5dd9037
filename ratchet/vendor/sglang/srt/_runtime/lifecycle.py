"""One published configuration, from its publish to the next: the value that a process holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NoReturn

from sglang.srt._runtime.bag import ConfigBag
from sglang.srt._runtime.errors import NotPublishedError
from sglang.srt._runtime.namespaces import (
    Device,
    Disagg,
    Exec,
    Lora,
    Memory,
    Mm,
    Model,
    Observability,
    Parallel,
    Schedule,
    Serving,
    Spec,
)
from sglang.srt._runtime.overrides import Override
from sglang.srt._runtime.schema import NAMESPACE_PATHS, values_of
from sglang.srt.server_args import ServerArgs


@dataclass(frozen=True, slots=True, eq=False)
class Lifecycle:
    """The record a process published, its role, the bags, and what was overridden since.

    The bags keep their identity while it lasts, so that code that holds one sees later overrides.
    """

    server_args: ServerArgs
    role: str
    hf_config: Any
    overrides: tuple[Override, ...]
    device: Device
    model: Model
    exec: Exec
    memory: Memory
    schedule: Schedule
    spec: Spec
    lora: Lora
    mm: Mm
    disagg: Disagg
    serving: Serving
    observability: Observability
    parallel: Parallel

    def bag(self, path: str) -> ConfigBag:
        """The bag at a namespace path such as `exec.moe`."""
        found: ConfigBag = attrgetter(path)(self)
        return found

    def bags(self) -> Iterator[ConfigBag]:
        """All bags that have leaves."""
        return map(self.bag, NAMESPACE_PATHS)


class Unpublished:
    """What a process holds before it publishes: whatever is asked of it fails."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotPublishedError(name)


def start(server_args: ServerArgs, role: str, hf_config: Any) -> Lifecycle:
    """A fresh lifecycle: each field of the record in its bag, and nothing overridden."""
    values = values_of(server_args)
    return Lifecycle(
        server_args=server_args,
        role=role,
        hf_config=hf_config,
        overrides=(),
        device=Device(values),
        model=Model(values),
        exec=Exec(values),
        memory=Memory(values),
        schedule=Schedule(values),
        spec=Spec(values),
        lora=Lora(values),
        mm=Mm(values),
        disagg=Disagg(values),
        serving=Serving(values),
        observability=Observability(values),
        parallel=Parallel(values),
    )
