"""Files replaced as a whole: a reader sees the old text or the new one, and a failed write leaves the old."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ratchet.errors import JudgeError


def write_file(path: Path, data: bytes, mark: str = "") -> None:
    """Replace one file; as `write_files`."""
    write_files({path: data}, mark)


def write_files(files: Mapping[Path, bytes], mark: str = "") -> None:
    """Replace files by `data`: all are staged beside their targets and flushed before the first is replaced.

    A file keeps its mode, and a symbolic link goes on pointing at its target. A full disk is met while
    staging, when no file has changed yet. `mark` stands in the names of the staged files, by which those that
    a killed process left are found; without it, the id of the process does. Raises JudgeError naming the file
    that could not be written.
    """
    staged: list[tuple[Path, Path]] = []
    target = Path()
    try:
        for path, data in files.items():
            target = Path(os.path.realpath(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.append(
                (
                    target.parent
                    / temporary_name(mark or str(os.getpid()), f"{len(staged)}-{os.urandom(4).hex()}"),
                    target,
                )
            )
            _stage(staged[-1][0], target, data)
        while staged:
            temporary, target = staged[0]
            temporary.replace(target)
            staged.pop(0)
            _flush_folder(target.parent)
    except OSError as error:
        raise JudgeError(
            f"{target} could not be written ({error.strerror or error}) and is as it was before:"
            " make room or set its permissions, then run the same command again"
        ) from error
    finally:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):
                temporary.unlink()


def temporary_name(mark: str, rest: str) -> str:
    """Return the name of a staged file: not made of its target's, which may be as long as a name can be."""
    return f".ratchet-{mark}-{rest}.tmp"


def _stage(temporary: Path, target: Path, data: bytes) -> None:
    with temporary.open("xb") as file:
        file.write(data)
        file.flush()
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Make a rename outlive a power cut, where the system lets folders be flushed."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
