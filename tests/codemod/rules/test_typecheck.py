"""The type check of what a rule's own codemod writes, where that reads namespaces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.project import Project
from tests.codemod.write.shop import changed, create, needs_checker, snapshot

RULE = """\
title = "old getters"
kind = "call"
mode = "warn"
why = "They ask twice."
instead = "Read the namespace."

[match]
names = ["shop.old.get_retries", "shop.old.get_wrong", "shop.old.get_log"]

[codemod.replace]
"shop.old.get_retries" = "shop.context.get_net().retries"
"shop.old.get_wrong" = "shop.context.get_net().name"
"shop.old.get_log" = "shop.log.log()"

[[example]]
bad = "from shop.old import get_retries\\n\\ndef f():\\n    return get_retries()\\n"
good = "from shop.context import get_net\\n\\ndef f():\\n    return get_net().retries\\n"
"""

OLD = """\
from shop.old import get_retries, get_wrong


def first():
    return get_retries()


def second():
    return get_wrong()
"""

NEW = """\
from shop.context import get_net
from shop.old import get_wrong


def first():
    return get_net().retries


def second():
    return get_wrong()
"""

WRITE = ("migrate", "--rule=old-getter", "--write")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    made = create(tmp_path / "work")
    made.write("rules/shop/old-getter.toml", RULE)
    made.write("src/shop/use.py", OLD)
    return made


@needs_checker
def test_a_wrong_leaf_stays(project: Project) -> None:
    outcome = project.run(*WRITE, "--format=json")
    found = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert [edit["after"] for edit in found["edits"]] == ["get_net().retries"]
    assert [(skip["before"], skip["reason"]) for skip in found["skips"]] == [("get_wrong()", "type-error")]
    assert found["skips"][0]["detail"].startswith("missing-attribute: ")
    assert found["typecheck"] == {"status": "clean", "detail": "", "sites": 1}
    assert project.read("src/shop/use.py") == NEW


def test_on_request_nothing_is_checked(project: Project) -> None:
    outcome = project.run(*WRITE, "--no-typecheck")
    assert (outcome.code, "typecheck: not run (--no-typecheck)\n" in outcome.out) == (0, True)
    assert "get_net().name" in project.read("src/shop/use.py")


def test_what_cannot_be_checked_is_not_written(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", str(project.folder.parent / "bin" / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    before = snapshot(project)
    outcome = project.run(*WRITE)
    assert (outcome.code, outcome.out.splitlines()[-1]) == (
        3,
        "nothing was written: --no-typecheck writes what no type checker has verified",
    )
    assert changed(before, snapshot(project)) == []


def test_what_reads_no_namespace_needs_no_checker(project: Project) -> None:
    project.write("src/shop/use.py", "from shop.old import get_log\n\n\ndef f():\n    return get_log()\n")
    found = json.loads(project.run(*WRITE, "--format=json").out)
    assert found["typecheck"] == {
        "status": "not run",
        "detail": "what the rule writes reads no namespace",
        "sites": 0,
    }
    assert found["written"] == ["use.py"]
