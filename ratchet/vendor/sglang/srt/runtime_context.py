"""The published configuration of a process: typed namespaces to read, and one way to write.

    publish(server_args, role="scheduler")                      # once, where the process starts
    get_exec().moe.moe_a2a_backend                              # read
    get_context().override("load gate", chunked_prefill_size=1) # write, on record

This module only gathers what `sglang.srt._runtime` defines.
"""

from sglang.srt._runtime.accessors import (
    get_context,
    get_device,
    get_disagg,
    get_exec,
    get_lora,
    get_memory,
    get_mm,
    get_model,
    get_observability,
    get_parallel,
    get_schedule,
    get_server_args,
    get_serving,
    get_spec,
    publish_role,
    reset_context,
)
from sglang.srt._runtime.context import RuntimeContext, publish
from sglang.srt._runtime.errors import (
    ConfigError,
    NotPublishedError,
    ReadOnlyError,
    RoleError,
    TopologyError,
    UnknownFieldError,
    UnknownLeafError,
)
from sglang.srt._runtime.overrides import Override
from sglang.srt._runtime.parallel import ParallelContext
from sglang.srt._runtime.roles import ROLE_NAMESPACE_SETS

__all__ = [
    "ROLE_NAMESPACE_SETS",
    "ConfigError",
    "NotPublishedError",
    "Override",
    "ParallelContext",
    "ReadOnlyError",
    "RoleError",
    "RuntimeContext",
    "TopologyError",
    "UnknownFieldError",
    "UnknownLeafError",
    "get_context",
    "get_device",
    "get_disagg",
    "get_exec",
    "get_lora",
    "get_memory",
    "get_mm",
    "get_model",
    "get_observability",
    "get_parallel",
    "get_schedule",
    "get_server_args",
    "get_serving",
    "get_spec",
    "publish",
    "publish_role",
    "reset_context",
]
