"""Who calls a function, in whatever way its file imports it."""

from __future__ import annotations

import pytest

from ratchet.reach import Node, callers
from tests.reach.small import program

IMPORTS = {
    "a name": "from shop.far import run\ndef call(): run()",
    "in a list": "from shop.far import (\n    walk,  # (\n    run,\n)\ndef call(): run()",
    "the module": "from shop import far\ndef call(): far.run()",
    "the module in a list": "from shop import (\n    near,\n    far,\n)\ndef call(): far.run()",
    "the module on a joined line": "from shop import \\\n    far\ndef call(): far.run()",
    "on one line with something else": "if True: from shop import far\ndef call(): far.run()",
    "behind something else": "x = 1; import shop.far\ndef call(): shop.far.run()",
    "in a function": "def call():\n    from . import far\n    far.run()",
}


@pytest.mark.parametrize("code", IMPORTS.values(), ids=IMPORTS)
def test_calls_are_found(code: str) -> None:
    made = program({"a.py": code, "far.py": "def run(): ...\ndef walk(): ...", "near.py": ""})
    assert [where for where, _, called in callers(*made, Node("far.py", "run")) if called] == [
        Node("a.py", "call")
    ]
