"""What the project says of itself: line length, cycles of imports, names that other files use."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.codemod.style import Style, line_length
from tests.codemod.rewrite.planning import ACCESSORS, STYLE, rewrite_text, rewritten

READ = "class A:\n    def f(self):\n        return self.server_args.dp_size\n"
LOCAL = "class A:\n    def f(self):\n        {import_}\n\n        return get_parallel().dp_size\n"
IMPORT = "from sglang.srt.runtime_context import get_parallel"
GLOBAL = """\
from sglang.srt.runtime_context import get_server_args


def f():
    return get_server_args().dp_size
"""
CYCLE = Style("sglang", ACCESSORS, would_cycle=lambda importer, imported: importer == "sglang.srt.example")


def test_a_cycle_makes_the_import_local() -> None:
    assert rewritten(READ, CYCLE) == LOCAL.format(import_=IMPORT)


def test_another_module_makes_no_cycle() -> None:
    assert rewritten(READ, CYCLE, path="srt/other.py") == f"{IMPORT}\n\n\n{READ}".replace(
        "self.server_args", "get_parallel()"
    )


def test_a_module_that_imports_already_makes_no_new_cycle() -> None:
    assert rewritten(GLOBAL, CYCLE) == GLOBAL.replace("get_server_args", "get_parallel")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("class A:\n    def f(self): return self.server_args.dp_size\n", id="one-line"),
        pytest.param(
            "class A:\n    def f(\n        self): return self.server_args.dp_size\n", id="two-lines"
        ),
        pytest.param("f = lambda self: self.server_args.dp_size\n", id="no-function"),
    ],
)
def test_no_place_for_a_local_import(text: str) -> None:
    outcome = rewrite_text(text, CYCLE)
    assert [skip.reason for skip in outcome.skips] == ["import-cycle"] * len(outcome.skips)
    assert outcome.rewritten is None


@pytest.mark.parametrize(
    ("path", "style", "kept"),
    [
        pytest.param("srt/example.py", STYLE, False, id="used-nowhere-else"),
        pytest.param("srt/__init__.py", STYLE, True, id="a-package-exports-its-names"),
        pytest.param(
            "srt/example.py",
            Style(
                "sglang", ACCESSORS, exported=lambda m, n: (m, n) == ("sglang.srt.example", "get_server_args")
            ),
            True,
            id="imported-by-another-file",
        ),
        pytest.param(
            "srt/example.py",
            Style("sglang", ACCESSORS, exported=lambda m, n: n == "get_parallel"),
            False,
            id="another-name-is-imported",
        ),
    ],
)
def test_exported_imports_stay(path: str, style: Style, kept: bool) -> None:
    names = "get_parallel, get_server_args" if kept else "get_parallel"
    assert rewritten(GLOBAL, style, path).splitlines()[0] == f"from sglang.srt.runtime_context import {names}"


@pytest.mark.parametrize(
    ("length", "lines"),
    [
        pytest.param(63, 1, id="fits"),
        pytest.param(62, 4, id="one-letter-too-long"),
        pytest.param(40, 4, id="much-too-long"),
    ],
)
def test_imports_are_wrapped_at_the_line_length(length: int, lines: int) -> None:
    text = GLOBAL.replace("import get_server_args", "import get_server_args, get_stream")
    new = rewritten(text, Style("sglang", ACCESSORS, line_length=length))
    names = "get_parallel, get_stream" if lines == 1 else "(\n    get_parallel,\n    get_stream,\n)"
    assert new.split("\n\n\n")[0] == f"from sglang.srt.runtime_context import {names}"


@pytest.mark.parametrize(
    ("files", "length"),
    [
        pytest.param({}, 88, id="default"),
        pytest.param({"pyproject.toml": "[tool.ruff]\nline-length = 100\n"}, 100, id="ruff"),
        pytest.param({"ruff.toml": "line-length = 101\n"}, 101, id="ruff-file"),
        pytest.param({"pyproject.toml": "[tool.black]\nline-length = 79\n"}, 79, id="black"),
        pytest.param(
            {"pyproject.toml": "[tool.isort]\nprofile = 'black'\nline_length = 90\n"}, 90, id="isort"
        ),
        pytest.param({".isort.cfg": "[settings]\nline_length = 91\n"}, 91, id="isort-file"),
        pytest.param({"setup.cfg": "[flake8]\nmax-line-length = 120\n"}, 120, id="flake8"),
        pytest.param({"pyproject.toml": "[tool.isort]\nprofile = 'black'\n"}, 88, id="profile-alone"),
        pytest.param({"pyproject.toml": "[tool.ruff\n"}, 88, id="broken"),
        pytest.param({"pyproject.toml": "[tool.ruff]\nline-length = 'wide'\n"}, 88, id="no-number"),
        pytest.param({"../pyproject.toml": "[tool.ruff]\nline-length = 77\n"}, 77, id="above"),
        pytest.param(
            {"../pyproject.toml": "[tool.ruff]\nline-length = 77\n", ".git/HEAD": ""}, 88, id="outside"
        ),
    ],
)
def test_line_length(files: dict[str, str], length: int, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    folder.mkdir(exist_ok=True)
    (tmp_path / ".git").mkdir()
    assert line_length(folder) == length
