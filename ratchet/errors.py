"""What ends a run: few classes, each with the exit code that the command line gives it."""

from __future__ import annotations


class RatchetError(Exception):
    """A fault that ends the run; its message is one sentence: what, where, the next command."""

    exit_code = 3


class UsageError(RatchetError):
    """Wrong arguments or a wrong configuration file."""

    exit_code = 2


class JudgeError(RatchetError):
    """A pack, a rule, a baseline or a tree that is faulty, or lacks what the run needs to judge."""

    exit_code = 3
