"""Puts the vendored library on the path for the tests of this folder, and for them alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

import pytest

from tests.vendor.processes import VENDOR

_modules: dict[str, ModuleType] = {}

# The test modules import the library while they are collected.
sys.path.insert(0, str(VENDOR))


def _take_library() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] == "sglang"]
    return {name: sys.modules.pop(name) for name in names}


def pytest_collection_finish() -> None:
    """Hides the library again: other tests may count on it not being there."""
    sys.path.remove(str(VENDOR))
    _modules.update(_take_library())


@pytest.fixture(autouse=True)
def library() -> Iterator[None]:
    """The library as it was imported, in a process that has published nothing."""
    sys.path.insert(0, str(VENDOR))
    sys.modules.update(_modules)
    runtime = import_module("sglang.srt.runtime_context")
    runtime.reset_context()
    yield
    runtime.reset_context()
    _modules.update(_take_library())
    sys.path.remove(str(VENDOR))
