"""The scheduler's side of the configuration: the process is its own, so it writes to the namespaces."""

from __future__ import annotations

from typing import Any

from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.managers.io_struct import AttachHiCacheStorageReq, HiCacheStorageReply
from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache
from sglang.srt.runtime_context import get_context, get_spec
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.draft_worker_common import draft_server_args_copy, published_draft
from sglang.srt.speculative.spec_info import SpeculativeAlgorithms


class Scheduler:
    """Schedules requests on a target model and, with speculative decoding, on a draft."""

    def __init__(
        self,
        server_args: ServerArgs,
        model_config: ModelConfig,
        algorithms: SpeculativeAlgorithms,
        cache: UnifiedRadixCache | None = None,
    ) -> None:
        self.server_args = server_args
        self.model_config = model_config
        self.algorithms = algorithms
        self.cache = cache
        self.draft_worker: Any = None

    def maybe_init_draft_worker(self) -> None:
        """Build the draft worker of the configured algorithm, if there is one, with the draft's own record.

        The factory and the worker receive the same record, and both run with it published.
        """
        algorithm = get_spec().speculative_algorithm
        if algorithm is None:
            return
        factory = self.algorithms.factory(algorithm)
        draft_args = draft_server_args_copy(self.server_args, self.model_config)
        with published_draft(draft_args):
            self.draft_worker = factory(draft_args)(draft_args, self.model_config)

    def attach_hicache_storage(self, request: AttachHiCacheStorageReq) -> HiCacheStorageReply:
        """Put a storage behind the host cache; on success the namespaces and the readback show it."""
        if self.cache is None:
            return HiCacheStorageReply(False, "the hierarchical cache is off")
        if self.cache.storage_attached:
            return HiCacheStorageReply(False, "a storage is attached already: detach it first")
        self.cache.storage_attached = True
        get_context().override("Scheduler.attach_hicache_storage", **request.config())
        return HiCacheStorageReply(True)

    def detach_hicache_storage(self) -> HiCacheStorageReply:
        """Take the storage away again; on success the namespaces and the readback show it."""
        if self.cache is None or not self.cache.storage_attached:
            return HiCacheStorageReply(False, "no storage is attached")
        self.cache.storage_attached = False
        get_context().override("Scheduler.detach_hicache_storage", hicache_storage_backend=None)
        return HiCacheStorageReply(True)

    def get_internal_state(self) -> dict[str, Any]:
        """The configuration in effect in this process, for the engine's readbacks."""
        return get_context().resolved_server_args_dict()
