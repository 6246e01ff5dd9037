"""Every verb's JSON begins with the same head, and is what its schema says."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from ratchet import __version__
from tests.cli.project import Project

SCHEMAS = resources.files("ratchet") / "schemas"
INPUTS = {"config", "pack", "rule"}
"""Schemas of what users write."""

NEW = """\
from shop.context import get_settings


def wait(settings):
    settings.override("new", retries=1)
    return get_settings().name
"""

ENGINE = str(Path(__file__).parents[2] / "examples" / "engine")

VERBS = [
    ("report", "src/shop", ("check",)),
    ("report", "src/shop", ("count", "shell")),
    ("accesses", None, ("accesses", "src/shop/cart.py")),
    ("sites", "src/shop", ("sites", "settings-override")),
    ("diff", "src/shop", ("diff", "HEAD")),
    ("explain", "src/shop", ("explain", "settings-override")),
    ("explain", "src/shop", ("explain", "src/shop/cart.py:7")),
    ("baselines", "src/shop", ("tighten",)),
    ("baselines", "src/shop", ("allow", "settings-override", "new.py", "--reason", "soon")),
    ("init", None, ("init", "--package", "shop", "--dry-run")),
    ("lint", None, ("pack", "lint", "--pack", "rules/shop")),
    ("prove", "src/shop", ("prove", "settings-override")),
    ("test-rules", None, ("test-rules", "settings-override")),
    ("message", "src/shop", ("check", "--message", "message")),
    ("schema", None, ("schema", "show", "1.0")),
    ("schema", None, ("schema", "extract", "--root", "src/shop")),
    ("schema", None, ("schema", "diff", "1.0", "1.0")),
    ("surface", None, ("surface", "show", "0.5.20", "--pack", "sglang")),
    ("surface", None, ("surface", "show", "0.5.20", "sglang.srt.runtime_context", "--pack", "sglang")),
    (
        "surface",
        None,
        ("surface", "record", "9.9", "--pack", "sglang", "--root", ENGINE, "--out", "releases"),
    ),
    ("stubs", None, ("stubs", "--pack", "sglang", "--out", "out")),
    ("page", "src/shop", ("report", "--html", "page.html")),
    ("status", "src/shop", ("status",)),
    ("plan", "src/shop", ("plan",)),
    ("history", "src/shop", ("history",)),
    ("blame", "src/shop", ("blame", "settings-override")),
    ("flow", "src/shop", ("flow",)),
    ("migrate", "src/shop", ("migrate", "--all")),
    (
        "migrate",
        "src/shop",
        ("migrate", "--all", "--write", "--no-typecheck", "--allow-dirty"),
    ),
    ("upgrade", None, ("upgrade", "--pack", "sglang", "--from", "0.5.17", "--to", "0.5.20", "src")),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A committed project with a new site, and some of it moved to the namespaces."""
    project = Project.create(tmp_path_factory.mktemp("shape") / "project")
    project.adopt()
    project.write("message", "A writer goes\n\nsettings-override 3 -> 2.\n")
    project.start_history()
    project.write("src/shop/new.py", NEW)
    return project


@pytest.fixture
def project(made: Project, tmp_path: Path) -> Project:
    """The same, to be changed."""
    shutil.copytree(made.folder, tmp_path / "project")
    return Project(tmp_path / "project")


def schema_of(name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return value


@pytest.mark.parametrize(
    ("name", "root", "arguments"),
    VERBS,
    ids=lambda each: " ".join(each[:2]) if isinstance(each, tuple) else None,
)
def test_a_verb_begins_as_all_do(
    project: Project, name: str, root: str | None, arguments: tuple[str, ...]
) -> None:
    outcome = project.run(*arguments, "--format", "json")
    report = json.loads(outcome.out)
    head = {"version": 1, "tool": {"name": "ratchet", "version": __version__}, "verb": report.get("verb")}
    head |= {} if root is None else {"root": root}
    assert list(report)[: len(head)] == list(head)
    assert {key: report[key] for key in head} == head
    assert ("root" in report) == (root is not None)
    assert outcome.out.count("\n") == 1
    assert outcome.out.isascii()
    Draft202012Validator(schema_of(name)).validate(report)


NAMES = {file.name.removesuffix(".schema.json") for file in SCHEMAS.iterdir()} - INPUTS


def test_every_schema_has_its_verbs() -> None:
    assert {name for name, _, _ in VERBS} | {"roles"} == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_schema_names_itself(name: str) -> None:
    value = schema_of(name)
    Draft202012Validator.check_schema(value)
    assert Path(value["$id"]).name == f"{name}.schema.json"
