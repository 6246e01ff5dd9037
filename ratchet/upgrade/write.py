"""The files of a run rewritten: planned in memory, then written all or none, with a journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ratchet.cache import default_folder
from ratchet.codemod.apply import Change, apply_changes, undo
from ratchet.codemod.journal import journal_folder
from ratchet.codemod.model import Rewritten
from ratchet.codemod.style import line_length
from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.source.blob import blob_id
from ratchet.source.git import changed_files, repository_of
from ratchet.surface import Release
from ratchet.syntax.document import Document, read_document
from ratchet.upgrade.model import Finding, Upgrade
from ratchet.upgrade.rewriting import rewrite_moved
from ratchet.upgrade.run import File, read_file


@dataclass(frozen=True, slots=True)
class Planned:
    """The files as they become, with their places, and those whose rewriting could not be proved."""

    rewritten: tuple[Rewritten, ...]
    places: tuple[Path, ...]
    problems: tuple[Problem, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The files that change, as they are shown."""
        return tuple(item.path for item in self.rewritten)


def plan(found: Upgrade, files: Sequence[File], both: Release | None) -> Planned:
    """Rewrite the files with findings that can be; `both` is the older release, where it must work too."""
    by_path: dict[str, list[Finding]] = {}
    for finding in found.findings:
        if finding.rewritable:
            by_path.setdefault(finding.path, []).append(finding)
    rewritten: list[Rewritten] = []
    places: list[Path] = []
    problems: list[Problem] = []
    for file in files:
        data = read_file(file) if file.shown in by_path else None
        document = read_document(file.shown, data) if isinstance(data, bytes) else data
        if isinstance(document, Document) and isinstance(data, bytes):
            length = line_length(file.place.parent)
            made = rewrite_moved(document, data, by_path[file.shown], both, length)
            if isinstance(made, Rewritten):
                rewritten.append(made)
                places.append(file.place)
            elif made is not None:
                problems.append(made)
    return Planned(tuple(rewritten), tuple(places), tuple(problems))


def write_all(planned: Planned, cwd: Path, allow_dirty: bool) -> None:
    """Write the files, all or none. UsageError where the repository has changes that are not committed."""
    repository = repository_of(cwd)
    dirty = changed_files(repository) if repository is not None and not allow_dirty else ()
    if dirty:
        raise UsageError(
            f"the repository has changes that are not committed ({dirty[0]}), and nothing was written;"
            " commit them, or pass --allow-dirty"
        )
    pairs = zip(planned.places, planned.rewritten, strict=True)
    apply_changes({place: Change(item.old, item.new) for place, item in pairs}, _journal(cwd))


def undo_last(cwd: Path) -> int:
    """Put back what the last run wrote; the number of files. UsageError where there is none."""
    return len(undo(_journal(cwd)).replaced)


def _journal(cwd: Path) -> Path:
    """Where the journal lies: with the repository's own files, else in the cache, one a folder."""
    repository = repository_of(cwd)
    folder = journal_folder(repository, default_folder())
    name = "upgrade" if repository is not None else f"upgrade-{blob_id(str(cwd).encode())[:16]}"
    return folder / name
