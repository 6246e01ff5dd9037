"""What the tests of commands share: a project of their own, and an environment that says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import Project

_UNSET = ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NO_COLOR", "FORCE_COLOR", "GIT_DIR", "GIT_INDEX_FILE")


@pytest.fixture(autouse=True)
def _quiet_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _UNSET:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The project, without baselines."""
    return Project.create(tmp_path / "work")


@pytest.fixture
def adopted(project: Project) -> Project:
    """The project with its baselines."""
    project.adopt()
    return project


@pytest.fixture
def committed(adopted: Project) -> Project:
    """The project with its baselines in the first commit of a repository."""
    adopted.start_history()
    return adopted
