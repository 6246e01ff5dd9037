"""Type checks rewritten text against the generated stubs, by a type checker in a process of its own.

The checker is `ty`: `docs/typecheckers.md` says how it was chosen. The texts are staged outside of their
tree, so that the names of the target library can only come from the stubs; all other imports are unknown
types, and neither the tree nor an installed package is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass

NAME_RULES = (
    "deprecated",
    "invalid-syntax",
    "missing-argument",
    "missing-attribute",
    "missing-module-member",
    "not-callable",
    "positional-only-parameter-as-kwarg",
    "too-many-positional-arguments",
    "unknown-argument",
)
"""What a wrong rewrite breaks: a namespace, a leaf, a keyword, a call. A right one never does."""

VALUE_RULES = (
    "invalid-argument-type",
    "invalid-assignment",
    "invalid-explicit-return",
    "missing-union-attribute",
    "not-iterable",
    "redundant-condition-strict",
    "unsupported-operator",
)
"""What the type of a value breaks. A field has one type in the record and in its namespace, so that a read
which moves keeps such a problem (an optional field used as a number), and does not make one."""

TIMEOUT = 600.0
"""Seconds after which the checker is taken for stuck: a whole tree takes less than ten."""

_CANARY = "canary.py"
_SILENCER = re.compile(r"ty(?<=\bty)(?=\s*:\s*ignore)")  # the letters first: they are searched for fast


@dataclass(frozen=True, slots=True, order=True)
class TypeProblem:
    """What the checker says of a text, and where: from 1, columns in characters, the end exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    message: str


def check_files(
    files: Mapping[str, str], stubs: Path, accessors: Sequence[str], timeout: float = TIMEOUT
) -> tuple[TypeProblem, ...]:
    """The type problems in `files` (path and text), sorted.

    `stubs` is a folder that `ratchet stubs` wrote, and that holds nothing else: an import from another
    module of the library has to stay unknown. `accessors` are dotted names of functions that return
    namespaces: beside the files goes a canary that reads a leaf which no namespace has off each of them.
    Raises JudgeError where a canary is not reported, for then nothing was really checked, where the checker
    fails, and where it takes more than `timeout` seconds; UsageError where it is not installed.
    """
    import tempfile

    if not accessors:
        raise JudgeError("no accessor to try the type checker with; the pack must declare its namespaces")
    with tempfile.TemporaryDirectory(prefix="ratchet-typecheck-") as folder:
        stage = Path(folder)
        # Under names of our own: the checker passes over what it takes for no Python file, without a word.
        staged = {f"file_{number:05}.py": path for number, path in enumerate(files)}
        for place, path in staged.items():
            _stage(stage / "files" / place, files[path])
        _stage(stage / "files" / _CANARY, _canary(accessors))
        found = _run(stage, stubs, timeout)
    canaries = {problem.line for problem in found if problem.path == _CANARY}
    for number, accessor in enumerate(accessors, 1):
        if number not in canaries:
            raise JudgeError(
                f"{stubs}: the type checker accepts a leaf that {accessor} does not have, so nothing was "
                "checked; write the stubs again with `ratchet stubs`"
            )
    return tuple(sorted(_at(problem, staged[problem.path]) for problem in found if problem.path in staged))


def _stage(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    # A comment that silences the checker would hide a wrong rewrite; of equal length, so that columns stay.
    place.write_bytes(_SILENCER.sub("xx", text).encode())


def _canary(accessors: Iterable[str]) -> str:
    """A line for each accessor, so that the line of a problem says which one it is."""
    lines = (f"import {name.rpartition('.')[0]}; {name}().no_namespace_has_this_leaf" for name in accessors)
    return "\n".join(lines) + "\n"


def _configuration(stubs: Path, environment: Path) -> str:
    import json

    rules = "".join(f'{rule} = "error"\n' for rule in (*NAME_RULES, *VALUE_RULES) if rule != "invalid-syntax")
    return (
        f"[environment]\npython = {json.dumps(str(environment))}\nextra-paths = [{json.dumps(str(stubs))}]\n"
        "[src]\nrespect-ignore-files = false\n"
        "[analysis]\nrespect-type-ignore-comments = false\n"
        f'[rules]\nall = "ignore"\n{rules}'
    )


def _run(stage: Path, stubs: Path, timeout: float) -> list[TypeProblem]:
    import json
    import subprocess
    import sys

    environment = stage / "environment"
    (environment / "lib" / "python3.13" / "site-packages").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\nversion = 3.13\n")
    configuration = stage / "ty.toml"
    configuration.write_text(_configuration(stubs.resolve(), environment), encoding="utf-8")
    command = [_checker(), "check", "--output-format", "gitlab", "--config-file", str(configuration), "."]
    try:
        done = subprocess.run(command, cwd=stage / "files", capture_output=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise JudgeError(
            f"the type checker ty took more than {timeout:g} seconds; migrate fewer files at a time"
        ) from None
    try:
        reports = json.loads(done.stdout)
    except ValueError:
        reason = " ".join(done.stderr.decode(errors="replace").split()) or f"exit code {done.returncode}"
        raise JudgeError(
            f"the type checker ty failed: {reason}; run `ty --version` to see that it works"
        ) from None
    return [_problem(report) for report in reports]


def _checker() -> str:
    import shutil
    import sys

    found = shutil.which("ty", path=str(Path(sys.executable).parent)) or shutil.which("ty")
    if found is None:
        raise UsageError("the type checker ty is not installed; run `pip install 'ratchet-lint[typecheck]'`")
    return found


def _problem(report: Mapping[str, object]) -> TypeProblem:
    match report:
        case {
            "check_name": str(rule),
            "description": str(message),
            "location": {
                "path": str(path),
                "positions": {
                    "begin": {"line": int(line), "column": int(column)},
                    "end": {"line": int(end_line), "column": int(end_column)},
                },
            },
        }:
            text = message.removeprefix(f"{rule}: ")
            return TypeProblem(path, line, column, end_line, end_column, rule, text)
    raise JudgeError(
        f"the type checker ty reported {report!r}, which is not its known form; "
        "install the version that ratchet-lint[typecheck] names"
    )


def _at(problem: TypeProblem, path: str) -> TypeProblem:
    from dataclasses import replace

    return replace(problem, path=path)
