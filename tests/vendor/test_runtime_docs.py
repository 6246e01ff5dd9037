"""The examples of `docs/runtime.md` run, and what it lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sglang.srt import runtime_context as rc

from tests.vendor.processes import VENDOR, run

PAGE = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"<!-- run -->\n```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") == 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(example: str) -> None:
    ended = run(example)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_every_accessor_is_named() -> None:
    accessors = {name for name in rc.__all__ if name.startswith("get_")} - {"get_server_args"}
    assert accessors <= set(re.findall(r"`?(get_\w+)", PAGE))


def test_the_library_imports_the_standard_library_alone() -> None:
    modules = sorted(
        ".".join(path.relative_to(VENDOR).with_suffix("").parts).removesuffix(".__init__")
        for path in VENDOR.rglob("*.py")
        if path.name != "pytest_plugin.py"
    )
    assert len(modules) > 30
    code = "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]"
    ended = run(f"{code}\nimport {', '.join(modules)}")
    assert (ended.returncode, ended.stderr) == (0, "")
