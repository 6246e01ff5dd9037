"""Codemods of the pack's rules on real releases: what moves, what stays and why, what SGLang did itself."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ratchet.checking.preparing import Prepared
from ratchet.checking.replacing import plan_rule
from ratchet.session import Options, open_sessions
from tests.trees import tree_of

pytestmark = pytest.mark.slow

LEGACY = {"boundary": 13, "unsupported-form": 3, "uncertain-text": 1}


def planned(rule: str, release: str, cache: Path, engine: str | None = None) -> Prepared:
    options = Options(root=tree_of(release), cache_dir=cache, engine=engine)
    with open_sessions(options) as sessions:
        return plan_rule(sessions[0], rule)


@pytest.mark.parametrize(
    ("rule", "release", "engine", "moved", "stay"),
    [
        ("accessor-rename", "0.5.16", None, 1, {}),
        ("accessor-rename", "0.5.20", None, 2, {"shadowed-name": 1}),
        ("legacy-global-accessor", "0.5.15", None, 276, LEGACY),
        ("legacy-global-accessor", "0.5.20", None, 0, {"boundary": 2}),
        ("retired-accessor", "0.5.15", "0.5.19", 135, {"boundary": 6, "unsupported-form": 3}),
    ],
)  # fmt: skip
def test_what_moves(
    rule: str, release: str, engine: str | None, moved: int, stay: dict[str, int], trees_cache: Path
) -> None:
    found = planned(rule, release, trees_cache, engine)
    assert found.failed == ()
    assert (len(found.edits), Counter(skip.reason for skip in found.migration.plan.skips)) == (moved, stay)


def test_the_next_release_calls_what_the_codemod_writes(trees_cache: Path) -> None:
    """Of the calls that move in 0.5.15, nineteen in twenty are in 0.5.16 what the codemod makes of them."""
    edits = planned("legacy-global-accessor", "0.5.15", trees_cache).edits
    later = tree_of("0.5.16")
    known = {path: set(_scopes_calling(later / path)) for path in {edit.path for edit in edits}}
    assert sum(edit.scope in known[edit.path] for edit in edits) >= 0.95 * len(edits)


def _scopes_calling(file: Path) -> Iterator[str]:
    """The qualified names of functions and classes in which `get_server_args` is called, at any depth."""

    def walk(node: ast.AST, scope: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            inner = f"{scope}.{child.name}".lstrip(".") if named else scope  # type: ignore[attr-defined]
            calls = (part.func for part in ast.walk(child) if isinstance(part, ast.Call))
            if any(isinstance(func, ast.Name) and func.id == "get_server_args" for func in calls):
                yield inner
            yield from walk(child, inner)

    return walk(ast.parse(file.read_bytes()), "") if file.is_file() else iter(())
