"""The fixture for pytest: name this module in `pytest_plugins` to have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from sglang.srt.server_args import ServerArgs
from sglang.test.published_config import published_config


@pytest.fixture
def publish_config() -> Iterator[Callable[..., ServerArgs]]:
    """A function that publishes a configuration with the fields given; the test's end restores everything."""
    with ExitStack() as stack:

        def publish_fields(**fields: Any) -> ServerArgs:
            return stack.enter_context(published_config(**fields))

        yield publish_fields
