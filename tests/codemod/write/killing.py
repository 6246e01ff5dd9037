"""Runs `ratchet` in a process of its own that gets a signal at one of its moments, or while git works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from subprocess import CompletedProcess

from ratchet.cli.run import run
from tests.cli.project import Project
from tests.forked import forked

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod")


def signalled(
    project: Project,
    arguments: tuple[str, ...],
    moment: str = "none",
    nth: int = 1,
    sign: signal.Signals = signal.SIGKILL,
) -> CompletedProcess[str]:
    """What becomes of a run that is sent a signal at the nth moment whose name begins so.

    A moment is before a file of the project is made, replaced or removed, or before and after a call of git.
    """
    left = nth

    def tick(name: str) -> None:
        nonlocal left
        left -= name.startswith(moment)
        if left == 0:
            left = -1
            os.kill(os.getpid(), sign)

    def work() -> None:
        os.setsid()
        (project.folder.parent / "process").write_text(str(os.getpid()))
        _watch(f"{project.folder}/", tick)
        sys.exit(run(list(arguments)))

    return forked(work, project.folder)


def _watch(folder: str, tick: Callable[[str], None]) -> None:
    def heard(event: str, given: tuple[object, ...]) -> None:
        if event == "subprocess.Popen":
            tick(f"git {_verb(given[1])}")
        elif event in ("open", *_CHANGES) and str(given[0]).startswith(folder):
            reads = event == "open" and isinstance(given[2], int) and not given[2] & _WRITES
            if not reads:
                tick(f"{event.removeprefix('os.')} {str(given[0]).removeprefix(folder)}")

    wait = subprocess.Popen.wait

    def waited(self: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        runs = self.returncode is None
        code = wait(self, timeout)
        if runs:
            tick(f"after git {_verb(self.args)}")
        return code

    subprocess.Popen.wait = waited  # type: ignore[method-assign,assignment]  # in a process that ends soon
    sys.addaudithook(heard)


def _verb(command: object) -> str:
    return str(command[1]) if isinstance(command, list) else ""


def signal_in(project: Project, hook: str, words: str) -> None:
    """Let a hook of git, the first time that it runs, do something to the run: `$run` is its process."""
    process = project.folder.parent / "process"
    text = f"#!/bin/sh\ntest -e {process} || exit 0\nrun=$(cat {process})\nrm {process}\n{words}\n"
    project.write(f".git/hooks/{hook}", text).chmod(0o755)
