"""Small programs out of texts, and what can be reached in them."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from ratchet.model import Problem, Publishing
from ratchet.reach import Entries, Node, Program, Reach, Root, Traversal, Values, find_entries, keywords_of
from ratchet.source.entries import Entry, Listing

PUBLISHING = Publishing(
    functions=("shop.context.publish",),
    role="role",
    wrappers=(("shop.legacy.install", "clerk"),),
    declared="shop.context.SETS",
    processes=("shop.side.main",),
    starters=(("Process", "target"),),
)


class Texts:
    """A source whose files are texts in memory."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {path: dedent(text).lstrip("\n").encode() for path, text in files.items()}
        self.listing = Listing.of(Entry(path) for path in self._files)

    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        return self.listing.entries

    def read(self, path: str) -> bytes | Problem:
        """The bytes of a file."""
        return self._files.get(path, Problem(path, 0, "is not there"))

    def close(self) -> None:
        """Nothing is open."""


def program(files: Mapping[str, str]) -> tuple[Program, Values]:
    """The files as a program of the package `shop`."""
    made = Program(Texts(files), "shop", keywords_of(PUBLISHING))
    return made, Values(made)


def entries(files: Mapping[str, str]) -> Entries:
    """Where the processes of a program begin."""
    return find_entries(*program(files), PUBLISHING)


def reached(files: Mapping[str, str] | str, path: str = "a.py", scope: str = "start") -> Reach:
    """What the function `start` of a.py reaches; a text is a.py alone."""
    given = {"a.py": files} if isinstance(files, str) else files
    return Traversal(*program(given), [Root(Node(path, scope))]).whole()


def names(found: Reach, *, sure: bool = True) -> set[str]:
    """The scopes reached surely (or only possibly), the root left out, those of a.py without its path."""
    steps = {node: step for node, step in found.steps.items() if step.how != "root" and step.sure is sure}
    return {node.scope if node.path == "a.py" else f"{node.path}:{node.scope}" for node in steps}
