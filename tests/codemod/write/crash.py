"""Migrates the project in the working directory, in a process that kills itself before a given step."""

from __future__ import annotations

import os
import signal
import sys

from ratchet.checking.migrating import Writing, migrate_tree
from ratchet.checking.migration import Request
from ratchet.checking.writing import resume_write, undo_write
from ratchet.errors import RatchetError
from ratchet.session import Options, open_sessions


def run(verb: str, last: str) -> None:
    """Run `write`, `resume` or `undo` up to a step, by its name; `none` is all of it."""

    def step(name: str) -> None:
        if name == last:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with open_sessions(Options(jobs=1)) as (session,):
            if verb == "write":
                migrate_tree(session, Request(everything=True), Writing(typecheck=False, step=step))
            else:
                {"resume": resume_write, "undo": undo_write}[verb](session, step)
    except RatchetError as error:
        sys.exit(str(error))
