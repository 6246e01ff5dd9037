"""The trees of real releases that slow tests read; `make sglang` fetches them, and nothing imports them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

TREES = Path(os.environ.get("RATCHET_TREES", ".cache/sglang")).absolute()


def tree_of(release: str) -> Path:
    """The source root of a release; a test that needs one which is not there is skipped."""
    root = TREES / release / "sglang"
    if not root.is_dir():
        pytest.skip(f"there is no {root}: run `make sglang VERSION={release}`, or set RATCHET_TREES")
    return root
