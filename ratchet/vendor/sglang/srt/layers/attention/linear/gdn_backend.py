"""Gated delta nets: which prefill kernels suit the hardware."""

from __future__ import annotations

SM100_MAJOR = 10


def flashinfer_gdn_prefill_default(
    *, compute_capability: tuple[int, int] | None, has_gdn_layers: bool
) -> str | None:
    """The prefill backend that the hardware suggests for a model, or None to keep the configured one.

    The compute capability is the device's (major, minor), None where it is no CUDA device.
    """
    suits = compute_capability is not None and compute_capability[0] == SM100_MAJOR
    return "flashinfer" if has_gdn_layers and suits else None
