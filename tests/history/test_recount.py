"""Counting the trees of commits: step by step the same as each tree by itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ratchet.history.counted import CountedTree
from ratchet.history.recount import Counted, recount
from ratchet.session import open_sessions
from ratchet.source import git
from ratchet.source.entries import Source
from ratchet.source.log import log
from ratchet.workspace import Options
from tests.cli.project import FILES, PACK
from tests.history.dated import HASTY, PATIENT, Dated

NAMES = ("a", "b", "c")
# What files are made of: sites, and what carries the record from one file to another.
PIECES = (
    "from shop.context import get_settings\n\ndef read{n}():\n    return get_settings().timeout\n",
    "def write{n}(settings):\n    settings.override('x', timeout={n})\n",
    "class Keeper{n}:\n    def __init__(self, settings):\n        self.kept = settings\n",
    "from shop.{o} import Keeper{n}\n\nclass Child{n}(Keeper{n}):\n    def go(self):\n"
    "        self.kept.override('y')\n",
    "from shop.context import get_settings\n\ndef helper{n}():\n    return get_settings()\n",
    "from shop.{o} import helper{n}\n\ndef use{n}():\n    helper{n}().override('z')\n"
    "    return helper{n}().retries\n",
    "def use_kept{n}(thing):\n    thing.kept.override('k')\n",
    "import os\n\nos.system('make {n}')\n",
    "from shop.low.{o} import helper{n}\n\nhelper{n}().override('low')\n",
    "def (\nget_settings",
    "# nothing\n",
)


def count(project: Dated, *, whole: bool = False) -> tuple[Counted, ...]:
    """Every tree of the branch."""
    with open_sessions(Options(), cwd=project.folder) as (session,):
        commits = log(project.folder, "HEAD", [session.place.prefix])[::-1]
        return recount(session, project.folder, commits[0].commit, commits[1:], whole=whole)


@pytest.mark.parametrize("seed", [8])
def test_random_histories(project: Dated, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The oracle scans every tree by itself."""
    chance = random.Random(seed)
    project.write(
        "rules/shop/pack.toml", PACK.replace('paths = ["settings.py"]', 'paths = ["settings.py", "low"]')
    )
    for rule in ("settings-override", "settings-read"):
        text = project.read(f"rules/shop/{rule}.toml")
        project.write(f"rules/shop/{rule}.toml", text + '\n[[exempt]]\npaths = ["low"]\nreason = "low"\n')
    for number in range(45):
        for _ in range(chance.randint(1, 2)):
            path = f"src/shop/{chance.choice(('', 'low/'))}{chance.choice(NAMES)}.py"
            text = chance.choice(PIECES).format(n=1, o=chance.choice(NAMES))
            if chance.random() < 0.3 and (project.folder / path).exists():
                (project.folder / path).unlink()
            else:
                project.write(path, text)
        if number % 13 == 12:
            project.write(
                "src/shop/settings.py", FILES["src/shop/settings.py"].replace("retries", f"tries{number}")
            )
        project.commit_on(2, f"commit {number}")
    scans = 0
    scan = CountedTree.__init__

    def scanned(*given: Any) -> None:
        nonlocal scans
        scans += 1
        scan(*given)

    monkeypatch.setattr(CountedTree, "__init__", scanned)
    found = count(project)
    assert 2 < scans < 40, "so that the last commit agreed, and not every tree was scanned again"
    assert found == count(project, whole=True)
    assert len({str(each.sites) for each in found}) > 5


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        pytest.param("VERSION = '1.3'\n", 0, id="another-version"),
        pytest.param("# nothing\n", 1, id="of-no-interest"),
        pytest.param(PIECES[1].format(n=1), 1, id="a-site"),
        pytest.param(PIECES[2].format(n=1), 1, id="another-export"),
    ],
)
def test_only_what_changed_is_judged(
    project: Dated, monkeypatch: pytest.MonkeyPatch, text: str, steps: int
) -> None:
    project.write("src/shop/version.py" if "VERSION" in text else "src/shop/new.py", text)
    project.commit_on(2, "one file")
    taken: list[bool] = []
    step = CountedTree.step

    def told(self: CountedTree, source: Source) -> bool:
        taken.append(step(self, source))
        return taken[-1]

    monkeypatch.setattr(CountedTree, "step", told)
    count(project)
    assert sum(taken) == steps


