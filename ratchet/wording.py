"""Numbers of things in words."""

from __future__ import annotations


def plural(count: int, one: str, several: str | None = None) -> str:
    """`1 site`, `2 sites`, `1,200 sites`; `several` is the other form where it is not `one` and an `s`."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


NO_FILES = "no Python file was found: name the tree with --root"
"""What a verb says of a tree in which there is nothing to judge."""
