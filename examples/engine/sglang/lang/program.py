"""Prompts as programs, which a client runs."""


def fill(template: str, **values: str) -> str:
    """A prompt."""
    return template.format(**values)
