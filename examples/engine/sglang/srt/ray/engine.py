"""Starts engines on other machines."""


def place(ranks: int, machines: int) -> list[int]:
    """The machine of each rank."""
    return [rank * machines // ranks for rank in range(ranks)]
