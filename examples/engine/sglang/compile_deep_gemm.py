"""Compiles kernels ahead of time, in a process that publishes nothing."""


def shapes(sizes: list[int]) -> list[tuple[int, int]]:
    """The shapes to compile for."""
    return [(size, size) for size in sizes]
