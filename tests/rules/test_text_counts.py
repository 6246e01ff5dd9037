"""The textual rules on the real releases: exactly what the engine's own scanners count."""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Problem
from ratchet.source.text import decode
from tests.rules.counting import HERE, sglang

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPECTED = tomllib.loads((HERE / "expected_text_counts.toml").read_text(encoding="utf-8"))
TREES = Path(os.environ.get("RATCHET_TREES", ".cache/sglang"))


def no_tree() -> ast.Module:
    raise AssertionError("a textual rule asked for the syntax tree")


@pytest.mark.slow
@pytest.mark.parametrize("release", EXPECTED["releases"])
def test_counts(release: str) -> None:
    root = TREES / release / "sglang"
    if not root.is_dir():
        pytest.skip(f"there is no {root}: run `make sglang VERSION={release}`, or set RATCHET_TREES")
    rules = [rule for rule in sglang().rules if rule.kind == "text"]
    plan = compile_local(rules, sglang().package, release)
    matcher = SiteMatcher(rules, None, release)
    counted: Counter[str] = Counter({rule.id: 0 for rule in rules})
    for file in root.rglob("*.py"):
        data, path = file.read_bytes(), file.relative_to(root).as_posix()
        text = decode(data, path)
        assert not isinstance(text, Problem)
        sites = matcher.sites(path, (), (), plan.match(path, text, plan.wants(path, data), no_tree)).sites
        counted.update(site.rule for site in sites)
    column = EXPECTED["releases"].index(release)
    assert counted == {rule: numbers[column] for rule, numbers in EXPECTED["counts"].items()}


def test_every_textual_rule_has_its_numbers() -> None:
    assert {rule.id for rule in sglang().rules if rule.kind == "text"} == set(EXPECTED["counts"])
    assert {len(numbers) for numbers in EXPECTED["counts"].values()} == {len(EXPECTED["releases"])}
