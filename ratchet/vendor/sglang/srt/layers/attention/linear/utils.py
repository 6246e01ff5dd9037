"""Which kernels each phase of linear attention uses."""

from __future__ import annotations

from dataclasses import dataclass

from sglang.srt.runtime_context import get_context, get_exec


@dataclass(frozen=True, slots=True)
class LinearAttnConfig:
    """The kernel backend of each phase."""

    prefill: str
    decode: str
    verify: str


def initialize_linear_attn_config(prefill_default: str | None = None) -> LinearAttnConfig:
    """The backends in effect: one named for a phase, else the default handed in, else the one for all phases.

    A default that takes effect is recorded as an override, so that a readback reports it.
    """
    mamba = get_exec().mamba
    if mamba.linear_attn_prefill_backend is None and prefill_default is not None:
        get_context().override("initialize_linear_attn_config", linear_attn_prefill_backend=prefill_default)
    return LinearAttnConfig(
        prefill=mamba.linear_attn_prefill_backend or mamba.linear_attn_backend,
        decode=mamba.linear_attn_decode_backend or mamba.linear_attn_backend,
        verify=mamba.linear_attn_verify_backend or mamba.linear_attn_backend,
    )
