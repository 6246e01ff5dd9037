"""The one module that writes source files: staged, journaled, each hashed again, replaced atomically.

A file is old or new at every moment, whatever happens in between; the journal says which it was to be, so
that a run that was killed, or found the disk full, can be finished or taken back. Baselines are files like
any other, and move with the source that they count. Where a commit is to hold the files, the run is finished
when it is made: the journal keeps its message until then, and what is committed is git's to take back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from ratchet.atomic import temporary_name, write_file
from ratchet.codemod.journal import Entry, Journal, digest, forget, read_journal, save, stage
from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass, replace
from ratchet.source import git

Side = Literal["old", "new"]
_NOUNS = {"migrate": "migration", "upgrade": "upgrade"}
Step = Callable[[str], None]
"""Told of each step before it is taken, by its name: for a progress bar, or a test that ends the process."""


@dataclass(frozen=True, slots=True)
class Change:
    """A file's bytes as they were read, and as they are to be; None for a file that is not there."""

    old: bytes | None
    new: bytes | None


@dataclass(frozen=True, slots=True)
class Applied:
    """The files that were replaced, and those that were left alone because they are neither old nor new.

    `commit` is the id of the commit that holds them, None where none was asked for or could be made.
    """

    replaced: tuple[Path, ...]
    refused: tuple[Path, ...]
    commit: str | None = None


def _silent(_step: str) -> None:
    return


def apply_changes(
    changes: Mapping[Path, Change],
    folder: Path,
    step: Step = _silent,
    verb: str = "migrate",
    base: Path | None = None,
    message: str | None = None,
) -> Applied:
    """Replace files, with the journal in `folder`; nothing where no file would change.

    All files are compared with what was read before the first is replaced: where one has changed since, a
    JudgeError names it and nothing is written. An earlier run that was not finished is a UsageError. When
    this fails later, the files are each old or new, and `resume` or `undo` go on from there. `verb` is the
    command that errors name, `base` the repository (links resolved) from which the journal names files.
    With a `message`, `commit` is to follow: a run that ends before was interrupted.
    """
    todo = [(path, change.old, change.new) for path, change in _resolved(changes).items()]
    if not todo:
        return Applied((), ())
    with _alone(folder):
        return _apply(todo, folder, step, verb, base, message)


def _resolved(changes: Mapping[Path, Change]) -> dict[Path, Change]:
    """The changes that are any, by the files that links lead to, in order."""
    found: dict[Path, Change] = {}
    for path, change in sorted(changes.items()):
        real = Path(os.path.realpath(path))
        if found.setdefault(real, change) != change:
            raise JudgeError(
                f"{path}: it is a link to a file that is to become another one; exclude one of them"
            )
    return {path: change for path, change in found.items() if change.old != change.new}


def refuse_staged(folder: Path, verb: str = "migrate", base: Path | None = None) -> None:
    """Raise UsageError where the journal in a folder was not carried out: the tree is a mixture, or what
    was written lacks its commit.
    """
    pending = _standing(folder, base)
    if pending is not None and not pending.finished:
        raise UsageError(
            f"an earlier {_NOUNS[verb]} was interrupted; run `ratchet {verb} --resume` to finish it,"
            f" or `ratchet {verb} --undo` to take it back"
        )


def _apply(
    todo: Sequence[tuple[Path, bytes | None, bytes | None]],
    folder: Path,
    step: Step,
    verb: str,
    base: Path | None,
    message: str | None,
) -> Applied:
    refuse_staged(folder, verb, base)
    _check(todo)
    step("stage")
    try:
        journal = stage(folder, todo, base, message)
    except OSError as error:
        raise JudgeError(
            f"{folder}: the new files could not be staged ({error.strerror or error}), and nothing was"
            " written; make room, then run the same command again"
        ) from error
    return _carry_out(journal, "new", step, verb)


def commit(folder: Path, base: Path, step: Step = _silent, verb: str = "migrate") -> str:
    """Commit what was replaced, with the message in the journal, and forget that; return the commit's id.

    JudgeError where git refuses: then `resume` tries it again, and `undo` takes the files back.
    """
    with _alone(folder):
        return _commit(_journal(folder, base, "commit", verb), step, verb)


def resume(folder: Path, step: Step = _silent, verb: str = "migrate", base: Path | None = None) -> Applied:
    """Finish what the journal in a folder says, its commit included; nothing where it is finished. No
    journal: a UsageError.
    """
    with _alone(folder):
        journal = _journal(folder, base, "resume", verb)
        if journal.finished:
            return Applied((), ())
        if journal.state == "staged":
            done = _carry_out(journal, "new", step, verb)
        else:  # all was written, and lacks its commit
            done = Applied((), _changed(journal))
        if journal.message is None or done.refused:
            return done
        return replace(done, commit=_commit(journal, step, verb))


