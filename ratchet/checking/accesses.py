"""What the analysis sees in one file by itself: `ratchet accesses`."""

from __future__ import annotations

import os
from pathlib import Path

from ratchet.analysis.encoding import decode_facts
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, replace
from ratchet.judge import Task
from ratchet.model import Access, Pack, Problem
from ratchet.pool import judge_all
from ratchet.session import Session, Setup
from ratchet.source.entries import Listing
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from ratchet.tree import Tree, open_tree, plan_of
from ratchet.workspace import find_root

NAMELESS = "example.py"
"""The name of text that comes from no file."""


@dataclass(frozen=True, slots=True)
class FileAccesses:
    """The accesses in one file, or why they cannot be told. `path` is from the root, else as it was given."""

    path: str
    accesses: tuple[Access, ...]
    problems: tuple[Problem, ...]


def accesses_of_file(setup: Setup, file: Path | None, data: bytes | None = None) -> FileAccesses:
    """The accesses in a file, or in `data` where that is given as its content.

    The file is analysed without what others say of it. It is judged by the schema of the tree that holds it,
    and where none does by the default one of the pack. Raises UsageError for a file that cannot be read.
    """
    full = Path(os.path.normpath(setup.cwd / file)) if file else None
    session = _session_around(setup, full) if full else None
    path = NAMELESS
    if full and session:
        path = full.resolve().relative_to(session.place.root).as_posix()
    elif file:
        path = file.as_posix()
    content = _content(full) if data is None and full else data or b""
    tree = session.part(_nothing()) if session else _alone(setup)
    return _judged(replace(tree, source=Overlay(_nothing(), {path: content})), path, len(content))


def _session_around(setup: Setup, file: Path) -> Session | None:
    """The tree that holds a file; None where no package is around it, nor a tree of the configuration."""
    tree = setup.trees[0]
    if setup.options.root is None and tree.root is None:
        root = find_root(setup.pack(tree).package, file.parent)
        if root is None:
            return None
        setup = replace(setup, options=replace(setup.options, root=root))
    session = setup.session(tree)
    return session if file.resolve().is_relative_to(session.place.root) else None


def _alone(setup: Setup) -> Tree:
    pack: Pack = setup.pack(setup.trees[0])
    return open_tree(_nothing(), "", pack, (), setup.options.engine, setup.cache)


def _nothing() -> WorkTree:
    return WorkTree("", Listing.of(()))


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); name a file") from error


def _judged(tree: Tree, path: str, size: int) -> FileAccesses:
    plan = plan_of(replace(tree, rules=()), namespaces=True)
    tasks = [Task(path, forced=True)]
    (judged,) = judge_all(plan, tree.source, tasks, lambda _path: size, 1, lambda _done: None)
    facts = decode_facts(judged.facts)
    return FileAccesses(path, facts.accesses, (facts.problem,) if facts.problem else ())
