"""Roles: which namespaces the code of each kind of process may read, observed or enforced.

SGLANG_ROLE_NAMESPACES selects the mode when this module is imported: `off` (the default), `record`, or
`enforce`. In record mode, SGLANG_ROLE_NAMESPACES_OUT names a file that all processes append to.
"""

from __future__ import annotations

import atexit
import enum
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from sglang.srt._runtime.errors import ConfigError, RoleError, nearest

MODE_VARIABLE = "SGLANG_ROLE_NAMESPACES"
OUT_VARIABLE = "SGLANG_ROLE_NAMESPACES_OUT"

# None is the full tree. A set is filled in only where an audit in record mode backs it.
ROLE_NAMESPACE_SETS: Mapping[str, frozenset[str] | None] = {
    "scheduler": None,
    "launcher": None,
    "test": None,
    "dp_controller": frozenset({"exec"}),
    "tokenizer": None,
    "encoder": None,
    "expert_backup": None,
    "weight_cache_daemon": None,
}

Read = TypeVar("Read")


class Mode(enum.Enum):
    """What is done about a process's reads: nothing, writing them down, or refusing those outside its set."""

    OFF = "off"
    RECORD = "record"
    ENFORCE = "enforce"


def mode_from(environ: Mapping[str, str]) -> Mode:
    """The mode that an environment selects; raises ConfigError for a value that is none."""
    value = environ.get(MODE_VARIABLE, Mode.OFF.value)
    try:
        return Mode(value)
    except ValueError:
        raise ConfigError(
            f"{MODE_VARIABLE} is {value!r}, which is no mode: set it to off, record or enforce, or unset it."
        ) from None


class Audit:
    """What each role was seen to read, written down at once: a killed worker runs no exit handler."""

    def __init__(self, out: Path | None) -> None:
        self._out = out
        # With the process's id, for a forked child inherits the set and has yet to be seen itself.
        self._seen: set[tuple[int, str, str | None]] = set()

    def note(self, role: str, namespace: str | None) -> None:
        """Record that a role read a namespace, or with None that it published and so exists."""
        pair = (os.getpid(), role, namespace)
        if pair in self._seen:
            return
        self._append({"pid": pair[0], "role": role, "namespace": namespace})
        self._seen.add(pair)

    def summary(self) -> str:
        """A line for each role of this process, with the namespaces that it read."""
        # A copy: a thread that is still reading may add to the set meanwhile.
        mine = [(role, namespace) for pid, role, namespace in self._seen.copy() if pid == os.getpid()]
        reads = {role: sorted(name for owner, name in mine if owner == role and name) for role, _ in mine}
        return "".join(
            f"[{MODE_VARIABLE}] pid {os.getpid()}, role {role}: {', '.join(names) or 'no namespace read'}\n"
            for role, names in sorted(reads.items())
        )

    def _append(self, line: Mapping[str, object]) -> None:
        if self._out is None:
            return
        try:
            # One write to a file opened for appending: lines of several processes do not mix.
            descriptor = os.open(self._out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            try:
                os.write(descriptor, (json.dumps(line) + "\n").encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            raise ConfigError(
                f"The role audit cannot be written to {self._out} ({error.strerror}): "
                f"set {OUT_VARIABLE} to a file that this process may append to."
            ) from error


def _start_audit() -> Audit:
    out = os.environ.get(OUT_VARIABLE)
    audit = Audit(Path(out) if out else None)
    atexit.register(lambda: sys.stderr.write(audit.summary()))
    return audit


MODE = mode_from(os.environ)
_AUDIT = _start_audit() if MODE is Mode.RECORD else None


def admit(role: str) -> None:
    """Let a role publish: on record in record mode; raises RoleError for an unknown one in enforce mode."""
    if _AUDIT is not None:
        _AUDIT.note(role, None)
    if MODE is Mode.ENFORCE and role not in ROLE_NAMESPACE_SETS:
        raise RoleError(
            f"The role `{role}` has no declared set of namespaces: add it to ROLE_NAMESPACE_SETS "
            f"in {__name__} (None for the full tree), or publish as `{nearest(role, ROLE_NAMESPACE_SETS)}`."
        )


def guarded(namespace: str, role: Callable[[], str]) -> Callable[[Callable[[], Read]], Callable[[], Read]]:
    """Decorate the accessor of a namespace with what the mode does about reads.

    In off mode that is nothing: the accessor itself is returned, so that a read carries no bookkeeping.
    """

    def decorate(accessor: Callable[[], Read]) -> Callable[[], Read]:
        if MODE is Mode.OFF:
            return accessor
        check = _check if MODE is Mode.ENFORCE else _note

        def read() -> Read:
            bag = accessor()
            check(role(), namespace)
            return bag

        read.__name__, read.__doc__ = accessor.__name__, accessor.__doc__
        return read

    return decorate


def _check(role: str, namespace: str) -> None:
    allowed = ROLE_NAMESPACE_SETS[role]
    if allowed is not None and namespace not in allowed:
        raise RoleError(
            f"The role `{role}` may not read the namespace `{namespace}`, only {', '.join(sorted(allowed))}: "
            f"hand the value in, or, if a run with {MODE_VARIABLE}=record shows that it belongs there, "
            f"add it to ROLE_NAMESPACE_SETS in {__name__}."
        )


def _note(role: str, namespace: str) -> None:
    # A compiler that traces a read must neither write files nor find a side effect to refuse.
    if _AUDIT is not None and not _is_tracing():
        _AUDIT.note(role, namespace)


def _is_tracing() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_compiling())
