"""The marker that says which namespace publishes a field."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NS:
    """The dotted path of a namespace."""

    path: str
