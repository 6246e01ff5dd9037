"""The project's own formatter: over the changed files only, proved again, never through a shell."""

from __future__ import annotations

import fcntl
import os
import sys

import pytest

from tests.cli.project import Project
from tests.codemod.write.shop import ALL, MENU_AFTER, changed, snapshot

UNCHECKED = (*ALL, "--no-typecheck")

SCRIPT = """\
import pathlib, sys
for name in sys.argv[1:]:
    place = pathlib.Path(name)
    place.write_text({made})
"""


def python(statements: str) -> str:
    """A formatter that does this with each file `f`, as the configuration names it."""
    code = f"import pathlib, sys; [f] = map(pathlib.Path, sys.argv[1:]); {statements}"
    return str([sys.executable, "-c", code])


def install(project: Project, made: str) -> None:
    """Configure a formatter that makes `made` of the text of each file."""
    script = project.write("tools/format; exit 1.py", SCRIPT.format(made=made))
    project.write(
        "ratchet.toml",
        project.read("ratchet.toml") + f"\n[migrate]\nformat = [{sys.executable!r}, {str(script)!r}]\n",
    )


def test_the_changed_files_are_formatted(project: Project) -> None:
    install(project, "place.read_text().replace('def retry():', 'def  retry( ):')")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.err) == (0, "")
    assert project.read("src/shop/menu.py") == MENU_AFTER.replace("def retry():", "def  retry( ):")
    assert changed(before, snapshot(project)) == [
        "baselines/settings-read.tsv",
        "baselines/text-getter.tsv",
        "src/shop/menu.py",
    ]
    assert project.run("migrate", "--undo").code == 0
    assert changed(before, snapshot(project)) == []


def test_ruff_finds_its_settings(project: Project) -> None:
    project.write("ruff.toml", "line-length = 20\n")
    project.write(
        "ratchet.toml",
        project.read("ratchet.toml")
        + f"\n[migrate]\nformat = [{sys.executable!r}, '-m', 'ruff', 'format', '-q']\n",
    )
    assert project.run(*UNCHECKED).code == 0
    assert "from shop.context import (\n    get_net,\n    get_ui,\n)\n" in project.read("src/shop/menu.py")


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        pytest.param(
            "place.read_text().replace('get_ui()', 'get_net()')", "changed more than its layout", id="code"
        ),
        pytest.param("place.read_text() + 'x = ('", "left what does not parse", id="syntax"),
        pytest.param(
            "place.read_text().replace('# as often as it takes', '')", "lost a comment", id="comment"
        ),
        pytest.param("chr(0xfeff) + place.read_text()", "byte order mark", id="mark"),
    ],
)
def test_what_changes_more_than_the_layout_is_not_written(project: Project, made: str, sentence: str) -> None:
    install(project, made)
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 3
    assert (
        f"menu.py{':1' if 'mark' in sentence else ''}: not written, its proof failed: the formatter"
        in outcome.err
    )
    assert sentence in outcome.err
    assert changed(before, snapshot(project)) == []


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        pytest.param("['no-such-formatter']", 2, "is not installed", id="missing"),
        pytest.param(f"[{sys.executable!r}, '-c', 'exit(3)']", 3, "failed (exit code 3)", id="failing"),
        pytest.param(
            f"[{sys.executable!r}, '-c', 'exit(chr(27) + chr(7))']", 3, r"failed (\x1b\x07)", id="escapes"
        ),
        pytest.param("['./ratchet.toml']", 2, "cannot be started (Permission denied)", id="no-program"),
        pytest.param(python("f.unlink()"), 3, "left no file of menu.py, and", id="deletes"),
        pytest.param(python("f.unlink(); f.mkdir()"), 3, "left no file of menu.py, and", id="folder"),
        pytest.param(python("f.unlink(); f.symlink_to('/dev/zero')"), 3, "left no file of", id="link"),
    ],
)
def test_a_formatter_that_does_not_work(project: Project, command: str, code: int, sentence: str) -> None:
    project.write("ratchet.toml", project.read("ratchet.toml") + f"\n[migrate]\nformat = {command}\n")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err
    assert changed(before, snapshot(project)) == []


def test_a_folder_that_a_killed_run_left_goes_with_the_next_run(project: Project) -> None:
    install(project, "place.read_text()")
    configured = project.read("ratchet.toml")
    kill = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    project.write(
        "ratchet.toml", configured.partition("\n[migrate]")[0] + f"\n[migrate]\nformat = {python(kill)}\n"
    )
    assert project.process(*UNCHECKED).code == -9
    root = project.folder / "src/shop"
    assert len(list(root.glob(".ratchet-format-*/menu.py"))) == 1
    project.write("ratchet.toml", configured)
    held = root / ".ratchet-format-held"
    held.mkdir()
    descriptor = os.open(held, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert project.run(*UNCHECKED).code == 0
    os.close(descriptor)
    assert list(root.glob(".ratchet-format-*")) == [held]
    assert project.read("src/shop/menu.py") == MENU_AFTER
