"""Codemods of rules: what becomes of files, what stays and why, and what a rule cannot ask for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ratchet.checking.replacing import Replaced, replace_sites
from ratchet.codemod.model import Refusal
from ratchet.codemod.patched import Texts, names_in_texts
from ratchet.codemod.proof import prove
from ratchet.codemod.rule_plan import RulePlanner
from ratchet.codemod.style import Style
from ratchet.frozen import replace
from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Codemod, Kind, NameMatch, PatternMatch, Problem, Rule, RuleMatch, Site
from ratchet.syntax.document import Document, read_document
from ratchet.tree import NO_SCHEMA

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = "example.py"
STYLE = Style("app", frozenset())
RENAMED = NameMatch(("app.context.get_net", "app.context.get_ui"), renamed=True)
OLD = NameMatch(("app.old.rank", "app.old.size", "app.old.lost", "app.old.late"), imports=True)
REPLACED = Codemod(
    replace=(("app.old.rank", "app.context.get_net().rank"), ("app.old.size", "app.context.get_net().size")),
    versioned=(("<2", (("app.old.late", "app.context.get_net().wait(...)"),)),),
)


def nothing_stays(_path: str, _scope: str) -> Refusal | None:
    return None


def rule_of(kind: Kind, match: RuleMatch, codemod: Codemod) -> Rule:
    return Rule("the-rule", kind, match, "ratchet", "title", "why", "instead", "", own_codemod=codemod)


def sites_of(rule: Rule, document: Document) -> Sequence[Site]:
    local = compile_local([rule], "app", None)
    wanted = local.wants(PATH, document.text.encode())
    matches = local.match(PATH, document.text, wanted, lambda: document.tree)
    return SiteMatcher([rule], NO_SCHEMA, None).sites(PATH, (), (), matches).sites


def replaced(
    rule: Rule, data: bytes, style: Style = STYLE, engine: str | None = None, texts: Texts | None = None
) -> Replaced:
    document = read_document(PATH, data)
    assert isinstance(document, Document), document
    planner = RulePlanner(rule, "app", nothing_stays, engine, texts)
    return replace_sites(planner, document, data, sites_of(rule, document), style)


def check(
    rule: Rule,
    before: str,
    after: str,
    skips: Sequence[str],
    style: Style = STYLE,
    engine: str | None = None,
    texts: Texts | None = None,
) -> None:
    """What becomes of a file is as expected, proved, and a second run changes no more."""
    done = replaced(rule, before.encode(), style, engine, texts)
    new = done.file.new.decode() if done.file is not None else before
    told = [f"{skip.reason}: {skip.detail}" for skip in done.skips]
    assert (new, done.failed) == (after, ()), told
    for text, expected in zip(told, skips, strict=True):
        reason, _, part = expected.partition(": ")
        assert text.startswith(f"{reason}: "), text
        assert part in text
    again = replaced(rule, new.encode(), style, engine, texts)
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


def exporting(case: Mapping[str, Any]) -> Style:
    """The style of a tree in which other files import some names from the one of the case."""
    return replace(STYLE, exported=lambda _module, name: name in case.get("exported", ()))


@pytest.mark.parametrize("case", cases("renames.toml"), ids=lambda case: str(case["name"]))
def test_what_becomes_of_renamed_imports(case: Mapping[str, Any]) -> None:
    rule = rule_of("import", RENAMED, Codemod(own_name=True))
    after, skips = case.get("after", case["before"]), case.get("skips", ())
    check(rule, case["before"], after, skips, exporting(case), texts=case.get("texts"))


@pytest.mark.parametrize("case", cases("imports.toml"), ids=lambda case: str(case["name"]))
def test_what_becomes_of_imports_beside_calls(case: Mapping[str, Any]) -> None:
    rule = rule_of("call", OLD, REPLACED)
    after, skips = case.get("after", case["before"]), case.get("skips", ())
    check(rule, case["before"], after, skips, exporting(case), case.get("engine"), case.get("texts"))


def test_what_texts_name() -> None:
    files = {
        "a.py": b'patch("app.b.rank")\nx = "app.b.rank, app.c.size"\n',
        "b.py": b"\n\npatch('app.b.rank', 'app.b', \"app.c.Size.of\")\n# 'app.d.e'",
    }

    def read(path: str) -> bytes | Problem:
        return files.get(path) or Problem(path, 0, "is gone")

    expected = {"app.b.rank": "a.py:1", "app.c.Size.of": "b.py:3", "app.d.e": "b.py:4"}
    assert names_in_texts("app", ["a.py", "b.py", "c.py"], read) == expected


@pytest.mark.parametrize(
    "after", ["shop.set_timeout(2)", "shop.timeout = 2", "set_timeout(shop, 1)", "return shop.set_timeout(1)"]
)
def test_a_statement_that_is_not_the_planned_one_fails_its_proof(after: str) -> None:
    match = PatternMatch(("$OBJ.timeout = $V",), rewrite="$OBJ.set_timeout($V)")
    made = replaced(rule_of("pattern", match, Codemod()), b"shop.timeout = 1\nx = 2\n").file
    assert made is not None
    assert prove(made, STYLE) == ()
    planned = replace(made, edits=tuple(replace(edit, after=after) for edit in made.edits))
    assert [problem.path for problem in prove(planned, STYLE)] == [PATH]
