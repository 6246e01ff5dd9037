"""Small trees and real repositories for tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_SETTINGS = {
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_NAME": "A",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def plant(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `files` (path to content) under `root`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def git(repo: Path, *command: str) -> str:
    """Run git in `repo` without any settings of the user's; return what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *command],
        cwd=repo,
        env=environment | _SETTINGS,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def make_repository(repo: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Make a repository; with `files`, commit them."""
    repo.mkdir(parents=True, exist_ok=True)
    git(repo, "init", "-q")
    if files is not None:
        plant(repo, files)
        commit(repo)
    return repo


def commit(repo: Path, message: str = "change") -> str:
    """Commit everything; return the commit's id."""
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", message)
    return git(repo, "rev-parse", "HEAD")


@contextmanager
def powerless() -> Iterator[None]:
    """Let file permissions hold inside of the block, also where root runs the tests."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
