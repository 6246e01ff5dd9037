"""docs/rules.md is made of the rules as they are."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_current() -> None:
    render = runpy.run_path(str(DOCS / "rules.py"))["render"]
    assert (DOCS / "rules.md").read_text(encoding="utf-8") == render(), "run `python docs/rules.py`"
