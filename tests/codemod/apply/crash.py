"""Applies, resumes or undoes in a process of its own, which kills itself before a given step.

    python -m tests.codemod.apply.crash VERB FOLDER TREE STEP

Every file NAME of the tree with a NAME.next beside it becomes that; STEP is a step's name, or `none`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from ratchet.codemod.apply import Change, apply_changes, resume, undo


def changes(tree: Path) -> dict[Path, Change]:
    """The changes that the files of a tree ask for."""
    return {
        file.with_suffix(""): Change(file.with_suffix("").read_bytes(), file.read_bytes())
        for file in sorted(tree.glob("*.next"))
    }


def main() -> None:
    """Run one verb, up to a step."""
    verb, folder, tree, last = sys.argv[1:]

    def step(name: str) -> None:
        if name == last:
            os.kill(os.getpid(), signal.SIGKILL)

    if verb == "apply":
        apply_changes(changes(Path(tree)), Path(folder), step)
    else:
        {"resume": resume, "undo": undo}[verb](Path(folder), step)


if __name__ == "__main__":
    main()
