"""A plan in slices: exact and stable, each proved and checked alone, chosen and committed one by one."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner, Result

from ratchet.cli.group import cli
from tests.cli.project import Project
from tests.codemod.write.shop import ALL, MENU, MENU_AFTER, changed, needs_checker, snapshot

UNCHECKED = (*ALL, "--no-typecheck")
OWNERS = "src/shop/a/ @waiters\nsrc/shop/b/ @cooks\n"


@pytest.fixture
def several(project: Project) -> Project:
    """The project with two more folders, each with an owner."""
    project.write("src/shop/a/one.py", MENU)
    project.write("src/shop/b/two.py", MENU)
    project.write("CODEOWNERS", OWNERS)
    (project.folder / "baselines").rename(project.folder.parent / "old-baselines")
    project.adopt()
    return project


def slices(project: Project, *options: str) -> list[tuple[str, int, int, list[str]]]:
    """The slices of a plan: key, number, sites, paths."""
    found = json.loads(project.run("migrate", "--all", *options, "--format=json").out)
    return [(one["key"], one["number"], len(one["sites"]), one["paths"]) for one in found["slices"]]


FILES = ["a/one.py", "b/two.py", "menu.py"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["--max-files=2"], [("", 1, 4, FILES[:2]), ("", 2, 2, FILES[2:])], id="files"),
        pytest.param(
            ["--max-sites=1"],
            [("", number, 1, [FILES[(number - 1) // 2]]) for number in range(1, 7)],
            id="sites",
        ),
        pytest.param(["--batch-by=namespace"], [("net", 1, 3, FILES), ("ui", 1, 3, FILES)], id="namespace"),
        pytest.param(
            ["--batch-by=directory"],
            [("", 1, 2, FILES[2:]), ("a", 1, 2, FILES[:1]), ("b", 1, 2, FILES[1:2])],
            id="directory",
        ),
        pytest.param(
            ["--batch-by=owner"],
            [("", 1, 2, FILES[2:]), ("@cooks", 1, 2, FILES[1:2]), ("@waiters", 1, 2, FILES[:1])],
            id="owner",
        ),
    ],
)
def test_the_slices_of_a_plan(
    several: Project, options: list[str], expected: list[tuple[str, int, int, list[str]]]
) -> None:
    several.start_history()
    assert slices(several, *options) == expected


def test_the_plan_lists_its_slices(several: Project) -> None:
    out = several.run("migrate", "--all", "--batch-by=directory", "--max-sites=2").out
    assert out.splitlines()[-4:] == [
        "slice 1: 2 sites in 1 file",
        "slice 2 (a): 2 sites in 1 file",
        "slice 3 (b): 2 sites in 1 file",
        "typecheck: not run (--write runs it)",
    ]


@needs_checker
def test_a_write_takes_the_first_slice(several: Project) -> None:
    before = snapshot(several)
    outcome = several.run(*ALL, "--max-files=1")
    assert outcome.code == 0
    assert outcome.out.splitlines()[-5:] == [
        "text-getter  8 → 6",
        "2 sites in 1 file moved, 6 stay",
        "typecheck: clean (2 sites)",
        "next: run your tests; `ratchet migrate --undo` takes it back",
        "2 slices are left: run it again",
    ]
    assert [path for path in changed(before, snapshot(several)) if path.endswith(".py")] == [
        "src/shop/a/one.py"
    ]


def test_slices_one_after_the_other_come_to_the_whole(several: Project) -> None:
    start = snapshot(several)
    several.run(*UNCHECKED)
    whole = snapshot(several)
    several.run("migrate", "--undo")
    assert changed(start, snapshot(several)) == []
    for number in range(6):
        outcome = several.run(*UNCHECKED, "--max-sites=1")
        left = 5 - number
        assert (outcome.code, f"{left} slice" in outcome.out) == (0, left > 0)
        assert several.run("check").code == 0
    assert changed(whole, snapshot(several)) == []


@pytest.mark.parametrize("option", ["--max-sites=0", "--max-files=0"])
def test_limits_are_positive(several: Project, option: str) -> None:
    outcome = several.run(*UNCHECKED, option)
    assert (outcome.code, outcome.out) == (2, "")
    assert "must be 1 or more, and is 0" in outcome.err


def test_the_files_of_an_owner(several: Project) -> None:
    several.start_history()
    before = snapshot(several)
    assert several.run(*UNCHECKED, "--owner=@cooks").code == 0
    assert [path for path in changed(before, snapshot(several)) if path.endswith(".py")] == [
        "src/shop/b/two.py"
    ]
    assert several.read("src/shop/b/two.py") == MENU_AFTER


def test_an_owner_of_nothing(several: Project) -> None:
    several.start_history()
    outcome = several.run(*UNCHECKED, "--owner=@nobody")
    assert (outcome.code, outcome.out) == (2, "")
    assert "no file that was asked for belongs to @nobody" in outcome.err


# Commits


def test_a_commit_a_slice(several: Project) -> None:
    several.start_history()
    several.git("config", "user.name", "A")
    several.git("config", "user.email", "a@example.org")
    outcome = several.run(*UNCHECKED, "--batch-by=directory", "--commit")
    assert outcome.code == 0, outcome.err
    log = several.git("log", "--reverse", "--format=%B--", "HEAD~3..")
    assert log.split("--\n")[:3] == [
        f"Move 2 sites to net, ui{where}\n\n"
        "Rewritten by `ratchet migrate` in 1 file.\n\n"
        f"- settings-read {reads}\n- text-getter {getters}\n"
        for where, reads, getters in (
            ("", "7 → 5", "8 → 6"),
            (" (a)", "5 → 3", "6 → 4"),
            (" (b)", "3 → 1", "4 → 2"),
        )
    ]
    assert several.git("status", "--porcelain") == ""
    assert several.git("diff", "--stat", "HEAD~1", "--name-only").split() == [
        "baselines/settings-read.tsv",
        "baselines/text-getter.tsv",
        "src/shop/b/two.py",
    ]
    assert "settings-read  7 → 1" in outcome.out


def test_the_whole_plan_in_one_commit(several: Project) -> None:
    several.start_history()
    several.git("config", "user.name", "A")
    several.git("config", "user.email", "a@example.org")
    hook = f'#!/bin/sh\n{sys.executable} -m ratchet check --message "$1" > .git/claims\n'
    several.write(".git/hooks/commit-msg", hook).chmod(0o755)
    outcome = several.run(*UNCHECKED, "--commit")
    assert (outcome.code, outcome.err) == (0, "")
    assert several.git("log", "-1", "--format=%s").strip() == "Move 6 sites to net, ui"
    assert several.read(".git/claims") == "right: 7 -> 1 (settings-read)\nright: 8 -> 2 (text-getter)\n"


def test_nothing_to_commit(several: Project) -> None:
    several.run(*UNCHECKED)
    several.start_history()
    assert several.run(*UNCHECKED, "--commit").code == 0
    assert several.git("log", "--format=%s").split() == ["start"]


@pytest.mark.parametrize("options", [(), ("--commit",)], ids=["write", "commit"])
def test_a_source_that_git_does_not_follow(several: Project, options: tuple[str, ...]) -> None:
    several.start_history()
    several.write("src/shop/b/new.py", several.read("src/shop/b/two.py"))
    before = snapshot(several)
    outcome = several.run(*UNCHECKED, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert "git does not follow src/shop/b/new.py, and nothing was written" in outcome.err
    assert changed(before, snapshot(several)) == []
    assert several.run(*UNCHECKED, "--allow-dirty").code == 0


def test_a_repository_without_a_commit(several: Project) -> None:
    several.git("init", "--quiet")
    assert several.run(*UNCHECKED, "--commit").code == 2


def test_a_hook_that_refuses(several: Project) -> None:
    several.start_history()
    several.write(".git/hooks/pre-commit", "#!/bin/sh\necho too late in the day >&2\nexit 1\n").chmod(0o755)
    outcome = several.run(*UNCHECKED, "--commit")
    assert outcome.code == 3
    assert "`git commit` failed" in outcome.err
    assert "the files are written and not committed" in outcome.err
    assert several.git("diff", "--cached", "--name-only") == ""
    assert several.read("src/shop/menu.py") == MENU_AFTER


# Asked


def asked(project: Project, monkeypatch: pytest.MonkeyPatch, answers: str, *options: str) -> Result:
    """What became of an interactive run with these answers."""
    monkeypatch.chdir(project.folder)
    arguments = ["migrate", "--all", "--interactive", "--no-typecheck", *options]
    return CliRunner().invoke(cli, arguments, input="".join(f"{answer}\n" for answer in answers))


@pytest.mark.parametrize(
    ("answers", "moved"),
    [
        pytest.param("yyy", FILES, id="yes"),
        pytest.param("nyn", ["b/two.py"], id="one"),
        pytest.param("a", FILES, id="all"),
        pytest.param("ya", FILES, id="one-then-all"),
        pytest.param("yq", ["a/one.py"], id="quit"),
        pytest.param("q", [], id="nothing"),
        pytest.param("xyq", ["a/one.py"], id="another-key"),
        pytest.param("snnsynq", ["b/two.py"], id="sites"),
    ],
)
def test_files_and_sites_are_asked_for(
    several: Project, monkeypatch: pytest.MonkeyPatch, answers: str, moved: list[str]
) -> None:
    before = snapshot(several)
    done = asked(several, monkeypatch, answers)
    assert done.exception is None
    assert [
        path.removeprefix("src/shop/") for path in changed(before, snapshot(several)) if ".py" in path
    ] == moved


def test_one_site_of_a_file(several: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(several, monkeypatch, "snyq")
    text = several.read("src/shop/a/one.py")
    assert ("get_settings().retries" in text, "get_ui().name" in text) == (True, True)


def test_what_belongs_together_is_left_together(several: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(several)
    done = asked(several, monkeypatch, "nnsynnn", "--writes")
    assert "left as they are: 3 sites of timeout move together, and not all are wanted" in done.output
    assert changed(before, snapshot(several)) == []


@needs_checker
def test_what_is_said_of_several_slices(several: Project) -> None:
    several.start_history()
    lines = several.run(*ALL, "--batch-by=directory", "--commit").out.splitlines()
    heads = [line.partition(":")[0] for line in lines if line.startswith("slice ")]
    assert heads == ["slice 1", "slice 2 (a)", "slice 3 (b)"]
    assert lines[-3:] == [
        "6 sites in 3 files moved, 6 stay",
        "typecheck: clean (6 sites)",
        "next: run your tests; `git revert` takes back a slice",
    ]
