"""What an engine answers over HTTP about its configuration: the startup record under later changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sglang.srt._runtime.schema import values_of
from sglang.srt.managers.tokenizer_manager import TokenizerManager

MODEL_FIELDS = ("model_path", "tokenizer_path", "load_format", "weight_version", "is_embedding")
HICACHE_FIELDS = (
    "hicache_storage_backend",
    "hicache_storage_backend_extra_config",
    "hicache_storage_prefetch_policy",
    "hicache_write_policy",
)


def server_info(
    manager: TokenizerManager, internal_states: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """`/server_info`: the engine's whole configuration, and the state each of its schedulers reports."""
    config = manager.resolved_config_dict(values_of(manager.server_args))
    return {**config, "internal_states": [dict(state) for state in internal_states]}


def model_info(manager: TokenizerManager) -> dict[str, Any]:
    """`/model_info`: which model and weights the engine serves."""
    return {name: manager.config_value(name) for name in MODEL_FIELDS}


def hicache_storage_backend_status(manager: TokenizerManager) -> dict[str, Any]:
    """`/hicache/storage-backend`: which storage is behind the host cache, and how it is used."""
    return {name: manager.config_value(name) for name in HICACHE_FIELDS}
