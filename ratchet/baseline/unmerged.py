"""A baseline that git left unmerged: its three versions in the index, merged as the merge driver would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ratchet.atomic import write_file
from ratchet.baseline.merge import merge_texts
from ratchet.errors import JudgeError

BASE, OURS, THEIRS = 1, 2, 3


def merge_unmerged(folder: Path) -> list[Path]:
    """Merge every baseline of a folder that git lists as unmerged, and write it; gives back what was written.

    Git still lists such a file until somebody runs `git add` on it, which is for the caller to say. Outside
    of a git work tree nothing is unmerged. Raises JudgeError where two sides cannot be merged.
    """
    merged: list[Path] = []
    for name, stages in sorted(_unmerged(folder).items()):
        path = folder / name
        write_file(path, merge_stages({stage: _blob(folder, blob) for stage, blob in stages.items()}, path))
        merged.append(path)
    return merged


def merge_stages(stages: Mapping[int, bytes], path: Path) -> bytes:
    """The merged text of the versions in git's index; raises JudgeError where a side deleted the file."""
    for stage, side, other in ((OURS, "ours", "theirs"), (THEIRS, "theirs", "ours")):
        if stage not in stages:
            raise JudgeError(
                f"{path} was deleted on one side of the merge ({side}) and changed on the other ({other}):"
                f" run `git rm {path}` if its rule is gone, `git add {path}` if it stays"
            )
    return merge_texts(stages.get(BASE), stages[OURS], stages[THEIRS], path=str(path))


def _unmerged(folder: Path) -> dict[str, dict[int, str]]:
    """The blobs of unmerged baselines: by file name, then by stage."""
    if not folder.is_dir():
        return {}
    try:
        listing = _git(folder, "ls-files", "--unmerged", "-z", "--", "*.tsv")
    except (OSError, subprocess.CalledProcessError):
        return {}
    found: dict[str, dict[int, str]] = {}
    for entry in listing.split(b"\0")[:-1]:
        facts, _, name = entry.partition(b"\t")
        _, blob, stage = facts.split(b" ")
        if b"/" not in name:
            found.setdefault(os.fsdecode(name), {})[int(stage)] = blob.decode("ascii")
    return found


def _blob(folder: Path, blob: str) -> bytes:
    try:
        return _git(folder, "cat-file", "blob", blob)
    except (OSError, subprocess.CalledProcessError) as error:
        raise JudgeError(
            f"git cannot read the version {blob} of a baseline in {folder}: run `git fsck`"
        ) from error


def _git(folder: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout
