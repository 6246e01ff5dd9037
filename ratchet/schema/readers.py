"""How the functions of this package reach the files of a tree: two callables, so that git can serve too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ratchet.errors import JudgeError

ReadFile = Callable[[str], "bytes | None"]
"""The bytes of a path relative to the source root, None where there is no such file."""

ListFiles = Callable[[str], Sequence[str]]
"""The paths, relative to the source root, of the files below a folder of it; a file gives itself."""


def tree_readers(root: Path) -> tuple[ReadFile, ListFiles]:
    """The two readers that the functions of this package ask for, over a folder on disk."""

    def read(path: str) -> bytes | None:
        place = root / path
        try:
            if place.exists() and not place.is_file():  # a FIFO would be waited for
                raise JudgeError(f"{place} cannot be read: it is no regular file; move it out of the tree")
            return place.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JudgeError(f"{place} cannot be read: {error.strerror}; make it readable") from None

    def list_files(path: str) -> Sequence[str]:
        place = root / path
        found = place.rglob("*.py") if place.is_dir() else [place] if place.exists() else []
        return [file.relative_to(root).as_posix() for file in found]

    return read, list_files
