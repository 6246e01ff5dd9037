"""The live parallel state of this process: unset until the distributed job is initialised."""

from __future__ import annotations

from sglang.srt._runtime.context import CONTEXT
from sglang.srt._runtime.errors import TopologyError
from sglang.srt.distributed.topology import Group, Topology

__all__ = [
    "Group",
    "Topology",
    "destroy_model_parallel",
    "initialize_model_parallel",
    "model_parallel_is_initialized",
]


def initialize_model_parallel(topology: Topology) -> None:
    """Install the groups that the job has started; raises TopologyError where it has some already."""
    if CONTEXT.topology is not None:
        raise TopologyError(
            "The distributed job is initialised already in this process: call destroy_model_parallel() first."
        )
    CONTEXT.topology = topology


def model_parallel_is_initialized() -> bool:
    """Whether live sizes, ranks and groups can be read."""
    return CONTEXT.topology is not None


def destroy_model_parallel() -> None:
    """Forget the groups, as before initialisation."""
    CONTEXT.topology = None
