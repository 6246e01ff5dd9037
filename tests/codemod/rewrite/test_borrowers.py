"""Names that are imported by files which no analysis looked at."""

from __future__ import annotations

import pytest

from ratchet.codemod.borrowers import Borrowers
from ratchet.model import Problem


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        pytest.param("from shop.menu import get_settings\n", True, id="by-name"),
        pytest.param("from shop.menu import other, get_settings as g\n", True, id="renamed"),
        pytest.param("from shop.menu import (\n    get_settings,\n)\n", True, id="over-lines"),
        pytest.param("def f():\n    from shop.menu import get_settings\n", True, id="in-a-function"),
        pytest.param("from ..menu import get_settings\n", True, id="relative"),
        pytest.param("from shop.menu import *\n", True, id="star"),
        pytest.param("from shop.menu import other\nget_settings = other\n", False, id="another-name"),
        pytest.param("from shop.context import get_settings\nimport shop.menu\n", False, id="elsewhere"),
        pytest.param("# from shop.menu import get_settings\n", False, id="comment"),
        pytest.param("from shop.old.menu import get_settings\n", False, id="another-module"),
        pytest.param("from shop.menu import get_settings (\n", False, id="no-python"),
    ],
)
def test_what_they_take(text: str, taken: bool) -> None:
    def read(path: str) -> bytes | Problem:
        return text.encode() if path == "old/cart.py" else Problem(path, 0, "is gone")

    borrowers = Borrowers("shop", ["gone.py", "old/cart.py"], read)
    assert borrowers.take("shop.menu", "get_settings") is taken


def test_from_a_package_by_its_dots() -> None:
    borrowers = Borrowers("shop", ["old/cart.py"], lambda _path: b"from .. import get_settings\n")
    assert borrowers.take("shop", "get_settings")
    assert not borrowers.take("shop.menu", "get_settings")
