"""The pack that ships with ratchet, read once for all tests: what is read is frozen, and its files stay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ratchet.model import Pack
from ratchet.pack import Memo, load_packs, shipped_packs
from ratchet.surface import Release, load_history

NAME = "sglang"
PROJECT = Path(__file__).parents[1]
FOLDER = shipped_packs()[NAME]
PACK = load_packs([NAME], PROJECT)


def load_packs_once(
    args: Sequence[str], base: Path, *, analysis: str = "1", memo: Memo | None = None
) -> Pack:
    """What `load_packs` gives; the shipped pack is read for the first one who asks."""
    if list(args) != [NAME]:
        return load_packs(args, base, analysis=analysis, memo=memo)
    return _pack(base if FOLDER.is_relative_to(base) else FOLDER, analysis)


def load_history_once(path: Path) -> tuple[Release, ...]:
    """What `load_history` gives; the shipped one is read for the first one who asks."""
    return _history(path) if path.is_relative_to(FOLDER) else load_history(path)


@cache
def _pack(base: Path, analysis: str) -> Pack:
    return load_packs([NAME], base, analysis=analysis)


_history = cache(load_history)
