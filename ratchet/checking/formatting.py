"""The project's own formatter over rewritten files, before they are written; and the proof of its work."""

from __future__ import annotations

import ast
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ratchet.codemod.model import Rewritten
from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import replace
from ratchet.model import Problem
from ratchet.session import Session
from ratchet.syntax.document import Document, read_document

_PREFIX = ".ratchet-format-"
TIMEOUT = 600.0
"""Seconds after which a formatter is taken for stuck."""

Formatted = tuple[tuple[Rewritten, ...], tuple[Problem, ...]]


def format_files(session: Session, files: tuple[Rewritten, ...]) -> Formatted:
    """The files as the configured formatter leaves them, and what is wrong with what it made.

    Without a formatter they are as they were. Raises UsageError where it cannot be started, and JudgeError
    where it fails.
    """
    command = session.place.migrate_format
    if not command or not files:
        return files, ()
    made: list[Rewritten] = []
    problems: list[Problem] = []
    for file, data in zip(files, _run(session, command, files), strict=True):
        problems += () if data == file.new else _differences(file, data)
        made.append(file if data == file.new else replace(file, new=data, changes=()))
    return tuple(made), tuple(problems)


def _run(session: Session, command: Sequence[str], files: Sequence[Rewritten]) -> list[bytes]:
    """What the formatter makes of copies in a hidden folder of the tree, where it finds its settings."""
    root = session.place.root
    try:
        with _folder(root) as folder:
            places = [folder / file.path for file in files]
            for place, file in zip(places, files, strict=True):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(file.new)
            _call(session, command, places)
            return [_made(command, place, file.path) for place, file in zip(places, files, strict=True)]
    except OSError as error:
        raise JudgeError(
            f"{root}: copies could not be formatted ({error.strerror or error}), and nothing was written;"
            " make room or set its permissions, then run the same command again"
        ) from error


@contextmanager
def _folder(root: Path) -> Iterator[Path]:
    """A folder for copies, which goes with its contents, as do those that killed runs have left."""
    import shutil
    import tempfile

    for left in root.glob(f"{_PREFIX}*"):
        with _held(left) as alone:
            if alone:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=root) as name, _held(Path(name)):
        yield Path(name)


@contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Hold a folder until this process ends, however it does; whether no other process holds it."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    except (ImportError, OSError):  # Windows has no such locks
        yield False
        return
    alone = False
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        yield alone
    finally:
        os.close(descriptor)


def _made(command: Sequence[str], place: Path, path: str) -> bytes:
    if place.is_symlink() or not place.is_file():
        raise JudgeError(
            f"the formatter `{' '.join(command)}` left no file of {path}, and nothing was written; correct"
            " `format` under [migrate] in the configuration"
        )
    return place.read_bytes()


def _call(session: Session, command: Sequence[str], places: Sequence[Path]) -> None:
    import subprocess

    shown = " ".join(command)
    try:
        done = subprocess.run(
            [*command, *map(str, places)],
            cwd=session.place.repository or session.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
        )
    except FileNotFoundError as error:
        raise UsageError(
            f"the formatter `{shown}` is not installed; correct `format` under [migrate] in the configuration"
        ) from error
    except OSError as error:
        raise UsageError(
            f"the formatter `{shown}` cannot be started ({error.strerror or error}), and nothing was written;"
            " correct `format` under [migrate] in the configuration"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise JudgeError(
            f"the formatter `{shown}` took more than {TIMEOUT:g} seconds, and nothing was written; run it by"
            " hand to see why, or correct `format` under [migrate] in the configuration"
        ) from error
    if done.returncode:
        said = " ".join((done.stderr or done.stdout).decode(errors="replace").split())[:300]
        raise JudgeError(
            f"the formatter `{shown}` failed ({said or f'exit code {done.returncode}'}), and nothing was"
            " written; correct `format` under [migrate] in the configuration"
        )


# The proof: only the layout differs


def _differences(file: Rewritten, data: bytes) -> Iterator[Problem]:
    before, after = read_document(file.path, file.new), read_document(file.path, data)
    if isinstance(before, Problem) or isinstance(after, Problem):
        yield Problem(file.path, 0, "the formatter left what does not parse")
    elif (before.mark, before.encoding) != (after.mark, after.encoding):
        yield Problem(file.path, 1, "the formatter changed its byte order mark or its encoding")
    elif _meaning(before) != _meaning(after):
        yield Problem(file.path, 0, "the formatter changed more than its layout")
    elif _comments(before.text) != _comments(after.text):
        yield Problem(file.path, 0, "the formatter lost a comment, or added one")


def _meaning(document: Document) -> str:
    """The tree without positions; of a docstring, which formatters indent, the words of its lines."""
    for node in ast.walk(document.tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            text = first.value.value
            if isinstance(text, str):
                first.value.value = "\n".join(line.strip() for line in text.strip().splitlines())
    return ast.dump(document.tree)


def _comments(text: str) -> Counter[str]:
    """The lines that are comments, without the blanks that a formatter may put after the sign."""
    return Counter(line.strip("# ") for line in _stripped(text.splitlines()) if line.startswith("#"))


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    return (line.strip() for line in lines)
