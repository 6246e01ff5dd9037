"""What goes wrong with the published configuration, each as one sentence: what, where, the next step.

Wrong uses are ValueErrors; a failed read or store of an attribute is an AttributeError, as Python has it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

# An error that takes more than its sentence keeps what it takes as its arguments: so it survives the way from
# one process to another.


class ConfigError(ValueError):
    """The published configuration was used in a way that it does not allow."""


class NotPublishedError(ConfigError):
    """The configuration was used before this process published one; `name` is what was asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def __str__(self) -> str:
        return (
            f"The configuration (here `{self.args[0]}`) was used before this process published one: "
            "call publish(server_args, role=...) where the process starts."
        )


class UnknownFieldError(ConfigError):
    """A field was named that the configuration does not have; `near` is the one that is most like it."""

    def __init__(self, name: str, near: str) -> None:
        super().__init__(name, near)

    def __str__(self) -> str:
        return f"The configuration has no field `{self.args[0]}`: did you mean `{self.args[1]}`?"


class UnknownLeafError(AttributeError):
    """A namespace was asked for a leaf that it does not have."""


class ReadOnlyError(AttributeError):
    """The leaf `name` of the namespace `path` was stored to or deleted like that of a plain object."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(path, name)

    def __str__(self) -> str:
        path, name = self.args
        return (
            f"The namespace `{path}` is read-only, `{name}` included: write it with "
            f'get_context().override("who writes", {name}=...).'
        )


class RoleError(ConfigError):
    """The role of a process does not allow what was asked, or is not known."""


class TopologyError(RuntimeError):
    """A live size, rank or group was read where there is none."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that is most like the given one; an empty string where nothing is known."""
    matches = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
    return matches[0] if matches else ""
