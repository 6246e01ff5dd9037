"""The textual rules on the real releases: exactly what the engine's own scanners count."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

import pytest

from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Problem
from ratchet.source.text import decode
from tests.shipped import PACK
from tests.trees import tree_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPECTED = tomllib.loads(Path(__file__).with_name("expected_text_counts.toml").read_text(encoding="utf-8"))


def no_tree() -> ast.Module:
    raise AssertionError("a textual rule asked for the syntax tree")


@pytest.mark.slow
@pytest.mark.parametrize("release", EXPECTED["releases"])
def test_counts(release: str) -> None:
    root = tree_of(release)
    rules = [rule for rule in PACK.rules if rule.kind == "text"]
    plan = compile_local(rules, PACK.package, release)
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
    assert {rule.id for rule in PACK.rules if rule.kind == "text"} == set(EXPECTED["counts"])
    assert {len(numbers) for numbers in EXPECTED["counts"].values()} == {len(EXPECTED["releases"])}
