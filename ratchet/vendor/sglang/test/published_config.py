"""A published configuration for the length of a block: what tests use where they used to stub the record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sglang.srt.runtime_context import get_context, publish
from sglang.srt.server_args import ServerArgs


@contextmanager
def published_config(*, role: str = "test", hf_config: Any = None, **fields: Any) -> Iterator[ServerArgs]:
    """Publish a configuration with these fields, and put everything back when the block ends, in any way.

    The model is `dummy` unless one is named, so the fields are taken as they are. What is put back is the
    configuration published before, with its overrides, and the topology.
    """
    context = get_context()
    topology = context.topology
    with context.preserve_config():
        try:
            server_args = ServerArgs(**{"model_path": "dummy", **fields})
            publish(server_args, role=role, hf_config=hf_config)
            yield server_args
        finally:
            context.topology = topology
