"""The project that the tests write to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.project import Project
from tests.codemod.write.shop import create


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project, in no repository, with a cache of its own."""
    for name in ("GITHUB_ACTIONS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    return create(tmp_path / "work")
