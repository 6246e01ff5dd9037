"""What `ratchet init` writes for a new project, and what it tells its user to add."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ratchet import __version__
from ratchet.atomic import write_files
from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.pack import load_packs, shipped_packs
from ratchet.workspace import PLACES

CONFIG = "ratchet.toml"
STARTER = "rules/starter"

_RULE = '''\
title = "shell commands as text"
kind = "pattern"
mode = "ratchet"
why = """
A command that is one string is read by a shell: a space or a quote in a file name changes what it does."""
instead = "Call subprocess.run([...], check=True) with the words of the command as a list."

[match]
patterns = ["os.system(...)"]

[[example]]
bad = """
import os

os.system("make " + target)
"""
good = """
import subprocess

subprocess.run(["make", target], check=True)
"""
'''

_HOOK = """\
repos:
  - repo: <the repository of ratchet>
    rev: <a commit of it>
    hooks:
      - id: ratchet
"""

_WORKFLOW = """\
name: ratchet
on: [pull_request]
jobs:
  ratchet:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install <the repository of ratchet>
      - run: ratchet check --since origin/${{ github.base_ref }}
"""

_DRIVER = """\
echo "baselines/**/*.tsv merge=ratchet" >> .gitattributes
git config merge.ratchet.name "baselines as sets of sites"
git config merge.ratchet.driver "ratchet merge-driver %O %A %B %P"
"""

_MESSAGE_HOOK = """\
#!/bin/sh
exec ratchet check --message "$1"
"""

_NEXT = "ratchet adopt --all\nratchet check\ngit add ratchet.toml rules baselines"


@dataclass(frozen=True, slots=True)
class Scaffold:
    """Files to write by their paths in `folder`, those that are there and stay, and titled advice."""

    folder: Path
    files: Mapping[str, str]
    kept: tuple[str, ...]
    advice: tuple[tuple[str, str], ...]


def plan_scaffold(folder: Path, package: str | None = None, root: Path | None = None) -> Scaffold:
    """What a project in `folder` needs and lacks.

    The package is looked for in the usual places where neither its name nor its `root` is given. Raises
    UsageError where none is found, or several.
    """
    place = (folder / root).resolve() if root else _package(folder, package)
    name = package or place.name
    wanted = {
        CONFIG: _config(folder, place, name),
        f"{STARTER}/pack.toml": _pack(name),
        f"{STARTER}/shell-command.toml": _RULE,
        "baselines/.gitkeep": "",
    }
    kept = tuple(path for path in wanted if (folder / path).exists())
    unnamed = CONFIG in kept and f"{STARTER}/pack.toml" not in kept
    adding = (f"{CONFIG} stays; add the new pack to its `packs`", f'"./{STARTER}"')
    advice = (
        *([adding] if unnamed else []),
        (".pre-commit-config.yaml", _HOOK),
        (".github/workflows/ratchet.yml", _WORKFLOW),
        ("the merge driver, so that branches never collide in a baseline", _DRIVER),
        (".git/hooks/commit-msg, so that numbers in commit messages are true", _MESSAGE_HOOK),
        ("next", _NEXT),
    )
    return Scaffold(folder, {path: text for path, text in wanted.items() if path not in kept}, kept, advice)


def write_scaffold(scaffold: Scaffold) -> None:
    """Write the files, all or none. Raises JudgeError where one cannot be written."""
    write_files({scaffold.folder / path: text.encode() for path, text in scaffold.files.items()})


def _package(folder: Path, name: str | None) -> Path:
    found = [
        init.parent
        for place in PLACES
        for init in sorted((folder / place).glob(f"{name or '*'}/__init__.py"))
        if init.parent.name not in ("test", "tests")
    ]
    if len(found) == 1:
        return found[0].resolve()
    shown = ", ".join(path.name for path in found)
    if not found:
        what = f"package {name}" if name else "package"
        raise UsageError(
            f"there is no {what} in {', '.join(PLACES)} below {folder}: name it with --root FOLDER"
        )
    raise UsageError(f"several packages could be meant ({shown}): choose one with --package NAME")


def _config(folder: Path, place: Path, package: str) -> str:
    packs = [name for name in shipped_packs() if load_packs([name], folder).package == package]
    listed = ", ".join(f'"{pack}"' for pack in (*packs, f"./{STARTER}"))
    inside = place.is_relative_to(folder.resolve())
    root = place.relative_to(folder.resolve()).as_posix() if inside else place.as_posix()
    return f'''\
# How ratchet judges this project: `ratchet check --help`.
root = "{root}"
packs = [{listed}]
baselines = "baselines"
required-version = ">={__version__}"
'''


def _pack(package: str) -> str:
    return f'''\
# A rule pack: each other file beside this one is a rule. Delete what you do not need.
format = 1
name = "starter"
version = "1"
package = "{package}"
'''
