"""`ratchet migrate --write`, by namespace and by rule, over files that are unlike others."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ratchet.cli.run import run
from ratchet.codemod.apply import apply_changes
from tests.cli.project import Project
from tests.codemod.write.shop import ALL, MENU, MENU_AFTER, changed, create, snapshot
from tests.forked import forked

RULE = """\
title = "waits"
kind = "pattern"
why = "They hold up the others."
instead = "Call pause()."

[match]
patterns = ["$X.wait = $V"]
rewrite = "pause($X, $V)"

[codemod]
imports = ["shop.clock.pause"]

[[example]]
bad = "x.wait = 1"
good = "x.rest = 1"
"""

BY_NAMESPACE = (*ALL, "--no-typecheck")
BY_RULE = ("migrate", "--rule=waits", "--write")

SHELF = """\
import os


def fill(desk, text="é"):
    if text:
        desk.wait = os.sep  # why
    desk.wait = 2; return
"""
SHELF_AFTER = """\
import os

from shop.clock import pause


def fill(desk, text="é"):
    if text:
        pause(desk, os.sep)  # why
    pause(desk, 2); return
"""

Runs = pytest.mark.parametrize(
    ("command", "before", "after"),
    [
        pytest.param(BY_NAMESPACE, MENU, MENU_AFTER, id="namespace"),
        pytest.param(BY_RULE, SHELF, SHELF_AFTER, id="rule"),
    ],
)


@pytest.fixture
def project(project: Project) -> Project:
    project.write("rules/shop/waits.toml", RULE)
    assert project.run("adopt", "waits").code == 0
    (project.folder / "src/shop/menu.py").unlink()
    return project


def place(project: Project) -> Path:
    return project.folder / "src/shop/menu.py"


BOM = b"\xef\xbb\xbf"


@Runs
@pytest.mark.parametrize(
    "encode",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="crlf"),
        pytest.param(lambda text: text.replace("    ", "\t").encode(), id="tabs"),
        pytest.param(lambda text: BOM + text.encode(), id="byte-order-mark"),
        pytest.param(lambda text: f"# coding: latin-1\n{text}".encode("latin-1"), id="latin-1"),
        pytest.param(lambda text: text.rstrip("\n").encode(), id="no-final-newline"),
        pytest.param(lambda text: text.replace("\n\n\ndef", "\n\n\f\ndef").encode(), id="form-feed"),
    ],
)
def test_the_rest_of_a_file_stays_byte_for_byte(
    project: Project, command: tuple[str, ...], before: str, after: str, encode: Callable[[str], bytes]
) -> None:
    place(project).write_bytes(encode(before))
    place(project).chmod(0o750)
    assert project.run(*command).code == 0
    assert place(project).read_bytes() == encode(after)
    assert stat.S_IMODE(place(project).stat().st_mode) == 0o750
    assert project.run("migrate", "--undo").code == 0
    assert place(project).read_bytes() == encode(before)


@Runs
@pytest.mark.parametrize("target", ["src/shop/real.py", "elsewhere/real.py"])
def test_a_link_stays_one(
    project: Project, command: tuple[str, ...], before: str, after: str, target: str
) -> None:
    project.write(target, before)
    place(project).symlink_to(project.folder / target)
    outcome = project.run(*command)
    assert outcome.code == 0, outcome.err
    assert place(project).is_symlink()
    assert project.read(target) == after


@Runs
def test_a_file_that_does_not_parse(
    project: Project, command: tuple[str, ...], before: str, after: str
) -> None:
    place(project).write_text(before)
    project.write("src/shop/broken.py", "def settings(:\n    x.wait = 1\n")
    before_all = snapshot(project)
    outcome = project.run(*command)
    assert outcome.code == 3
    assert "broken.py:1: " in outcome.err
    assert "nothing was written; mend it, or exclude it in the configuration" in outcome.err
    assert changed(before_all, snapshot(project)) == []


@Runs
def test_a_file_that_changes_between_plan_and_write(
    project: Project, command: tuple[str, ...], before: str, after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(project).write_text(before)

    def late(*given: object, **named: object) -> object:
        place(project).write_text(f"{before}\n# edited\n")
        return apply_changes(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("ratchet.checking.writing.apply_changes", late)
    outcome = project.run(*command)
    assert outcome.code == 3
    said = "menu.py: it changed since it was read, and nothing was written; run the same command again"
    assert said in outcome.err
    assert place(project).read_text() == f"{before}\n# edited\n"
    monkeypatch.undo()
    assert project.run(*command).code == 0
    assert place(project).read_text() == f"{after}\n# edited\n"


@Runs
def test_a_dirty_repository(project: Project, command: tuple[str, ...], before: str, after: str) -> None:
    place(project).write_text("x = 1\n")
    project.start_history()
    place(project).write_text(before)
    outcome = project.run(*command)
    assert outcome.code == 2
    assert "the repository has changes that are not committed (src/shop/menu.py)" in outcome.err
    assert place(project).read_text() == before
    assert project.run(*command, "--allow-dirty").code == 0
    assert place(project).read_text() == after


@Runs
@pytest.mark.parametrize(
    ("path", "head"),
    [
        pytest.param("menu.py", "# Generated by make. DO NOT EDIT.\n", id="generated"),
        pytest.param("_vendor/menu.py", "", id="vendored"),
        pytest.param("menu.pyi", "", id="stub"),
        pytest.param("menu.ipynb", "", id="notebook"),
        pytest.param("menu.txt", "", id="text"),
    ],
)
def test_what_is_left_alone(
    project: Project, command: tuple[str, ...], before: str, after: str, path: str, head: str
) -> None:
    project.write(f"src/shop/{path}", head + before)
    before_all = snapshot(project)
    assert project.run(*command).code == 0
    assert changed(before_all, snapshot(project)) == []


@pytest.fixture
def outside() -> Iterator[Path]:
    """A folder that every user can enter, unlike those of the test's own."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


def run_as_user(project: Project, *arguments: str) -> tuple[int, str]:
    """The exit code and the errors of a command, run by somebody to whom read-only files are that."""
    if os.geteuid() != 0:
        outcome = project.run(*arguments)
        return outcome.code, outcome.err
    for found in (project.folder.parent, *project.folder.parent.rglob("*")):
        os.chown(found, 65534, 65534)

    def work() -> None:
        os.setreuid(65534, 0)  # whom the system asks for is the real user; the other one can load modules
        sys.exit(run(list(arguments)))

    done = forked(work, project.folder)
    return done.returncode, done.stderr


@Runs
@pytest.mark.skipif(not hasattr(os, "setreuid"), reason="no users of that kind")
def test_a_read_only_file(outside: Path, command: tuple[str, ...], before: str, after: str) -> None:
    project = create(outside / "work")
    project.write("rules/shop/waits.toml", RULE)
    place(project).write_text(before)
    place(project).chmod(0o444)
    command = (*command, f"--cache-dir={outside}/cache")
    code, said = run_as_user(project, *command)
    assert "menu.py: it is read-only, and nothing was written; set its permissions" in said
    assert (code, place(project).read_text()) == (3, before)
    place(project).chmod(0o644)
    assert run_as_user(project, *command)[0] == 0
    assert place(project).read_text() == after
