"""The accessors of the namespaces: each returns its bag, and fails before the process publishes."""

from __future__ import annotations

from sglang.srt._runtime.context import CONTEXT, RuntimeContext
from sglang.srt._runtime.namespaces import (
    Device,
    Disagg,
    Exec,
    Lora,
    Memory,
    Mm,
    Model,
    Observability,
    Schedule,
    Serving,
    Spec,
)
from sglang.srt._runtime.parallel import PARALLEL, ParallelContext
from sglang.srt._runtime.roles import guarded
from sglang.srt.server_args import ServerArgs


def get_context() -> RuntimeContext:
    """The context of this process."""
    return CONTEXT


def get_server_args() -> ServerArgs:
    """The published record, without overrides; retired in favour of the namespaces."""
    return CONTEXT.live.server_args


def get_parallel() -> ParallelContext:
    """The live topology and the `parallel` leaves; it needs no publish by itself, only its leaves do."""
    return PARALLEL


def publish_role() -> str | None:
    """The role this process published as, or None before it published."""
    return CONTEXT.live.role if CONTEXT.is_published else None


def reset_context() -> None:
    """Forget the published configuration and the topology, as in a process that has just started."""
    CONTEXT.reset()


def _role() -> str:
    return CONTEXT.live.role


@guarded("device", _role)
def get_device() -> Device:
    """The device and process settings."""
    return CONTEXT.live.device


@guarded("model", _role)
def get_model() -> Model:
    """The model and how its weights are loaded."""
    return CONTEXT.live.model


@guarded("exec", _role)
def get_exec() -> Exec:
    """How the model is executed, in groups such as `get_exec().moe`."""
    return CONTEXT.live.exec


@guarded("memory", _role)
def get_memory() -> Memory:
    """The KV cache and its levels."""
    return CONTEXT.live.memory


@guarded("schedule", _role)
def get_schedule() -> Schedule:
    """Batching and scheduling."""
    return CONTEXT.live.schedule


@guarded("spec", _role)
def get_spec() -> Spec:
    """Speculative decoding."""
    return CONTEXT.live.spec


@guarded("lora", _role)
def get_lora() -> Lora:
    """LoRA adapters."""
    return CONTEXT.live.lora


@guarded("mm", _role)
def get_mm() -> Mm:
    """Multimodal input."""
    return CONTEXT.live.mm


@guarded("disagg", _role)
def get_disagg() -> Disagg:
    """Disaggregated prefill, decode and encode."""
    return CONTEXT.live.disagg


@guarded("serving", _role)
def get_serving() -> Serving:
    """The front end: tokenizers, HTTP, templates."""
    return CONTEXT.live.serving


@guarded("observability", _role)
def get_observability() -> Observability:
    """Logs, metrics, traces."""
    return CONTEXT.live.observability
