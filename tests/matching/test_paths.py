"""Which paths, scopes, names and versions the entries of a rule take in."""

from __future__ import annotations

import pytest

from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import name_filter, path_filter, scope_filter

PATHS = [
    ("a.py", "a.py", True),
    ("a", "a/b.py", True),
    ("a", "a/b/c.py", True),
    ("a/", "a/b.py", True),
    ("a/b", "a/b/c.py", True),
    ("a/*.py", "a/b.py", True),
    ("a/x_*", "a/x_b.py", True),
    ("a/x_*", "a/x_b/c.py", True),
    ("*/b.py", "a/b.py", True),
    ("**/b.py", "b.py", True),
    ("**/b.py", "a/c/b.py", True),
    ("a/**", "a/b/c.py", True),
    ("a/?.py", "a/b.py", True),
    ("a/[bc].py", "a/c.py", True),
    ("a/[!bc].py", "a/d.py", True),
    ("a", "ab/c.py", False),
    ("a.py", "b/a.py", False),
    ("b", "a/b/c.py", False),
    ("a/*.py", "a/b/c.py", False),
    ("*.py", "a/b.py", False),
    ("a/?.py", "a/bc.py", False),
    ("a/[!bc].py", "a/c.py", False),
    ("a.py", "axpy", False),
    ("a/x_*", "a/y_b.py", False),
]


@pytest.mark.parametrize(("pattern", "path", "holds"), PATHS)
def test_paths(pattern: str, path: str, holds: bool) -> None:
    assert path_filter([pattern])(path) is holds
    assert path_filter(["other", pattern, "more/*.txt"])(path) is holds


def test_no_pattern_holds_no_path() -> None:
    assert not path_filter([])("a.py")


@pytest.mark.parametrize(
    ("pattern", "scope", "holds"),
    [
        ("A", "A", True),
        ("A", "A.m", True),
        ("A.m", "A.m.inner", True),
        ("*.m", "A.m", True),
        ("*.m", "A.m.inner", True),
        ("test_*", "test_it", True),
        ("A", "", False),
        ("A", "AB", False),
        ("A", "B.A", False),
        ("A.m", "A", False),
        ("*.m", "m", False),
        ("test_*", "untest_it", False),
    ],
)
def test_scopes(pattern: str, scope: str, holds: bool) -> None:
    assert scope_filter([pattern])(scope) is holds


@pytest.mark.parametrize(
    ("pattern", "name", "holds"),
    [
        ("port", "port", True),
        ("*_size", "tp_size", True),
        ("*", "*", True),
        ("port", "ports", False),
        ("*_size", "size", False),
        ("*", "port", False),
    ],
)
def test_names(pattern: str, name: str, holds: bool) -> None:
    assert name_filter([pattern])(name) is holds


@pytest.mark.parametrize(
    ("specifier", "engine", "applies"),
    [
        (None, "0.5.17", True),
        (">=0.5.17", None, True),
        (">=0.5.17", "0.5.17", True),
        (">=0.5.9", "0.5.17", True),
        (">=0.5.16,<0.5.20", "0.5.19", True),
        ("==0.5", "0.5.0", True),
        ("!=0.5.17", "0.5.18", True),
        ("~=0.5.16", "0.5.17", True),
        (">=0.5.17", "0.5.18rc1", True),
        ("==0.5.*", "0.5.17", True),
        (">=0.5.17", "0.5.16", False),
        (">0.5.17", "0.5.17", False),
        ("<0.5.20", "0.5.20", False),
        ("<=0.5.9", "0.5.17", False),
        (">=0.5.16,<0.5.20", "0.5.20", False),
        ("!=0.5.17", "0.5.17", False),
        ("==0.6.*", "0.5.17", False),
        (">=0.5.17", "0.5.17rc1", False),
    ],
)
def test_engines(specifier: str | None, engine: str | None, applies: bool) -> None:
    assert engine_applies(specifier, engine) is applies
