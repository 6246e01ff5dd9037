"""A tree without a file was not judged: no verb that reads it ends as if all were done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.project import Project

VERBS = (
    ("blame", "settings-override"),
    ("status",),
    ("plan",),
    ("migrate", "--all"),
    ("migrate", "--all", "--check"),
    ("migrate", "--all", "--write", "--no-typecheck"),
    ("flow",),
    ("report", "--html", "page.html"),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project all of whose sources are gone."""
    project = Project.create(tmp_path_factory.mktemp("empty") / "project")
    project.adopt()
    project.start_history()
    shutil.rmtree(project.folder / "src")
    Path(project.folder, "src/shop").mkdir(parents=True)
    project.commit("all is gone")
    return project


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_tree_without_files_is_not_judged(empty: Project, verb: tuple[str, ...]) -> None:
    outcome = empty.run(*verb)
    assert outcome.code == 3
    assert "file was found" in outcome.out + outcome.err
