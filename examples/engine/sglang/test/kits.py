"""What tests of the engine share."""


def letters(count: int) -> str:
    """A text of some length."""
    return "abc" * count
