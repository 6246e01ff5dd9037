"""Attention that is split over copies of the model."""

from sglang.srt.distributed.parallel_state import get_tensor_model_parallel_world_size


def padded(tokens: int) -> int:
    """How many tokens a batch has once each rank gets as many as the others."""
    ranks = get_tensor_model_parallel_world_size()
    return -(-tokens // ranks) * ranks
