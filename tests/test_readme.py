"""The README's commands work, in the order in which it shows them, and its table has every verb.

A comment before a block says where it runs: `<!-- run: project -->` in a scratch project, and
`<!-- run: clone slow -->` in a clone of this checkout, where it needs a network. `<!-- file: PATH -->` writes
the block to a file of the project.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratchet.cli.group import VERBS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"<!-- (run|file): ([^\n]*) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL_BLOCK = re.compile(r"^```sh$", re.MULTILINE)

# A project of two modules, one of which does what the starter rule counts.
PROJECT = {
    "shop/__init__.py": "",
    "shop/build.py": 'import os\n\n\ndef build() -> None:\n    os.system("make")\n    print("built")\n',
}


@dataclass(frozen=True, slots=True)
class Block:
    """A marked block: `kind` is `run` or `file`, `where` the rest of the mark."""

    kind: str
    where: str
    text: str


BLOCKS = tuple(Block(*found) for found in BLOCK.findall(README))


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The outcome of a script that ends at its first failing command; `ratchet` is this environment's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GITHUB_ACTIONS": "",
    }
    return subprocess.run(
        ["bash", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_every_shell_block_is_run() -> None:
    assert len(SHELL_BLOCK.findall(README)) == sum(block.kind == "run" for block in BLOCKS) >= 4


def test_commands_in_a_project(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    assert shell("git init --quiet", folder).returncode == 0
    for block in BLOCKS:
        if block.kind == "file":
            (folder / block.where).write_text(block.text, encoding="utf-8")
        elif block.where == "project":
            done = shell(block.text, folder)
            assert done.returncode == 0, f"{block.text}\n{done.stdout}{done.stderr}"
    assert shell("ratchet check", folder).returncode == 0
    (folder / "shop" / "more.py").write_text('print("more")\n', encoding="utf-8")
    done = shell("ratchet check", folder)
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "shop/more.py:1:1: new print-call")


@pytest.mark.slow
def test_commands_in_a_clone(tmp_path: Path) -> None:
    assert shell(f"git clone --quiet {ROOT} clone", tmp_path).returncode == 0
    for block in BLOCKS:
        if block.where == "clone slow":
            # The whole suite runs elsewhere; here it is enough that the target sets itself up and starts.
            script = block.text.replace(
                "make test", 'make test WORKERS=2 PYTEST_ADDOPTS="-k test_every_shell"'
            )
            done = shell(script, tmp_path / "clone")
            assert done.returncode == 0, done.stdout + done.stderr
            assert "check: failed: 1 new site" in done.stdout


def test_every_verb_is_in_the_table() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", README, re.MULTILINE)
    assert sorted(rows) == sorted(VERBS)


@pytest.mark.parametrize("link", sorted({*re.findall(r"\]\((?!https?:)([^)#]+)\)", README)}))
def test_what_is_linked_is_there(link: str) -> None:
    assert (ROOT / link).exists()
