"""The radix cache's host level: it takes the layout that resolution settled, without a fixup of its own."""

from __future__ import annotations

from dataclasses import dataclass

from sglang.srt.runtime_context import get_memory

DIRECT_IO_LAYOUTS = frozenset({"layer_first", "page_first_direct"})


@dataclass(frozen=True, slots=True)
class HostPool:
    """How the host level stores pages and moves them."""

    io_backend: str
    mem_layout: str
    write_policy: str


class UnifiedRadixCache:
    """A prefix cache with a device level and, once it is initialised, a host level with optional storage."""

    def __init__(self) -> None:
        self.host_pool: HostPool | None = None
        self.storage_attached = False

    def init_hicache(self) -> None:
        """Start the host level as the `memory` namespace says.

        Raises ValueError for a layout that direct I/O cannot use, which resolution leaves in no record.
        """
        memory = get_memory()
        if memory.hicache_io_backend == "direct" and memory.hicache_mem_layout not in DIRECT_IO_LAYOUTS:
            raise ValueError(
                f"Direct I/O cannot use the host layout `{memory.hicache_mem_layout}`: declare the layout "
                "`page_first_direct` in a configuration that skips resolution, as that of the model `dummy`."
            )
        self.host_pool = HostPool(
            io_backend=memory.hicache_io_backend,
            mem_layout=memory.hicache_mem_layout,
            write_policy=memory.hicache_write_policy,
        )
        self.storage_attached = memory.hicache_storage_backend is not None
