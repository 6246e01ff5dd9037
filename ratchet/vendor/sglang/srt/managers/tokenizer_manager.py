"""The tokenizer side of one engine: its control plane keeps what it changes to itself.

Several engines may live in one process, so a change that concerns one engine must not go to the namespaces,
which all of them read. It stays with the manager, and the engine's readbacks lay it over the startup record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from sglang.srt._runtime.overrides import Override, overlaid, overrides_of
from sglang.srt._runtime.schema import detached, namespace_of
from sglang.srt.managers.io_struct import AttachHiCacheStorageReq, HiCacheStorageReply
from sglang.srt.server_args import ServerArgs


class HiCacheControl(Protocol):
    """What a scheduler lets its engine do about storage, in this process or through a pipe."""

    def attach_hicache_storage(self, request: AttachHiCacheStorageReq) -> HiCacheStorageReply: ...

    def detach_hicache_storage(self) -> HiCacheStorageReply: ...


class TokenizerManager:
    """One engine's front: the record it was started with, and what was changed on it since."""

    def __init__(self, server_args: ServerArgs, scheduler: HiCacheControl) -> None:
        self.server_args = server_args
        self._scheduler = scheduler
        self._updates: list[Override] = []

    @property
    def config_updates(self) -> tuple[Override, ...]:
        """What was changed on this engine, in order."""
        return tuple(self._updates)

    def record_config_updates(self, source: str, /, **fields: object) -> None:
        """Note fields of this engine that changed, all of them or none.

        Raises UnknownFieldError for a name that is no field, and ConfigError where nobody is named as the
        source.
        """
        self._updates.extend(overrides_of(source, fields))

    def config_value(self, name: str) -> Any:
        """A field as it is in this engine now; raises UnknownFieldError for a name that is none."""
        namespace_of(name)
        updated = {update.field: update.value for update in self._updates}
        return detached(updated[name] if name in updated else getattr(self.server_args, name))

    def resolved_config_dict(self, base: Mapping[str, Any]) -> dict[str, Any]:
        """A new dict: the base with this engine's changes laid over it."""
        return overlaid(base, self._updates)

    def weights_updated(
        self, *, model_path: str, load_format: str, weight_version: str | None = None
    ) -> None:
        """Note that the engine now serves other weights; without a version the label stays."""
        version = {} if weight_version is None else {"weight_version": weight_version}
        self.record_config_updates(
            "update_weights_from_disk", model_path=model_path, load_format=load_format, **version
        )

    def attach_hicache_storage(self, request: AttachHiCacheStorageReq) -> HiCacheStorageReply:
        """Have the scheduler attach a storage; what it accepts is noted for this engine's readbacks."""
        reply = self._scheduler.attach_hicache_storage(request)
        if reply.success:
            self.record_config_updates("attach_hicache_storage", **request.config())
        return reply

    def detach_hicache_storage(self) -> HiCacheStorageReply:
        """Have the scheduler detach its storage; noted like the attachment."""
        reply = self._scheduler.detach_hicache_storage()
        if reply.success:
            self.record_config_updates("detach_hicache_storage", hicache_storage_backend=None)
        return reply
