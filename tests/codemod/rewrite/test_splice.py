"""Texts put in the place of others."""

from __future__ import annotations

import pytest

from ratchet.codemod.splice import Splice, outermost, splice

TEXT = "abcdef"


@pytest.mark.parametrize(
    ("splices", "made"),
    [
        pytest.param([], "abcdef", id="nothing"),
        pytest.param([(1, 2, "X")], "aXcdef", id="one"),
        pytest.param([(4, 5, "Y"), (1, 2, "X")], "aXcdYf", id="in-any-order"),
        pytest.param([(1, 2, "X"), (2, 3, "Y")], "aXYdef", id="side-by-side"),
        pytest.param([(1, 2, "X"), (1, 2, "X")], "aXcdef", id="the-same-twice"),
        pytest.param([(1, 4, "X"), (2, 3, "Y")], "aXef", id="one-inside"),
        pytest.param([(2, 2, "X")], "abXcdef", id="inserted"),
        pytest.param([(2, 2, "X"), (2, 4, "Y")], "abXYef", id="inserted-before"),
        pytest.param([(4, 4, "X"), (2, 4, "Y")], "abYXef", id="inserted-after"),
        pytest.param([(3, 3, "X"), (2, 4, "Y")], "abYef", id="inserted-inside"),
        pytest.param([(2, 2, "Y"), (2, 2, "X")], "abXYcdef", id="inserted-twice"),
        pytest.param([(6, 6, "X"), (0, 0, "Y")], "YabcdefX", id="at-the-ends"),
        pytest.param([(0, 6, "")], "", id="everything"),
    ],
)
def test_splice(splices: list[tuple[int, int, str]], made: str) -> None:
    assert splice(TEXT, [Splice(*item) for item in splices]) == made


def test_splices_that_overlap() -> None:
    with pytest.raises(ValueError, match="two changes overlap at offset 2"):
        splice(TEXT, [Splice(1, 3, "X"), Splice(2, 4, "Y")])


def test_a_part_of_the_text() -> None:
    assert splice(TEXT, [Splice(0, 1, "X"), Splice(2, 3, "Y"), Splice(5, 6, "Z")], 1, 5) == "bYde"


def test_outermost() -> None:
    assert outermost([Splice(2, 3, "b"), Splice(1, 4, "a"), Splice(5, 5, "c")]) == [
        Splice(1, 4, "a"),
        Splice(5, 5, "c"),
    ]
