"""Requests and replies between an engine's managers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AttachHiCacheStorageReq:
    """Put a storage behind the host cache; a None keeps the setting that is in effect."""

    hicache_storage_backend: str
    hicache_storage_backend_extra_config: str | None = None
    hicache_storage_prefetch_policy: str | None = None
    hicache_write_policy: str | None = None

    def config(self) -> dict[str, Any]:
        """The configuration fields that the request sets."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class HiCacheStorageReply:
    """Whether the storage was attached or detached, and why not."""

    success: bool
    message: str = ""
