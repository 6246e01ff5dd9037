"""The type check of rewritten text: what it finds, what it leaves alone, and when it refuses to answer."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest

from ratchet.errors import JudgeError, UsageError
from ratchet.typecheck import NAME_RULES, VALUE_RULES, TypeProblem, check_files

STUB = """\
from typing import Final

class Parallel:
    dp_size: Final[int]
    max_size: Final[int | None]

def get_parallel() -> Parallel: ...
"""
ACCESSOR = "lib.context.get_parallel"
IMPORT = "from lib.context import get_parallel\n"

FINDS = {
    "a wrong leaf": (f"{IMPORT}get_parallel().size\n", 2, 1, "missing-attribute"),
    "in a function without annotations": (
        f"{IMPORT}def f(x):\n    return get_parallel().size\n",
        3,
        12,
        "missing-attribute",
    ),
    "after a name that is not ASCII": (
        f"{IMPORT}x = 'äöü'; get_parallel().size\n",
        2,
        12,
        "missing-attribute",
    ),
    "on a line that silences type checkers": (
        f"{IMPORT}get_parallel().size  # type: ignore\n",
        2,
        1,
        "missing-attribute",
    ),
    "on a line that silences this one": (
        f"{IMPORT}get_parallel().size  # ty: ignore\n",
        2,
        1,
        "missing-attribute",
    ),
    "in a file that is silenced": (
        f"# type: ignore\n{IMPORT}get_parallel().size\n",
        3,
        1,
        "missing-attribute",
    ),
    "with Windows line ends": (
        f"{IMPORT}\n\nget_parallel().size\n".replace("\n", "\r\n"),
        4,
        1,
        "missing-attribute",
    ),
    "a text that does not parse": ("x = (\n", 2, 1, "invalid-syntax"),
    "a bare store": (f"{IMPORT}get_parallel().dp_size = 2\n", 2, 1, "invalid-assignment"),
}

IGNORES = {
    "a right leaf": f"{IMPORT}size: int = get_parallel().dp_size\n",
    "an empty file": "",
    "an import that cannot be resolved": "import torch\nfrom lib.layers import Layer\nfrom . import other\n",
    "what an unknown module has": "import torch\ntorch.nothing(1).at.all\n",
    "a fault that has nothing to do with rewrites": "def f() -> int:\n    return undefined_name\n",
    "a cookie of another encoding": f"# coding: latin-1\n{IMPORT}x = 'ä'; get_parallel().dp_size\n",
}


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    place = tmp_path / "stubs" / "lib"
    place.mkdir(parents=True)
    (place / "context.pyi").write_text(STUB)
    return place.parent


@pytest.fixture
def checker() -> None:
    if importlib.util.find_spec("ty") is None:
        pytest.skip("ty is not installed: pip install -e '.[typecheck]'")


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize(("text", "line", "column", "rule"), FINDS.values(), ids=FINDS)
def test_finds(text: str, line: int, column: int, rule: str, stubs: Path) -> None:
    found = check_files({"srt/a.py": text}, stubs, [ACCESSOR])
    assert [(one.path, one.line, one.column, one.rule) for one in found] == [("srt/a.py", line, column, rule)]
    assert rule in {*NAME_RULES, *VALUE_RULES}


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize("text", IGNORES.values(), ids=IGNORES)
def test_ignores(text: str, stubs: Path) -> None:
    assert check_files({"srt/a.py": text}, stubs, [ACCESSOR]) == ()


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
def test_every_file_is_checked_whatever_its_name(stubs: Path) -> None:
    names = [
        "b.py",
        "a.py",
        "build/a.py",
        "node_modules/a.py",
        ".hidden.py",
        "no suffix",
        "a.txt",
        "x\n.py",
        "é.pyi",
    ]
    found = check_files(dict.fromkeys(names, f"{IMPORT}get_parallel().size\n"), stubs, [ACCESSOR])
    message = "Object of type `Parallel` has no attribute `size`"
    assert found == tuple(
        TypeProblem(name, 2, 1, 2, 20, "missing-attribute", message) for name in sorted(names)
    )


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize("hidden", ["ignored", "configured", "installed"])
def test_the_surroundings_do_not_matter(
    hidden: str, stubs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an ignore file, nor a project's own settings, nor an installed library hides a wrong leaf."""
    monkeypatch.chdir(tmp_path)
    if hidden == "ignored":
        (tmp_path / ".gitignore").write_text("*\n")
    elif hidden == "configured":
        (tmp_path / "ty.toml").write_text('[rules]\nall = "ignore"\n')
    else:
        place = tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "lib"
        place.mkdir(parents=True)
        (tmp_path / "env" / "pyvenv.cfg").write_text(
            f"home = {Path(sys.executable).parent}\nversion = 3.11\n"
        )
        (place / "__init__.py").write_text("")
        (place / "context.py").write_text("def get_parallel(): ...\n")
        monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "env"))
    found = check_files({"a.py": f"{IMPORT}get_parallel().size\n"}, stubs, [ACCESSOR])
    assert [one.rule for one in found] == ["missing-attribute"]


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
@pytest.mark.parametrize(
    ("stub", "accessors"),
    [
        (STUB.replace("-> Parallel", "-> Missing"), [ACCESSOR]),
        (
            STUB.replace(
                "class Parallel:", "class Parallel:\n    def __getattr__(self, name: str) -> int: ..."
            ),
            [ACCESSOR],
        ),
        ("def get_parallel(): ...\n", [ACCESSOR]),
        (STUB, [ACCESSOR, "lib.elsewhere.get_exec"]),
    ],
    ids=["unknown", "all names", "untyped", "one of two without a stub"],
)
def test_a_canary_that_lives_is_refused(stub: str, accessors: list[str], stubs: Path) -> None:
    (stubs / "lib" / "context.pyi").write_text(stub)
    with pytest.raises(
        JudgeError, match=r"accepts a leaf that lib\.\w+\.get_\w+ does not have, so nothing was checked"
    ):
        check_files({"a.py": "x = 1\n"}, stubs, accessors)


