"""Counts the sites of the shipped pack in a piece of code, as one file of a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from ratchet.checking.rules import counting
from ratchet.model import Example, Schema, Site
from ratchet.schema import load_snapshot
from tests.shipped import PACK


@cache
def schema() -> Schema:
    assert PACK.schema is not None
    return load_snapshot(Path(PACK.folder) / PACK.schema.snapshots, PACK.schema.default)


def count(example: Example, code: str) -> Sequence[Site]:
    return counter()(example, code)


@cache
def counter() -> Callable[[Example, str], Sequence[Site]]:
    return counting(PACK)
