"""The type check of dead parameters: what it says against a file from which only they go."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ratchet.checking import typechecking
from ratchet.checking.typechecking import Checker
from ratchet.codemod.model import Accessor, Drop, Edit, Rewritten
from ratchet.model import Span
from ratchet.typecheck import TypeProblem
from tests.cli.project import Project
from tests.codemod.write.shop import needs_checker

AGAIN = "def again(settings):\n    return settings.retries\n"
GO = "from shop.again import again\n\n\ndef go(settings):\n    return settings.name, again(settings)\n"
WRITE = ("migrate", "--field=retries", "--parameters", "--write", "src/shop/again.py", "--format=json")


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a function whose parameter is dead once it has moved, and a call in another file."""
    project.write("src/shop/again.py", AGAIN)
    project.write("src/shop/go.py", GO)
    return project


@needs_checker
def test_a_dead_parameter_goes(project: Project) -> None:
    found = json.loads(project.run(*WRITE).out)
    assert [(one["name"], one["dropped"]) for one in found["parameters"]] == [("settings", True)]
    assert found["written"] == ["again.py", "go.py"]
    assert "return settings.name, again()\n" in project.read("src/shop/go.py")


def test_a_parameter_that_the_checker_speaks_against_stays(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(files: Mapping[str, str], *_rest: Any) -> Sequence[TypeProblem]:
        wrong = "again()" in files.get("new/go.py", "")
        return [
            TypeProblem("new/go.py", 5, 27, 5, 34, "missing-argument", "no argument for `settings`")
        ] * wrong

    monkeypatch.setattr(typechecking, "check_files", check)
    outcome = project.run(*WRITE)
    found = json.loads(outcome.out)
    assert [(one["dropped"], one["reason"], one["detail"]) for one in found["parameters"]] == [
        (False, "type-error", "missing-argument: no argument for `settings`")
    ]
    assert (outcome.code, found["written"]) == (0, ["again.py"])
    assert project.read("src/shop/go.py") == GO
    assert "def again(settings):\n    return get_net().retries\n" in project.read("src/shop/again.py")


STUB = "class Net:\n    retries: int\n\n\ndef get_net() -> Net: ...\n"
OLD = "def wait(settings):\n    return 1\n\n\ndef go(settings):\n    return wait(settings)\n"


@needs_checker
@pytest.mark.parametrize("forgotten", [True, False])
def test_what_the_checker_itself_says(tmp_path: Path, forgotten: bool) -> None:
    """A call whose argument was forgotten is laid at the parameter that goes, next to it."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "context.pyi").write_text(STUB)
    parameter, argument = (
        Drop("b.py", Span(1, 10, 1, 18), "parameter"),
        Drop("b.py", Span(6, 17, 6, 25), "argument"),
    )
    changes = ((9, 17, ""),) if forgotten else ((9, 17, ""), (70, 78, ""))
    new = OLD.replace("wait(settings):", "wait():")
    new = new if forgotten else new.replace("wait(settings)", "wait()")
    drops = (parameter,) if forgotten else (parameter, argument)
    edit = Edit(
        "1",
        "a.py",
        Span(2, 12, 2, 20),
        "f",
        "read",
        "supplied",
        "retries",
        "net",
        "settings.retries",
        "get_net().retries",
        Accessor("shop.context", "get_net"),
    )
    text = b"from shop.context import get_net\ndef f(settings):\n    return get_net().retries\n"
    file = Rewritten("b.py", OLD.encode(), new.encode(), (), changes, drops)
    checker = Checker(tmp_path, {"retries": "int"}, frozenset({"shop.context.get_net"}))
    found = checker.objections([Rewritten("a.py", text, text, (edit,)), file])
    assert found.edits == {}
    assert list(found.drops) == ([parameter] if forgotten else [])
    assert all(why.detail.startswith("too-many-positional-arguments: ") for why in found.drops.values())
