"""Counts the sites of the shipped pack in a piece of code, as one file of a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from ratchet.checking.rules import counting
from ratchet.model import Example, Pack, Schema, Site
from ratchet.pack import load_packs
from ratchet.schema import load_snapshot

HERE = Path(__file__).parent


@cache
def sglang() -> Pack:
    return load_packs(["sglang"], HERE)


@cache
def schema() -> Schema:
    pack = sglang()
    assert pack.schema is not None
    return load_snapshot(Path(pack.folder) / pack.schema.snapshots, pack.schema.default)


def count(example: Example, code: str) -> Sequence[Site]:
    return counter()(example, code)


@cache
def counter() -> Callable[[Example, str], Sequence[Site]]:
    return counting(sglang())
