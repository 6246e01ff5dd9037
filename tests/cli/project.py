"""A small project of its own: a package that retires its settings record, and its rule pack."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ratchet.cli.run import run

PACK = """\
format = 1
name = "shop"
version = "1"
package = "shop"

[engine]
files = ["version.py"]
names = ["VERSION"]

[[object]]
id = "settings"
class = "shop.settings.Settings"
accessors = ["shop.context.get_settings"]
names = ["settings"]
attributes = ["settings"]
override = "override"
override-source = "source"

[[namespace]]
path = "net"
accessor = "shop.context.get_net"

[schema]
default = "1.0"
snapshots = "schema"

[[schema.shape]]
kind = "markers"
file = "settings.py"
class = "Settings"
annotation = "A"
marker = "NS"

[[boundary]]
paths = ["settings.py"]
reason = "it makes the values"
outside = true
"""

SNAPSHOT = "# ratchet schema 1\ntimeout\tnet\tint\t5\nretries\tnet\tint\t3\nname\tui\tstr\t'shop'\n"

OVERRIDE = """\
title = "the writer of settings"
kind = "access"
mode = "ratchet"
why = "A record that everyone writes has no owner."
instead = "Call publish(field=value)."
formerly = ["settings-writer"]

[match]
operations = ["call"]
fields = ["override"]

[[exempt]]
paths = ["settings.py"]
reason = "it makes the values"

[[example]]
bad = '''
def slow_down(settings):
    settings.override("test", timeout=9)
'''
good = '''
def slow_down(publish):
    publish(timeout=9)
'''
"""

READ = """\
title = "reads of the process-wide settings"
kind = "access"
mode = "warn"
why = "They see values of before."
instead = "Read the namespace: get_net().timeout."

[match]
operations = ["read"]
origins = ["global"]

[[example]]
bad = '''
from shop.context import get_settings

def wait():
    return get_settings().timeout
'''
good = '''
from shop.context import get_net

def wait():
    return get_net().timeout
'''
"""

SHELL = """\
title = "shell commands as text"
kind = "pattern"
mode = "ban"
why = "A shell reads them."
instead = "Call subprocess.run([...])."

[match]
patterns = ["os.system(...)"]

[[example]]
bad = '''
import os

os.system("make")
'''
good = '''
import os

os.getcwd()
'''
"""

CONFIG = """\
root = "src/shop"
packs = ["./rules/shop"]
"""

SETTINGS = """\
class Settings:
    timeout: A[int, "seconds", NS("net")] = 5
    retries: A[int, "times", NS("net")] = 3
    name: A[str, "shown", NS("ui")] = "shop"

    def override(self, source, **fields):
        vars(self).update(fields)
"""

CONTEXT = """\
def get_settings():
    return _current


def get_net():
    return _net
"""

CART = """\
from shop.context import get_settings


class Cart:
    def __init__(self, settings):
        self.settings = settings

    def patient(self):
        self.settings.override("cart", timeout=60)
        return get_settings().timeout

    def hasty(self):
        self.settings.override("cart", timeout=1)
"""

FILES: Mapping[str, str] = {
    "ratchet.toml": CONFIG,
    "rules/shop/pack.toml": PACK,
    "rules/shop/settings-override.toml": OVERRIDE,
    "rules/shop/settings-read.toml": READ,
    "rules/shop/shell.toml": SHELL,
    "rules/shop/schema/1.0.tsv": SNAPSHOT,
    "src/shop/__init__.py": "",
    "src/shop/version.py": 'VERSION = "1.2"\n',
    "src/shop/settings.py": SETTINGS,
    "src/shop/context.py": CONTEXT,
    "src/shop/cart.py": CART,
}

RULES = ("settings-override", "settings-read", "shell")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str


_ADOPTED: dict[frozenset[tuple[str, bytes]], frozenset[tuple[str, bytes]]] = {}
"""What `ratchet adopt --all` writes, by the files of the project."""


class Project:
    """The project in a folder, with its commands run in this process from that folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, files: Mapping[str, str] = FILES) -> Project:
        """Write the files into a new folder."""
        project = cls(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            project.write(path, text)
        return project

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return place

    def read(self, path: str) -> str:
        """The text of a file."""
        return (self.folder / path).read_text(encoding="utf-8")

    def edit(self, path: str, old: str, new: str = "") -> None:
        """Replace the first `old` in a file, which must be there."""
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new, 1))

    def run(self, *arguments: str, stdin: str | bytes | None = None) -> Outcome:
        """Run `ratchet` in this process."""
        out, err = io.StringIO(), io.StringIO()
        before, standard_input = Path.cwd(), sys.stdin
        os.chdir(self.folder)
        if stdin is not None:
            data = stdin if isinstance(stdin, bytes) else stdin.encode()
            sys.stdin = io.TextIOWrapper(io.BytesIO(data))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run(list(arguments))
        finally:
            os.chdir(before)
            sys.stdin = standard_input
        return Outcome(code, out.getvalue(), err.getvalue())

    def process(self, *arguments: str, **environment: str) -> Outcome:
        """Run `ratchet` in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "ratchet", *arguments],
            cwd=self.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def adopt(self) -> None:
        """Adopt every rule: what the command writes for the same files, it writes once for all tests."""
        files = self._files()
        if files not in _ADOPTED:
            outcome = self.run("adopt", "--all")
            assert outcome.code == 0, outcome.err
            _ADOPTED[files] = self._files() - files
        for path, data in _ADOPTED[files]:
            self.write(path, data)

    def _files(self) -> frozenset[tuple[str, bytes]]:
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return frozenset(
            (path.as_posix(), (self.folder / path).read_bytes()) for path in found if path.parts[0] != ".git"
        )

    def git(self, *command: str, fails: bool = False) -> str:
        """Run git without any settings of the user's; give back what it said."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.org",
            "GIT_EDITOR": "true",
            "LC_ALL": "C",
        }
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) is fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def commit(self, message: str = "change") -> None:
        """Commit everything that is there."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def start_history(self) -> None:
        """Make the folder a repository whose first commit, on `main`, holds everything."""
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit("start")


def without_time(text: str) -> str:
    """A report without the seconds that it took."""
    import re

    return re.sub(r" \(\d+\.\d\d s\)", "", text)
