"""A baseline that git left unmerged: its three versions in the index, merged as the merge driver would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ratchet.atomic import write_file
from ratchet.baseline.merge import merge_texts
from ratchet.errors import JudgeError
from ratchet.escape import display_path

if TYPE_CHECKING:
    from ratchet.source.objects import BlobReader

BASE, OURS, THEIRS = 1, 2, 3
"""The stages of git's index."""


def merge_unmerged(folder: Path) -> list[Path]:
    """Merge every baseline in a folder that git lists as unmerged, and write it; gives back what was written.

    Git goes on listing such a file until somebody runs `git add` on it, which is for the caller to say.
    Outside of a repository nothing is unmerged. Raises JudgeError where two sides cannot be merged.
    """
    from ratchet.source.git import repository_of
    from ratchet.source.objects import BlobReader

    repo = repository_of(folder)
    if repo is None or not folder.is_dir():
        return []
    reader = BlobReader(repo)
    merged: list[Path] = []
    try:
        for path, stages in _unmerged(repo, folder).items():
            versions = {stage: _content(reader, blob, path) for stage, blob in stages.items()}
            write_file(path, merge_stages(versions, path))
            merged.append(path)
    finally:
        reader.close()
    return merged


def merge_stages(versions: Mapping[int, bytes], path: Path) -> bytes:
    """The merged text of the versions in git's index; raises JudgeError where a side deleted the file."""
    shown = display_path(str(path))
    for stage, side, other in ((OURS, "ours", "theirs"), (THEIRS, "theirs", "ours")):
        if stage not in versions:
            raise JudgeError(
                f"{shown} was deleted on one side of the merge ({side}) and changed on the other ({other}):"
                f" run `git rm {shown}` if its rule is gone, `git add {shown}` if it stays"
            )
    return merge_texts(versions.get(BASE), versions[OURS], versions[THEIRS], path=str(path))


def _unmerged(repo: Path, folder: Path) -> dict[Path, dict[int, str]]:
    """The blobs of unmerged baselines: by file, then by stage."""
    from ratchet.source.git import index_items, relative_prefix

    prefix = relative_prefix(repo, folder)
    found: dict[Path, dict[int, str]] = {}
    for item in index_items(repo, prefix):
        name = item.path[len(prefix) + 1 if prefix else 0 :]
        if item.stage and name.endswith(".tsv") and "/" not in name:
            found.setdefault(folder / name, {})[item.stage] = item.blob
    return found


def _content(reader: BlobReader, blob: str, path: Path) -> bytes:
    content = reader.read(blob)
    if content is None:
        raise JudgeError(f"git lacks a version of {display_path(str(path))} ({blob}): run `git fsck`")
    return content
