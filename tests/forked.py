"""Runs a function in a process of its own that is forked off: it may die, and imports nothing again."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess


def forked(work: Callable[[], object], folder: Path | None = None) -> CompletedProcess[str]:
    """How a process ends that does some work in a folder; one that is killed has said nothing."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # newer Pythons warn of other threads: pytest-xdist's
        child = os.fork()
    if not child:
        _run(work, folder, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="surrogateescape") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    out, err = json.loads(said) if said else ("", "")
    return CompletedProcess([], os.waitstatus_to_exitcode(status), out, err)


def _run(work: Callable[[], object], folder: Path | None, pipe: int) -> None:
    """What the new process does; it never comes back from here."""
    out, err, code = io.StringIO(), io.StringIO(), 1
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            os.chdir(folder or os.curdir)
            code = _exit_code(work)
        with os.fdopen(pipe, "w", encoding="utf-8") as file:
            json.dump([out.getvalue(), err.getvalue()], file)
    finally:
        os._exit(code)


def _exit_code(work: Callable[[], object]) -> int:
    """What `python` itself would end with after some work."""
    try:
        work()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        sys.stderr.write(f"{ended.code}\n")
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def fill_disk(size: int) -> None:
    """From now on, this process can write no file of more than `size` bytes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
