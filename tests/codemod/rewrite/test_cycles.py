"""Circles of imports: which ones another import at the top of a module would close."""

from __future__ import annotations

import pytest

from ratchet.codemod.cycles import ImportGraph
from ratchet.model import Problem


def graph(files: dict[str, str]) -> ImportGraph:
    """The graph of a tree of package `p`; a file that says `unreadable` cannot be read."""

    def read(path: str) -> bytes | Problem:
        text = files[path]
        return Problem(path, 0, text) if text == "unreadable" else text.encode()

    return ImportGraph("p", list(files), read)


@pytest.mark.parametrize(
    ("context", "others"),
    [
        pytest.param("import p.user", {}, id="import"),
        pytest.param("import p.user as u", {}, id="renamed"),
        pytest.param("from p.user import f", {}, id="from"),
        pytest.param("from p import user", {}, id="module-of-a-package"),
        pytest.param("from . import user", {}, id="relative"),
        pytest.param("from .user import *", {}, id="star"),
        pytest.param("import p.a", {"a.py": "import p.user"}, id="through-another"),
        pytest.param("import p.a", {"a.py": "import p.context\nimport p.user"}, id="through-a-circle"),
        pytest.param(
            "import p.b.c", {"b/__init__.py": "import p.user", "b/c.py": ""}, id="through-a-package"
        ),
        pytest.param("try:\n    import p.user\nexcept ImportError:\n    pass", {}, id="attempt"),
        pytest.param("if x:\n    pass\nelse:\n    import p.user", {}, id="branch"),
        pytest.param("class A:\n    import p.user", {}, id="class-body"),
        pytest.param("if TYPE_CHECKING:\n    pass\nelse:\n    import p.user", {}, id="when-it-runs"),
        pytest.param("match x:\n    case 1:\n        import p.user", {}, id="case"),
    ],
)
def test_closes_a_circle(context: str, others: dict[str, str]) -> None:
    files = {"__init__.py": "", "context.py": context, "user.py": "", **others}
    assert graph(files).would_cycle("p.user", "p.context")


@pytest.mark.parametrize(
    ("context", "others"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param("import user", {}, id="another-package"),
        pytest.param("def f():\n    import p.user", {}, id="in-a-function"),
        pytest.param("if TYPE_CHECKING:\n    import p.user", {}, id="for-types"),
        pytest.param("if typing.TYPE_CHECKING:\n    from p.user import f", {}, id="for-types-qualified"),
        pytest.param("import p.a", {"a.py": "def f():\n    import p.user"}, id="in-a-function-of-another"),
        pytest.param("import p.users", {"users.py": ""}, id="another-module"),
        pytest.param("import p.a", {"a.py": "unreadable"}, id="unreadable"),
        pytest.param("import p.a", {"a.py": "import p.user ("}, id="does-not-parse"),
        pytest.param("from .... import user", {}, id="out-of-the-tree"),
    ],
)
def test_closes_none(context: str, others: dict[str, str]) -> None:
    files = {"__init__.py": "", "context.py": context, "user.py": "", **others}
    assert not graph(files).would_cycle("p.user", "p.context")


def test_a_module_that_is_not_there() -> None:
    assert not graph({"__init__.py": "", "user.py": ""}).would_cycle("p.user", "p.context")
