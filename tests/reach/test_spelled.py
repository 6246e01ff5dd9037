"""What the bytes of a file spell is found without a parser, and no import is missed."""

from __future__ import annotations

import pytest

from ratchet.reach.spelled import import_lines

IMPORTS = {
    "plain": ("import a\nx = 1\nfrom a import b\n", "import a\nfrom a import b\n"),
    "in a function": ("def f():\n    from .a import b  # c\n", "    from .a import b  # c\n"),
    "without a space": ("from.a import(b)\n", "from.a import(b)\n"),
    "over several lines": (
        "from a import (\n    b,  # not b)\n    c,\n)\nx = 1\n",
        "from a import (\n    b,  # not b)\n    c,\n)\n",
    ),
    "behind something else": ("x = 1\nif x: import a\n", "if x: import a\n"),
    "joined behind": ("from a import b, \\\n    c\nx = 1\n", "from a import b, \\\n    c\n"),
    "twice on a line": ("from a import (b); import c\n", "from a import (b); import c\n"),
    "each on the one before": ("import \\\nimport \\\nx\n", "import \\\nimport \\\nx\n"),
    "never closed": ("from a import (\n    b\n", "from a import (\n    b\n"),
    "joined lines": ("x = 1\nfrom a.b \\\n    import c\n", "from a.b \\\n    import c\n"),
    "joined twice": ("from \\\r\n  a \\\r\n  import b\r\n", "from \\\r\n  a \\\r\n  import b\r\n"),
    "no end of line": ("x\nimport a", "import a"),
}
NO_IMPORTS = {
    "another word": "important = 1\n",
    "only where it comes from": "    from here on, prose\n",
}


@pytest.mark.parametrize(("text", "lines"), IMPORTS.values(), ids=IMPORTS)
def test_the_lines_that_import(text: str, lines: str) -> None:
    assert import_lines(text.encode()).decode() == lines


@pytest.mark.parametrize("text", NO_IMPORTS.values(), ids=NO_IMPORTS)
def test_lines_that_do_not(text: str) -> None:
    assert import_lines(text.encode()) == b""
