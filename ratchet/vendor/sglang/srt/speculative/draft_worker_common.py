"""The draft's own configuration: how it is made, and how it is published while the draft is built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.runtime_context import get_context, get_exec, get_spec, publish
from sglang.srt.server_args import ServerArgs


def draft_server_args_copy(server_args: ServerArgs, target_model_config: ModelConfig) -> ServerArgs:
    """A record for the draft: the configuration that the process resolved, with the draft's values on top.

    What was overridden since the publish is part of it, whichever record the caller still holds. The draft
    takes the target's context length, and the load format configured for it, if there is one. The record
    handed in and the published bags stay as they are. Raises NotPublishedError before the process publishes.
    """
    resolved = get_context().resolved_server_args_dict()
    load_format = get_spec().speculative_draft_load_format
    drafted: dict[str, Any] = {"context_length": target_model_config.context_len}
    if load_format is not None:
        drafted["load_format"] = load_format
    return server_args.copy_with(**{**resolved, **drafted})


@contextmanager
def published_draft(draft_args: ServerArgs) -> Iterator[None]:
    """Publish a draft's record for the length of a block; the target's configuration is back when it ends.

    Code that builds the draft reads namespaces, not the record it was handed. Blocks nest.
    """
    context = get_context()
    role, hf_config = context.live.role, context.hf_config
    with context.preserve_config():
        publish(draft_args, role=role, hf_config=hf_config)
        yield


def isolated_draft_args(draft_args: ServerArgs) -> ServerArgs:
    """One more copy, for a draft that runs attention kernels of its own choice for all phases."""
    kernel = get_exec().kernel
    backend = get_spec().speculative_draft_attention_backend or kernel.attention_backend
    return draft_args.copy_with(
        attention_backend=backend, prefill_attention_backend=None, decode_attention_backend=None
    )
