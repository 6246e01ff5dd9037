"""Which releases a run compares: out of the pack's history, or read off trees."""

from __future__ import annotations

from pathlib import Path

from ratchet.errors import UsageError
from ratchet.model import Pack
from ratchet.surface import Release, load_history, read_release
from ratchet.surface.extraction import source_of


def releases_between(pack: Pack, old: str, new: str) -> tuple[Release, ...]:
    """The releases from one to another, oldest first; each end is a version, or a folder of an engine.

    Of a folder nothing is known but the end itself. UsageError for a version that is not recorded, and where
    the second one is not newer.
    """
    folders = [which for which in (old, new) if Path(which).is_dir()]
    if folders:
        return tuple(
            _of_folder(pack, which) if which in folders else _of(pack, which) for which in (old, new)
        )
    history = _history(pack)
    names = [release.engine for release in history]
    for which in (old, new):
        if which not in names:
            raise UsageError(
                f"no release {which} is recorded; there are {', '.join(names)}, others are folders of a tree"
            )
    if names.index(old) >= names.index(new):
        raise UsageError(f"{new} is not newer than {old}; exchange --from and --to")
    return history[names.index(old) : names.index(new) + 1]


def _history(pack: Pack) -> tuple[Release, ...]:
    return load_history(Path(pack.folder) / source_of(pack).history)


def _of(pack: Pack, version: str) -> Release:
    history = _history(pack)
    found = next((release for release in history if release.engine == version), None)
    if found is None:
        names = ", ".join(release.engine for release in history)
        raise UsageError(f"no release {version} is recorded; there are {names}, others are folders of a tree")
    return found


def _of_folder(pack: Pack, folder: str) -> Release:
    from ratchet.schema import tree_readers
    from ratchet.workspace import root_of

    return read_release(folder, *tree_readers(root_of(Path(folder), pack.package)), pack)
