"""The examples of the reasons that only a run finds, once its files are rewritten."""

from __future__ import annotations

import json

import pytest

from ratchet.codemod.model import Rewritten
from ratchet.codemod.proof import prove
from ratchet.codemod.reasons import Explained, explained
from ratchet.model import Problem
from tests.cli.project import Project
from tests.codemod.write.shop import ALL, needs_checker


def reasons_found(project: Project, item: Explained, *options: str) -> set[str]:
    """The reasons for which sites of an example stay when it is to be written."""
    project.write(f"src/shop/{item.path}", item.example)
    asked = [f"--{name}" for name in item.asked]
    found = json.loads(project.run(*ALL, *asked, *options, "--format=json").out)
    assert item.path not in found["written"]
    return {skip["reason"] for skip in found["skips"] if skip["path"] == item.path}


@needs_checker
def test_what_a_type_checker_finds(project: Project) -> None:
    assert reasons_found(project, explained("type-error")) == {"type-error"}


def test_what_cannot_be_proved(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    item = explained("unproved")

    def prove_badly(file: Rewritten, *rest: object, **named: object) -> tuple[Problem, ...]:
        if file.path == item.path:
            return (Problem(file.path, 4, "a line changed that belongs to no changed statement"),)
        return prove(file, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("ratchet.checking.rewriting.prove", prove_badly)
    assert reasons_found(project, item, "--writes", "--no-typecheck") == {"unproved"}
