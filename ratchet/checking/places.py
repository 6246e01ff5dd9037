"""Which file of a tree an argument names."""

from __future__ import annotations

from ratchet.errors import UsageError
from ratchet.escape import display_path
from ratchet.session import Session
from ratchet.source.arguments import resolve_paths


def path_in_tree(session: Session, path: str) -> str:
    """The path, from the source root, of a file that is named from the working directory or from the root.

    Raises UsageError for what is no Python file of the tree.
    """
    root = session.place.root
    if not (session.cwd / path).exists() and (root / path).is_file():
        return path
    named = resolve_paths([path], session.cwd, root)
    places = named.paths + named.deleted
    if len(places) != 1 or not (root / places[0]).is_file():
        shown = display_path(path)
        raise UsageError(
            f"{shown} is no Python file of the tree {display_path(str(root))}: name one of its files"
        )
    return places[0]
