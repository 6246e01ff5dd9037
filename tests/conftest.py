"""What all tests share: how much is generated, and what is read once for all of them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import shipped
from tests.examples import times

# Collected as rarely as in the command itself; and what tests and their processes import is compiled once.
gc.set_threshold(100_000, 20, 20)
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Property tests fail for what is wrong, and never for a slow machine.
settings.register_profile(
    "ratchet", max_examples=times(30), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ratchet")


@pytest.fixture(autouse=True, scope="session")
def _shipped_pack_is_read_once() -> Iterator[None]:
    """Commands that run in this process get the shipped pack as it was read before."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ratchet.session.load_packs", shipped.load_packs_once)
        patched.setattr("ratchet.upgrade.releases.load_history", shipped.load_history_once)
        yield


@pytest.fixture(scope="session")
def trees_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all tests of a run, in all of its processes, keep what they found in the trees of releases."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "trees-cache"
