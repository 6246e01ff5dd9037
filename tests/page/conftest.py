"""The tests of the page share what those of the history do: the small project in a repository."""

from __future__ import annotations

from tests.history.conftest import project, quiet_environment

__all__ = ["project", "quiet_environment"]
