"""Decisions of the model runner that are taken once the model is known."""

from __future__ import annotations

import logging

from sglang.srt.runtime_context import get_context, get_exec, get_schedule
from sglang.srt.server_args import CHUNKED_PREFIX_CACHE_SUPPORTED_ATTENTION_BACKENDS

logger = logging.getLogger(__name__)


def maybe_disable_chunked_prefix_cache(*, use_mla_backend: bool, is_draft_worker: bool) -> None:
    """Turn chunked prefix caching off where the model or its prefill kernels cannot do it.

    The decision goes to the `schedule` namespace, which the attention backends read when they start. A draft
    worker decides nothing: the namespace is its target's.
    """
    if is_draft_worker:
        return
    kernel = get_exec().kernel
    backend = kernel.prefill_attention_backend or kernel.attention_backend
    if not use_mla_backend or backend not in CHUNKED_PREFIX_CACHE_SUPPORTED_ATTENTION_BACKENDS:
        get_context().override("maybe_disable_chunked_prefix_cache", disable_chunked_prefix_cache=True)
    if not get_schedule().disable_chunked_prefix_cache:
        logger.info("Chunked prefix caching is on, with %s attention.", backend)


def captures_chunked_prefix() -> bool:
    """Whether the prefill graphs are captured with chunked prefixes in them."""
    return not get_schedule().disable_chunked_prefix_cache
