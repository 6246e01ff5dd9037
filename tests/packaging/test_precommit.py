"""Both hooks, run by pre-commit itself in a repository that uses this checkout as a source of hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "engine"
PATH = "srt/models/dense.py"  # relative to the source root, as sites are named
FILE = f"sglang/{PATH}"
ADDED = "\n\ndef again() -> int:\n    return get_server_args().page_size\n"

# What pre-commit needs of this checkout to install the hooks.
INSTALLED = (
    "ratchet/",
    "rules/",
    "README.md",
    "LICENSE",
    ".pre-commit-hooks.yaml",
    "pyproject.toml",
    ".gitignore",
)
CONFIG = """\
repos:
  - repo: {hooks}
    rev: {head}
    hooks:
      - id: ratchet
      - id: ratchet-tree
"""

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Repository:
    """A scratch repository with the small engine tree, and where pre-commit may keep its environments."""

    folder: Path
    home: Path
    hooks: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """The outcome of a command in the repository, without the git settings of this machine."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "PRE_COMMIT_HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.folder.parent / "cache"),
            "PRE_COMMIT_COLOR": "never",
            "GITHUB_ACTIONS": "",
        }
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )

    def hook(self, name: str, *more: str) -> subprocess.CompletedProcess[str]:
        """The outcome of one hook over what is staged, or over what `more` says."""
        return self.run(sys.executable, "-m", "pre_commit", "run", name, "--verbose", *more)

    def add(self, text: str) -> None:
        """Append to a file, and stage it."""
        with (self.folder / FILE).open("a", encoding="utf-8") as file:
            file.write(text)
        self.run("git", "add", "--all")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this checkout's files as they are now, committed or not."""
    folder = tmp_path_factory.mktemp("hooks")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.split("\0"):
        if name.startswith(INSTALLED) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    commit(Repository(folder, folder, folder))
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environment that both hooks share."""
    return tmp_path_factory.mktemp("pre-commit-home")


def commit(repository: Repository) -> None:
    """Commit everything in a new repository."""
    repository.run("git", "init", "--quiet")
    repository.run("git", "add", "--all")
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    done = repository.run("git", *identity, "commit", "--quiet", "--no-verify", "--message=start")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def repository(hooks: Path, home: Path, tmp_path: Path) -> Repository:
    """The small engine tree, committed, with both hooks configured as the README shows it."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / "engine"))
    made = Repository(folder, home, hooks)
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=hooks, capture_output=True, text=True, check=True
    ).stdout.strip()
    (folder / ".pre-commit-config.yaml").write_text(CONFIG.format(hooks=hooks, head=head))
    commit(made)
    return made


@pytest.mark.parametrize("name", ["ratchet", "ratchet-tree"])
def test_a_clean_change_passes(repository: Repository, name: str) -> None:
    repository.add("\n\ndef again() -> int:\n    return 1\n")
    done = repository.hook(name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["ratchet", "ratchet-tree"])
def test_an_added_site_fails_and_is_named(repository: Repository, name: str) -> None:
    repository.add(ADDED)
    done = repository.hook(name)
    assert done.returncode == 1
    assert f"{PATH}:17:12: new global-config-read in again" in done.stdout
    assert "- exit code: 1" in done.stdout


def test_the_hook_of_changed_files_leaves_others_alone(repository: Repository) -> None:
    repository.add(ADDED)
    (repository.folder / "other.py").write_text("x = 1\n")
    repository.run("git", "reset", "--quiet")
    repository.run("git", "add", "other.py")
    assert repository.hook("ratchet").returncode == 0


def test_the_hook_of_the_tree_needs_no_changed_file(repository: Repository) -> None:
    done = repository.hook("ratchet-tree")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_removed_site_is_stale(repository: Repository) -> None:
    file = repository.folder / FILE
    file.write_text(file.read_text().replace("get_server_args().disable_cuda_graph", "False"))
    repository.run("git", "add", "--all")
    done = repository.hook("ratchet-tree")
    assert done.returncode == 1
    assert "ratchet tighten" in done.stdout


@pytest.mark.parametrize("name", ["ratchet", "ratchet-tree"])
def test_a_file_that_does_not_parse_fails(repository: Repository, name: str) -> None:
    repository.add("get_server_args(\n")
    done = repository.hook(name)
    assert done.returncode == 1
    assert "- exit code: 3" in done.stdout
    assert f"{PATH}:14: not judged: does not parse" in done.stdout
