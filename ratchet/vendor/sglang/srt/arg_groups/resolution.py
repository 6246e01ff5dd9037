"""Resolution: what a requested configuration becomes before anything reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sglang.srt.server_args import ServerArgs

UNRESOLVED_MODEL = "dummy"


def resolve(requested: ServerArgs) -> Mapping[str, object]:
    """The fields that differ from what was requested, with their resolved values.

    A record of the model `dummy` stands for a test's or a tool's own configuration and is taken as it is.
    """
    if requested.model_path == UNRESOLVED_MODEL:
        return {}
    return _direct_io_layout(requested)


def _direct_io_layout(requested: ServerArgs) -> Mapping[str, object]:
    # Direct I/O copies whole pages, so the host keeps each page in one piece. This is the only place that
    # settles it: the cache trusts the layout that it reads.
    if (
        requested.enable_hierarchical_cache
        and requested.hicache_io_backend == "direct"
        and requested.hicache_mem_layout == "page_first"
    ):
        return {"hicache_mem_layout": "page_first_direct"}
    return {}