def test_committed_number_and_tree_disagree(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.commit_on(2, "not tightened")
    project.tighten()
    project.commit_on(3, "tightened")
    project.edit("src/shop/cart.py", PATIENT, PATIENT.replace("60", "61, retries=2"))
    project.commit_on(4, "a swap")
    entry = project.story("--recount")
    told = [
        (step["subject"], step["committed"], step["counted"], step["unrecorded"], step["stale"])
        for step in entry["steps"]
    ]
    assert told == [
        ("start", 2, 2, 0, 0),
        ("not tightened", 2, 1, 0, 1),
        ("tightened", 1, 1, 0, 0),
        ("a swap", 1, 1, 1, 1),
    ]
    assert "the baseline says 2, the tree has 1: 1 site of the baseline not in the tree" in (
        project.run("history", "--recount", "settings-override").out
    )


def test_a_file_that_cannot_be_judged_is_no_progress(project: Dated) -> None:
    text = project.read("src/shop/cart.py")
    project.write("src/shop/cart.py", f"{text}\ndef (:\n")
    project.commit_on(2, "broken")
    entry = project.story("--recount")
    assert [(step["counted"], step["unjudged"], step["stale"]) for step in entry["steps"]] == [
        (2, 0, 0),
        (0, 1, 0),
    ]
    assert "1 file could not be judged: there may be more sites" in project.run("history", "--recount").out
    assert entry["projection"]["outlook"] == "unknown"


def test_a_ban_is_counted_and_a_rule_of_other_versions_is_not(project: Dated) -> None:
    text = project.read("rules/shop/settings-read.toml")
    project.write(
        "rules/shop/settings-read.toml", text.replace('mode = "warn"', 'mode = "warn"\nengines = ">=2"')
    )
    project.write("src/shop/make.py", "import os\n\nos.system('make')\n")
    project.write("src/shop/version.py", 'VERSION = "2.0"\n')
    project.commit_on(2, "a shell, and another version")
    assert [step["counted"] for step in project.story("--recount", rule="shell")["steps"]] == [0, 1]
    read = project.story("--recount", rule="settings-read")["steps"]
    assert [(step["committed"], step["counted"]) for step in read] == [(1, None), (1, 1)]


def test_a_tree_without_files_is_no_zero(tmp_path: Path) -> None:
    project = Dated(tmp_path / "late")
    project.folder.mkdir()
    project.git("init", "--quiet", "--initial-branch=main")
    project.write("README", "soon")
    project.commit_on(1, "no code yet")
    for path, text in FILES.items():
        project.write(path, text)
    project.adopt()
    project.commit_on(2, "code")
    project.commit_on(3, "nothing")
    entry = project.story("--recount", "--last", "9")
    assert [(step["counted"], step["fault"]) for step in entry["steps"]] == [
        (None, "its tree holds no Python file"),
        (2, ""),
    ]


def test_the_range_of_a_recount(project: Dated) -> None:
    for day in range(2, 6):
        project.edit("src/shop/cart.py", "class Cart:\n", f"class Cart:\n    day{day} = {day}\n")
        project.commit_on(day, f"day {day}")
    assert project.report("history", "--recount")["recounted"] == 5
    assert project.report("history", "--recount", "--last", "2")["recounted"] == 2
    assert project.report("history", "--recount", "--since", "HEAD~2")["recounted"] == 3
    assert git.commit_of(project.folder, "HEAD~4") is not None


def test_links_and_environments_are_listed_again(project: Dated) -> None:
    project.write("src/shop/env/pyvenv.cfg", "home = /usr/bin\n")
    project.write("src/shop/env/hidden.py", "import os\n\nos.system('hidden')\n")
    project.commit_on(2, "an environment")
    (project.folder / "src/shop/linked.py").symlink_to("cart.py")
    project.commit_on(3, "a link")
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.commit_on(4, "its target")
    found = count(project)
    assert found == count(project, whole=True)
    assert [each.sites["settings-override"].total() for each in found] == [2, 2, 2, 1]
    assert found[-1].sites["shell"].total() == 0
