"""Measures how many tokens a second come out."""


def rate(tokens: int, seconds: float) -> float:
    """Tokens a second."""
    return tokens / seconds