def undo(folder: Path, step: Step = _silent, verb: str = "migrate", base: Path | None = None) -> Applied:
    """Put back what the journal in a folder replaced, and forget it. UsageError without a journal.

    A file that was edited since is left alone and reported as refused; the journal then stays.
    """
    with _alone(folder):
        journal = _journal(folder, base, "undo", verb)
        if base is not None and journal.message is not None:
            # First, since git may still be at it, for a process that is gone: then the index is locked.
            git.unstage_files(base, journal.places)
        return _carry_out(journal, "old", step, verb)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other migrations of the tree away; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("wb")
    except OSError as error:
        raise JudgeError(
            f"{folder}: cannot be written ({error.strerror or error}); set its permissions"
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError("another migration of this tree is running; wait until it ends") from error
        yield


def _journal(folder: Path, base: Path | None, what: str, verb: str) -> Journal:
    journal = _standing(folder, base)
    if journal is None:
        raise UsageError(f"there is no {_NOUNS[verb]} to {what}; run `ratchet {verb} --write` first")
    return journal


def _standing(folder: Path, base: Path | None) -> Journal | None:
    """The journal in a folder; None where a commit holds its files, though nobody came to forget it."""
    journal = read_journal(folder, base)
    if journal is None or journal.state == "staged" or journal.message is None or base is None:
        return journal
    return journal if git.uncommitted_files(base, journal.places) else None


def _changed(journal: Journal) -> tuple[Path, ...]:
    """The files that are not as the journal says they became."""
    return tuple(place for entry in journal.entries if _hash(place := journal.place(entry)) != entry.new)


def _commit(journal: Journal, step: Step, verb: str) -> str:
    assert journal.base is not None
    assert journal.message is not None
    step("commit")
    try:
        made = git.commit_files(journal.base, journal.places, journal.message)
    except JudgeError as error:
        raise JudgeError(
            f"{error}; the files are written and not committed: mend that and run `ratchet {verb} --resume`,"
            f" or commit them yourself; `ratchet {verb} --undo` takes them back"
        ) from error
    forget(journal.folder)
    return made


def _check(files: Sequence[tuple[Path, bytes | None, bytes | None]]) -> None:
    for path, old, _ in files:
        if _hash(path) != (None if old is None else digest(old)):
            raise JudgeError(
                f"{path}: it changed since it was read, and nothing was written; run the same command again"
            )
        if old is not None and not os.access(path, os.W_OK):
            raise JudgeError(f"{path}: it is read-only, and nothing was written; set its permissions")


def _carry_out(journal: Journal, side: Side, step: Step, verb: str) -> Applied:
    """Bring every file of the journal to one side; one that is neither old nor new is refused."""
    replaced, refused = [], []
    if journal.state != "staged":
        # From now on until the end, what lies there is a mixture.
        journal = replace(journal, state="staged")
        save(journal)
    _sweep(journal)
    for number, entry in enumerate(journal.entries):
        path = journal.place(entry)
        wanted, given = (entry.new, entry.old) if side == "new" else (entry.old, entry.new)
        step(f"replace {number}")
        there = _hash(path)
        if there == wanted:
            continue
        if there != given:
            refused.append(path)
            continue
        _replace(journal, number, entry, side, verb)
        replaced.append(path)
    step("finish")
    if side == "new" and not refused:
        save(replace(journal, state="applied"))
    elif side == "old" and not refused:
        forget(journal.folder)
    return Applied(tuple(replaced), tuple(refused))


def _sweep(journal: Journal) -> None:
    """Remove the temporary files that a killed run left beside the journal's files."""
    for folder in sorted({journal.place(entry).parent for entry in journal.entries}):
        for left in folder.glob(temporary_name(journal.mark, "*")):
            left.unlink(missing_ok=True)


def _replace(journal: Journal, number: int, entry: Entry, side: Side, verb: str) -> None:
    path, data = journal.place(entry), journal.bytes_of(number, side)
    if data is None:
        path.unlink()
        return
    try:
        write_file(path, data, journal.mark)
    except JudgeError as error:
        raise JudgeError(
            f"{error}; until then the files are a mixture: run `ratchet {verb} --resume` to finish,"
            f" or `ratchet {verb} --undo` to take it back"
        ) from error


def _hash(path: Path) -> str | None:
    """The hash of what lies at a path now; None where nothing does."""
    try:
        return digest(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or "error").lower()
        raise JudgeError(
            f"{path}: cannot be read: {reason}; set its permissions, then run it again"
        ) from error