@pytest.mark.slow
@pytest.mark.usefixtures("checker")
def test_missing_stubs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"^the type checker ty failed: .*does not point to a directory"):
        check_files({"a.py": "x = 1\n"}, tmp_path / "nothing", [ACCESSOR])


def test_no_accessor_is_refused(stubs: Path) -> None:
    with pytest.raises(JudgeError, match="no accessor to try the type checker with"):
        check_files({"a.py": "x = 1\n"}, stubs, [])


SCRIPTS = {
    "silent": ("exit 0", "failed: exit code 0"),
    "killed": ("kill -9 $$", "failed: exit code -9"),
    "complaining": ("echo 'no such option' >&2; exit 2", "failed: no such option"),
    "of another form": ("echo '[{\"rule\": 1}]'", "reported {'rule': 1}, which is not its known form"),
    "finding nothing": ("echo '[]'", "so nothing was checked"),
}


@pytest.mark.parametrize(("script", "message"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_checker_that_does_not_work_is_refused(
    script: str, message: str, stubs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path / "bin", script, monkeypatch)
    with pytest.raises(JudgeError) as error:
        check_files({"a.py": "x = 1\n"}, stubs, [ACCESSOR])
    assert message in str(error.value)


def test_a_checker_that_is_not_installed_is_named(
    stubs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path / "bin", None, monkeypatch)
    with pytest.raises(
        UsageError, match=r"ty is not installed; run `pip install 'ratchet-lint\[typecheck\]'`"
    ):
        check_files({"a.py": "x = 1\n"}, stubs, [ACCESSOR])


def _install(folder: Path, script: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes `folder` the only place where the checker is looked for, with a stand-in for it or without."""
    folder.mkdir()
    if script is not None:
        (folder / "ty").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "ty").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin")
