"""The rule that CONTRIBUTING.md shows is one, and holds what it says."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from ratchet.examples import check_examples
from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Example, Site
from ratchet.pack import load_packs
from ratchet.pack.lint import lint_pack

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
PACK = 'format = 1\nname = "mine"\nversion = "1"\npackage = "sglang"\n'


def test_the_rule_shown_works(tmp_path: Path) -> None:
    block = re.search(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    (tmp_path / "pack.toml").write_text(PACK, encoding="utf-8")
    (tmp_path / "no-sleep.toml").write_text(textwrap.dedent(block[1]), encoding="utf-8")
    pack = load_packs(["."], tmp_path)
    plan = compile_local(pack.rules, pack.package)

    def count(example: Example, code: str) -> Sequence[Site]:
        path = example.path
        matches = plan.match(path, code, plan.wants(path, code.encode()), lambda: ast.parse(code))
        return SiteMatcher(pack.rules, None, None).sites(path, (), (), matches).sites

    assert check_examples(pack.rules[0], count) == ()
    assert lint_pack(pack) == ()


def test_every_key_of_a_match_is_told() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("### Kinds")[2]
    keys = (
        "operations",
        "origins",
        "forms",
        "roots",
        "vias",
        "objects",
        "fields",
        "not-fields",
        "namespaces",
    )
    more = (
        "members",
        "unit",
        "names",
        "imports",
        "versions",
        "renamed",
        "patterns",
        "where",
        "rewrite",
        "regex",
    )
    assert [key for key in (*keys, *more) if f"`{key}`" not in table] == []
