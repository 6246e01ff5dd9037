"""Counts the sites of the shipped pack in a piece of code, as one file of a tree."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ratchet.analysis import analyse, compile_pack
from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Pack, Schema, Site
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


def count(path: str, code: str, engine: str | None = None) -> Sequence[Site]:
    pack = sglang()
    tree = ast.parse(code)
    facts = analyse(path, code, tree, compile_pack(pack, schema()))
    plan = compile_local(pack.rules, pack.package, engine)
    matches = plan.match(path, code, plan.wants(path, code.encode()), lambda: tree)
    return SiteMatcher(pack.rules, schema(), engine).sites(path, facts.accesses, facts.copies, matches).sites
