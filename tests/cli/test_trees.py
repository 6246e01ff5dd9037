"""Several trees of one configuration, the pages that are made of the commands, and `ratchet init`."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.cli.project import FILES, Outcome, Project, without_time

DOCS = Path(__file__).parents[2] / "docs"
TREES = """\
packs = ["./rules/shop"]

[trees.app]
root = "src/shop"

[trees.copy]
root = "copy/shop"
"""


@pytest.fixture
def trees(tmp_path: Path) -> Project:
    """The package twice, under one configuration."""
    copied = {path.replace("src/", "copy/"): text for path, text in FILES.items() if path.startswith("src/")}
    project = Project.create(tmp_path / "trees", {**FILES, **copied, "ratchet.toml": TREES})
    project.adopt()
    return project


def test_each_tree_has_its_baselines_and_its_report(trees: Project) -> None:
    folder = trees.folder / "baselines"
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.tsv")) == [
        "app/settings-override.tsv",
        "app/settings-read.tsv",
        "copy/settings-override.tsv",
        "copy/settings-read.tsv",
    ]
    outcome = trees.run("check")
    assert outcome.code == 0
    assert [line for line in without_time(outcome.out).splitlines() if line.startswith("check")] == [
        "check app: clean",
        "check copy: clean",
    ]


def test_the_worst_tree_decides(trees: Project) -> None:
    trees.write("copy/shop/new.py", "import os\nos.system('x')\n")
    assert trees.run("check").code == 1
    assert trees.run("check", "--tree=app").code == 0
    assert trees.run("check", "--tree=copy").code == 1
    trees.write("src/shop/broken.py", "def f(settings:\n")
    assert trees.run("check").code == 3


def test_what_writes_baselines_says_of_which_tree(trees: Project) -> None:
    """Text shows the rows of all trees; as JSON, paths are relative to one root, and nothing is written."""
    for place in ("src/shop/cart.py", "copy/shop/cart.py"):
        trees.edit(place, '        self.settings.override("cart", timeout=1)\n', "        pass\n")
    before = {file: file.read_bytes() for file in trees.folder.rglob("*.tsv")}
    refused = "ratchet: a report in json is about one tree, and there are app, copy; choose one with --tree\n"
    for arguments in (["tighten"], ["adopt", "--all"]):
        assert trees.run(*arguments, "--format=json") == Outcome(2, "", refused)
        assert trees.run(*arguments, "--output=json:out.json") == Outcome(2, "", refused)
    assert {file: file.read_bytes() for file in trees.folder.rglob("*.tsv")} == before
    copy = json.loads(trees.run("tighten", "--format=json", "--tree=copy").out)
    (row,) = copy["changes"][0]["removed"]
    assert (copy["root"], row["path"]) == ("copy/shop", "cart.py")
    assert trees.run("tighten").out == (
        "settings-override  2 → 1  baselines/app/settings-override.tsv\n"
        "  - src/shop/cart.py in Cart.hasty: self.settings.override(timeout)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            ["check", "--format=json"],
            "a report in json is about one tree, and there are app, copy; choose one with --tree",
            id="one-document",
        ),
        pytest.param(
            ["sites", "shell"],
            "this works on one tree, and there are app, copy; choose one with --tree",
            id="sites",
        ),
        pytest.param(
            ["check", "--root=src"],
            "--root is for one tree, and there are app, copy; choose one with --tree",
            id="root",
        ),
    ],
)
def test_what_needs_one_tree(trees: Project, arguments: list[str], sentence: str) -> None:
    assert trees.run(*arguments) == Outcome(2, "", f"ratchet: {sentence}\n")
    assert json.loads(trees.run("count", "--format=json", "--tree=app").out)["root"] == "src/shop"


# init


@pytest.mark.parametrize(
    ("config", "root"),
    [
        pytest.param(FILES["ratchet.toml"], "project/src/shop", id="one-tree"),
        pytest.param(FILES["ratchet.toml"], "project", id="around-it"),
        pytest.param(TREES, "project/src/shop", id="one-of-two"),
    ],
)
def test_from_elsewhere_the_configuration_of_the_tree_serves(config: str, root: str, tmp_path: Path) -> None:
    copied = {path.replace("src/", "copy/"): text for path, text in FILES.items() if path.startswith("src/")}
    Project.create(tmp_path / "project", {**FILES, **copied, "ratchet.toml": config}).adopt()
    elsewhere = Project(tmp_path)
    checked = elsewhere.run("check", f"--root={root}")
    assert (checked.code, checked.err) == (0, "")
    assert "settings-override  2 → 2" in checked.out
    assert elsewhere.run("schema", "show", f"--root={root}").out.endswith("3 fields, from settings.py\n")


def test_the_configuration_here_wins_over_that_of_the_tree_and_says_so(tmp_path: Path) -> None:
    other = Project.create(tmp_path / "other")
    here = Project.create(tmp_path / "here")
    here.adopt()
    checked = here.run("check", "--root=../other/src/shop")
    assert checked.code == 0
    assert checked.err == (
        f"note: {here.folder}/ratchet.toml serves, being nearest; --config {other.folder}/ratchet.toml takes"
        " the one of the tree in --root\n"
    )
    asked = here.run("check", "--root=../other/src/shop", "--config=../other/ratchet.toml")
    assert (asked.code, asked.err.splitlines()[0].partition(" no baseline in ")[1:]) == (
        2,
        (
            " no baseline in ",
            f"{other.folder}/baselines: run `ratchet adopt settings-override settings-read`",
        ),
    )
    assert here.run("check", "--root=src/shop").err == ""


def test_init_and_the_first_check(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "new", {"src/web/__init__.py": "import os\nos.system('x')\n"})
    dry = project.run("init", "--dry-run")
    assert dry.code == 0
    assert sorted(path.name for path in project.folder.iterdir()) == ["src"]
    outcome = project.run("init")
    assert outcome.out.splitlines()[:4] == [
        "wrote ratchet.toml",
        "wrote rules/starter/pack.toml",
        "wrote rules/starter/shell-command.toml",
        "wrote baselines/.gitkeep",
    ]
    for words in ("id: ratchet", "ratchet check --since", "git config merge.ratchet.driver", "--message"):
        assert words in outcome.out
    assert project.run("test-rules").code == 0
    assert project.run("adopt", "--all").out.startswith("shell-command  none → 1")
    assert project.run("check").code == 0
    assert project.run("prove").code == 0


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "new", {"web/__init__.py": "", "ratchet.toml": "# mine\n"})
    outcome = project.run("init")
    assert "kept ratchet.toml, which is there already" in outcome.out
    assert 'ratchet.toml stays; add the new pack to its `packs`:\n\n    "./rules/starter"\n' in outcome.out
    assert project.read("ratchet.toml") == "# mine\n"
    assert "stays; add" not in project.run("init").out


@pytest.mark.parametrize(
    ("files", "arguments", "sentence"),
    [
        pytest.param({}, [], "there is no package in", id="nothing"),
        pytest.param(
            {"a/__init__.py": "", "b/__init__.py": ""}, [], "several packages could be meant (a, b)", id="two"
        ),
        pytest.param({"a/__init__.py": ""}, ["--package=c"], "there is no package c in", id="another"),
    ],
)
def test_init_where_the_package_is_unclear(
    tmp_path: Path, files: dict[str, str], arguments: list[str], sentence: str
) -> None:
    project = Project.create(tmp_path / "new", files)
    outcome = project.run("init", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert not (project.folder / "ratchet.toml").exists()


# The page


def test_the_manual_is_current() -> None:
    made = runpy.run_path(str(DOCS / "manual.py"))["page"]()
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == made, "run `python docs/manual.py`"
