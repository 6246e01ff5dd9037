"""What an engine offers to code outside of it: its modules, their names, signatures and record fields."""

from __future__ import annotations

from ratchet.surface.encoding import decode, encode, load_history, with_release
from ratchet.surface.extraction import read_release
from ratchet.surface.lookup import Index, Standing, stand
from ratchet.surface.model import Module, Release

__all__ = [
    "Index",
    "Module",
    "Release",
    "Standing",
    "decode",
    "encode",
    "load_history",
    "read_release",
    "stand",
    "with_release",
]
