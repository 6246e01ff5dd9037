"""Whether a file still defines a scope."""

from __future__ import annotations

import pytest

from ratchet.baseline.scopes import defined_scopes, scope_lookup

SOURCE = b"""
class A:
    async def f(self):
        def inner(): ...
        return lambda: 1
    if True:
        class B:
            def g(self): ...
try:
    def late(): ...
except ImportError:
    pass
"""


def test_defined_scopes() -> None:
    assert defined_scopes(SOURCE) == {"A", "A.f", "A.f.inner", "A.B", "A.B.g", "late"}


FILES = {"a.py": SOURCE, "broken.py": b"def f(:", "nul.py": b"\0"}


@pytest.mark.parametrize(
    ("path", "scope", "defined"),
    [
        pytest.param("a.py", "A.f", True, id="method"),
        pytest.param("a.py", "A.f.<locals>.inner", True, id="function-in-a-function"),
        pytest.param("a.py", "A.f.<lambda>", True, id="lambda-lasts-as-long-as-its-function"),
        pytest.param("a.py", "f", False, id="bare-name-of-a-method"),
        pytest.param("a.py", "A.h", False, id="renamed"),
        pytest.param("a.py", "A.h.<lambda>", False, id="lambda-of-a-renamed-function"),
        pytest.param("broken.py", "g", True, id="unparsable-is-not-renamed"),
        pytest.param("nul.py", "g", True, id="nul-bytes-are-not-renamed"),
        pytest.param("missing.py", "g", True, id="unreadable-is-not-renamed"),
    ],
)
def test_lookup(path: str, scope: str, defined: bool) -> None:
    def read(path: str) -> bytes:
        if path not in FILES:
            raise FileNotFoundError(path)
        return FILES[path]

    assert scope_lookup(read)(path, scope) is defined


def test_each_file_is_parsed_once() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return SOURCE

    defines = scope_lookup(read)
    assert [defines("a.py", scope) for scope in ("A", "B", "C")] == [True, False, False]
    assert asked == ["a.py"]
