"""What the experts of a layer share."""


def split(tokens: list[int], experts: int) -> list[list[int]]:
    """The tokens that each expert gets."""
    return [tokens[number::experts] for number in range(experts)]
