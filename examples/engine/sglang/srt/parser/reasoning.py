"""Finds where a model stops thinking and starts to answer."""


def split(text: str) -> tuple[str, str]:
    """The thought and the answer."""
    thought, _, answer = text.rpartition("</think>")
    return thought, answer
