"""Applies, resumes or undoes in a process of its own, which kills itself before a given step.

Every file NAME of the tree with a NAME.next beside it becomes that.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from ratchet.codemod.apply import Change, apply_changes, resume, undo


def changes(tree: Path) -> dict[Path, Change]:
    """The changes that the files of a tree ask for."""
    return {
        file.with_suffix(""): Change(file.with_suffix("").read_bytes(), file.read_bytes())
        for file in sorted(tree.glob("*.next"))
    }


def run(verb: str, folder: Path, tree: Path, last: str) -> None:
    """Run `apply`, `resume` or `undo` up to a step, by its name; `none` is all of it."""

    def step(name: str) -> None:
        if name == last:
            os.kill(os.getpid(), signal.SIGKILL)

    if verb == "apply":
        apply_changes(changes(tree), folder, step)
    else:
        {"resume": resume, "undo": undo}[verb](folder, step)
