"""The files of a run written: all or none, with a journal of their own to finish or to take back from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ratchet.cache import default_folder
from ratchet.codemod.apply import Applied, Change, apply_changes, refuse_staged, resume, undo
from ratchet.codemod.journal import journal_folder
from ratchet.codemod.model import Rewritten
from ratchet.errors import UsageError
from ratchet.source.blob import blob_id
from ratchet.source.git import changed_files, repository_of

VERB = "upgrade"


def refuse_interrupted(cwd: Path) -> None:
    """Raise UsageError where an earlier run was interrupted: the files are a mixture, and say nothing."""
    refuse_staged(journal_of(cwd), VERB, repository_of(cwd))


def write_all(files: Iterable[tuple[Path, Rewritten]], cwd: Path, allow_dirty: bool) -> None:
    """Write the files, all or none. UsageError where the repository has changes that are not committed."""
    repository = repository_of(cwd)
    dirty = changed_files(repository) if repository is not None and not allow_dirty else ()
    if dirty:
        raise UsageError(
            f"the repository has changes that are not committed ({dirty[0]}), and nothing was written;"
            " commit them, or pass --allow-dirty"
        )
    changes = {place: Change(item.old, item.new) for place, item in files}
    apply_changes(changes, journal_of(cwd), verb=VERB, base=repository)


def restore(cwd: Path, finish: bool) -> Applied:
    """Finish an interrupted run, or put back what the last one wrote. UsageError where there is none."""
    journal, base = journal_of(cwd), repository_of(cwd)
    return resume(journal, verb=VERB, base=base) if finish else undo(journal, verb=VERB, base=base)


def journal_of(cwd: Path) -> Path:
    """The folder of the journal: with the repository's own files, else in the cache, one a folder."""
    repository = repository_of(cwd)
    folder = journal_folder(repository, default_folder())
    name = VERB if repository is not None else f"{VERB}-{blob_id(str(cwd).encode())[:16]}"
    return folder / name
