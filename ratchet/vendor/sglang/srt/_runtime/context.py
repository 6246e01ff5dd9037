"""The process-global context: which configuration is published, and the one way to write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import Any, cast

from sglang.srt._runtime import roles
from sglang.srt._runtime.errors import ConfigError
from sglang.srt._runtime.lifecycle import Lifecycle, Unpublished, start
from sglang.srt._runtime.overrides import Override, overlaid, overrides_of
from sglang.srt._runtime.schema import detached, values_of
from sglang.srt.distributed.topology import Topology
from sglang.srt.server_args import ServerArgs

# Typed as a lifecycle, so that a read is two attribute loads without a test: it fails by itself.
_UNPUBLISHED = cast(Lifecycle, Unpublished())


class RuntimeContext:
    """All that this library keeps for a process: the live configuration and the live topology."""

    __slots__ = ("_writing", "live", "topology")

    def __init__(self) -> None:
        # Writers take turns, so that none loses what another one noted; a read needs no lock.
        self._writing = RLock()
        self.live: Lifecycle = _UNPUBLISHED
        self.topology: Topology | None = None

    @property
    def is_published(self) -> bool:
        """Whether this process has published a configuration."""
        return self.live is not _UNPUBLISHED

    @property
    def server_args(self) -> ServerArgs:
        """The published record, as it was when it was published; raises NotPublishedError before that."""
        return self.live.server_args

    @property
    def hf_config(self) -> Any:
        """The model's own configuration that was published beside the record, or None."""
        return self.live.hf_config

    def overrides_log(self) -> tuple[Override, ...]:
        """What was overridden since the publish, in order."""
        return self.live.overrides

    def override(self, source: str, **fields: object) -> None:
        """Write fields of the published configuration, on record as the source's; the record stays as it is.

        All fields are written or none. Raises NotPublishedError before the publish, UnknownFieldError for a
        name that is no field, and ConfigError where nobody is named as the source.
        """
        written = overrides_of(source, fields)
        # The log keeps values of its own: a reader that changes a list in its bag must not change history.
        values = [detached(override.value) for override in written]
        with self._writing:
            live = self.live
            self.live = replace(live, overrides=live.overrides + written)
            for override, value in zip(written, values, strict=True):
                live.bag(override.namespace)._write({override.field: value})

    def resolved_server_args_dict(self, base: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The configuration in effect, for a readback: the base with all overrides laid over it.

        The base is the published record unless it is given; it is not changed.
        """
        live = self.live
        return overlaid(values_of(live.server_args) if base is None else base, live.overrides)

    @contextmanager
    def preserve_config(self) -> Iterator[None]:
        """Let a block publish and override as it likes: when it ends, in any way, all is as it was before.

        The enclosing lifecycle comes back by value: its record, role, overrides, and each leaf of its bags.
        """
        live = self.live
        saved = [(bag, bag._read()) for bag in live.bags()] if self.is_published else []
        try:
            yield
        finally:
            with self._writing:
                for bag, values in saved:
                    bag._write(values)
                self.live = live

    def reset(self) -> None:
        """Forget the published configuration and the topology, as in a process that has just started."""
        self._install(_UNPUBLISHED)
        self.topology = None

    def _install(self, lifecycle: Lifecycle) -> None:
        with self._writing:
            self.live = lifecycle


CONTEXT = RuntimeContext()


def publish(server_args: ServerArgs, *, role: str, hf_config: Any = None) -> RuntimeContext:
    """Publish a resolved record as this process's configuration, and return the context that holds it.

    Bags of an earlier publish, and its overrides, are left behind: a publish starts a fresh lifecycle. Raises
    RoleError where roles are enforced and this one is unknown, and ConfigError for what only looks like a
    record: a mock would serve made-up leaves.
    """
    if not issubclass(type(server_args), ServerArgs):  # a mock with a spec passes isinstance
        raise ConfigError(
            f"publish() takes the resolved ServerArgs, not a {type(server_args).__name__}: "
            "build a real one; in tests, sglang.test.published_config does."
        )
    roles.admit(role)
    CONTEXT._install(start(server_args, role, hf_config))
    return CONTEXT
