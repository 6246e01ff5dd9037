"""The groups that the process belongs to."""

_world_sizes = {"tensor": 1, "pipeline": 1}


def get_tensor_model_parallel_world_size() -> int:
    """How many ranks share a layer: what get_parallel().tp_size says outside of this package."""
    return _world_sizes["tensor"]
