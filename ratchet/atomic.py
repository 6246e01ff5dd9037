"""Files replaced as a whole: a reader sees the old text or the new one, and a failed write leaves the old."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ratchet.errors import JudgeError


def write_file(path: Path, data: bytes) -> None:
    """Replace one file; as `write_files`."""
    write_files({path: data})


def write_files(files: Mapping[Path, bytes]) -> None:
    """Replace files by `data`: all are staged beside their targets and flushed before the first is replaced.

    A file keeps its mode, and a symbolic link goes on pointing at its target. A full disk is met while
    staging, when no file has changed yet. Raises JudgeError naming the file that could not be written.
    """
    staged: list[tuple[Path, Path]] = []
    target = Path()
    try:
        for path, data in files.items():
            target = Path(os.path.realpath(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            staged.append((_staging_path(target, len(staged)), target))
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


def _staging_path(target: Path, number: int) -> Path:
    # Not derived from the target's name, which may be as long as the file system allows.
    return target.parent / f".ratchet-{os.getpid()}-{number}-{os.urandom(4).hex()}.tmp"


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
