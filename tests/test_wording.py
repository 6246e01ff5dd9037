"""Numbers of things in words."""

from __future__ import annotations

import pytest

from ratchet.wording import plural


@pytest.mark.parametrize(
    ("count", "words", "expected"),
    [
        (0, ("site",), "0 sites"),
        (1, ("site",), "1 site"),
        (1200, ("site",), "1,200 sites"),
        (1, ("process", "processes"), "1 process"),
        (2, ("slice is", "slices are"), "2 slices are"),
    ],
)
def test_plural(count: int, words: tuple[str, ...], expected: str) -> None:
    assert plural(count, *words) == expected
