"""Each snippet of the table, right or wrong, under mypy in strict mode and three other type checkers."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from mypy import api

from ratchet.typecheck import check_files
from tests.stubs.snippets import (
    ACCESSORS,
    CHECKERS,
    SNIPPETS,
    VENDOR,
    expected_of,
    place_snippets,
    read_snippets,
    reports,
)

MISSED = {
    ("ty", "comparison-with-a-string-as-a-value"),
    ("pyrefly", "comparison-with-a-string-as-a-value"),
    ("pyrefly", "size-compared-with-a-string"),
    ("pyrefly", "live-size-compared-with-a-string"),
    ("pyrefly", "literal-compared-with-a-stranger"),
}
"""What the faster checkers do not see: comparisons that can never be true. See docs/typecheckers.md."""


def _needs(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install -e '.[checkers]'")


def test_the_table_is_large_and_has_both_kinds() -> None:
    wrong = [snippet for snippet in SNIPPETS if snippet.wrong]
    assert len({snippet.id for snippet in SNIPPETS}) == len(SNIPPETS) >= 60
    assert len(wrong) >= 60
    assert len(SNIPPETS) - len(wrong) >= 30
    assert read_snippets() == SNIPPETS


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_table_expects_a_report_on_every_wrong_line_and_on_no_other(checker: str) -> None:
    for snippet in SNIPPETS:
        lines = {int(report.partition(" ")[0]) for report in snippet.expected[checker]}
        assert lines == (set() if (checker, snippet.id) in MISSED else set(snippet.wrong)), snippet.id


def test_mypy(tmp_path: Path) -> None:
    place_snippets(tmp_path)
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\nstrict = True\nenable_error_code = deprecated\nmypy_path = {VENDOR}\n")
    files = [str(path) for path in sorted(tmp_path.glob("*.py"))]
    options = ["--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), "--output", "json"]
    out, err, _ = api.run([*options, *files])
    errors = [json.loads(line) for line in out.splitlines()]
    found = reports((row["file"], row["line"], row["code"]) for row in errors if row["severity"] == "error")
    assert (err, found) == ("", expected_of("mypy"))


@pytest.mark.slow
def test_ty(tmp_path: Path) -> None:
    _needs("ty")
    stubs = tmp_path / "sglang" / "srt"
    stubs.mkdir(parents=True)
    (stubs / "runtime_context.pyi").write_bytes((VENDOR / "sglang/srt/runtime_context.pyi").read_bytes())
    problems = check_files({snippet.id: snippet.text for snippet in SNIPPETS}, tmp_path, ACCESSORS)
    assert reports((one.path, one.line, one.rule) for one in problems) == expected_of("ty")


@pytest.mark.slow
def test_pyrefly(tmp_path: Path) -> None:
    _needs("pyrefly")
    place_snippets(tmp_path)
    (tmp_path / "pyrefly.toml").write_text(
        f'search-path = ["{VENDOR}"]\nsite-package-path = []\nskip-interpreter-query = true\n'
        'project-includes = ["*.py"]\n[errors]\ndeprecated = "error"\n'
    )
    command = [sys.executable, "-m", "pyrefly", "check", "--output-format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = json.loads(done.stdout)["errors"]
    assert reports((row["path"], row["line"], row["name"]) for row in errors) == expected_of("pyrefly")


@pytest.mark.slow
def test_basedpyright(tmp_path: Path) -> None:
    _needs("basedpyright")
    place_snippets(tmp_path)
    lenient = ("UnknownVariableType", "UnknownMemberType", "UnknownArgumentType", "UnusedImport")
    settings: dict[str, object] = {
        f"report{name}": False for name in (*lenient, "UnusedVariable", "UnusedExpression")
    }
    settings |= {"typeCheckingMode": "strict", "reportDeprecated": "error", "extraPaths": [str(VENDOR)]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = json.loads(done.stdout)["generalDiagnostics"]
    found = reports((row["file"], row["range"]["start"]["line"] + 1, row["rule"]) for row in errors)
    assert found == expected_of("basedpyright")
