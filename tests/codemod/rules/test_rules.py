"""Codemods of rules: what becomes of files, what stays and why, and what a rule cannot ask for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ratchet.checking.replacing import Replaced, replace_sites
from ratchet.codemod.model import Refusal
from ratchet.codemod.rule_plan import RulePlanner
from ratchet.codemod.style import Style
from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Codemod, Kind, NameMatch, PatternMatch, Rule, RuleMatch, Site
from ratchet.syntax.document import Document, read_document
from ratchet.tree import NO_SCHEMA

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = "example.py"
STYLE = Style("app", frozenset())


def nothing_stays(_path: str, _scope: str) -> Refusal | None:
    return None


def rule_of(kind: Kind, match: RuleMatch, codemod: Codemod) -> Rule:
    return Rule("the-rule", kind, match, "ratchet", "title", "why", "instead", "", own_codemod=codemod)


def sites_of(rule: Rule, document: Document) -> Sequence[Site]:
    local = compile_local([rule], "app", None)
    wanted = local.wants(PATH, document.text.encode())
    matches = local.match(PATH, document.text, wanted, lambda: document.tree)
    return SiteMatcher([rule], NO_SCHEMA, None).sites(PATH, (), (), matches).sites


def replaced(rule: Rule, data: bytes) -> Replaced:
    document = read_document(PATH, data)
    assert isinstance(document, Document), document
    planner = RulePlanner(rule, "app", nothing_stays)
    return replace_sites(planner, document, data, sites_of(rule, document), STYLE)


def check(rule: Rule, before: str, after: str, skips: Sequence[str]) -> None:
    """What becomes of a file is as expected, proved, and a second run changes no more."""
    done = replaced(rule, before.encode())
    new = done.file.new.decode() if done.file is not None else before
    told = [f"{skip.reason}: {skip.detail}" for skip in done.skips]
    assert (new, done.failed) == (after, ()), told
    for text, expected in zip(told, skips, strict=True):
        reason, _, part = expected.partition(": ")
        assert text.startswith(f"{reason}: "), text
        assert part in text
    again = replaced(rule, new.encode())
    assert (again.edits, len(again.skips)) == ((), len(skips))


def cases(name: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = tomllib.loads(Path(__file__).with_name(name).read_text())["case"]
    return found


@pytest.mark.parametrize(
    "case", [*cases("cases.toml"), *cases("statements.toml")], ids=lambda case: str(case["name"])
)
def test_what_a_pattern_rule_makes_of_a_file(case: Mapping[str, Any]) -> None:
    match = PatternMatch(tuple(case["patterns"]), rewrite=case["rewrite"])
    rule = rule_of("pattern", match, Codemod(tuple(case.get("imports", ()))))
    check(rule, case["before"], case.get("after", case["before"]), case.get("skips", ()))


@pytest.mark.parametrize("case", cases("calls.toml"), ids=lambda case: str(case["name"]))
def test_what_a_call_rule_makes_of_a_file(case: Mapping[str, Any]) -> None:
    replace = case["replace"]
    match = NameMatch(tuple(case.get("names", replace)))
    rule = rule_of("call", match, Codemod(replace=tuple(replace.items())))
    check(rule, case["before"], case.get("after", case["before"]), case.get("skips", ()))
