"""The scheduler's metrics: where forward-pass figures are published."""

from __future__ import annotations

import tempfile
import uuid
from pathlib import Path

from sglang.srt.runtime_context import get_context, get_observability


def init_forward_pass_metrics() -> str | None:
    """The endpoint that forward-pass figures go to, or None where they are off.

    An endpoint that is not configured is generated and recorded as an override: consumers outside the process
    learn it from the readback of the configuration.
    """
    observability = get_observability()
    if not observability.enable_forward_pass_metrics:
        return None
    endpoint = observability.forward_pass_metrics_ipc_name
    if endpoint is None:
        endpoint = _new_endpoint()
        get_context().override("init_forward_pass_metrics", forward_pass_metrics_ipc_name=endpoint)
    return endpoint


def _new_endpoint() -> str:
    return f"ipc://{Path(tempfile.gettempdir()) / f'sglang-fpm-{uuid.uuid4().hex}'}"
