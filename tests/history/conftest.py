"""What the tests of the history share: the small project, and a clock that commits run by."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.history.dated import Dated


@pytest.fixture(autouse=True)
def quiet_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that a run could be told by where it happens to run."""
    for name in ("GITHUB_ACTIONS", "NO_COLOR", "FORCE_COLOR", "GIT_DIR", "GIT_INDEX_FILE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))


@pytest.fixture
def project(tmp_path: Path) -> Dated:
    """The project with adopted baselines in the first commit, of 1 January 2026."""
    return Dated.start(tmp_path / "work")
