"""Sites that rules count only after a migration: the plan tells them, and `--write` asks for a reason."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.cli.project import Project
from tests.codemod.write.shop import changed, snapshot

STALE = '''\
title = "reads of fields whose namespace is overridden"
kind = "flow"
mode = "{mode}"
why = "They see values of before."
instead = "Read the namespace."

[match]
shape = "stale-read"

[[example]]
bad = "def wait(settings):\\n    return settings.timeout\\n"
good = "def wait(timeout):\\n    return timeout\\n"

[example.files]
"slow.py" = """
from shop.context import get_context

def slow():
    get_context().override("slow", timeout=9)
"""
'''

# The second function loses a line when it moves; the third stays, and reads what `cart.py` writes.
LATE = """\
from shop.context import get_settings


def title():
    settings = get_settings()
    return settings.name


def late(settings):
    return settings.timeout
"""

COUNTS = """\
settings-override  2 → 0
settings-read  4 → 0
stale-read  0 → 2, 2 new
  src/shop/late.py:10:12: settings.timeout, in late
  src/shop/menu.py:5:12: settings.timeout, in wait
text-getter  5 → 1
"""
OFFER = (
    "2 sites would be new: --write writes nothing on which `ratchet check` would fail, unless --allow-new"
    " gives a reason, which the baselines keep\n"
)
REFUSAL = (
    "note: nothing was written: `ratchet check` would fail on new sites, 2 of stale-read"
    " (src/shop/late.py:10, src/shop/menu.py:5); move less (--namespace, --field), move the rest too"
    " (--writes, --parameters), or take them"
    ' into the baselines with --allow-new "REASON"\n'
)
PLAN = ("migrate", "--all", "--writes")
WRITE = (*PLAN, "--write", "--no-typecheck")
ALLOW = (*WRITE, "--allow-new=the readers follow")


@pytest.fixture
def project(project: Project) -> Project:
    """The project with a reader that stays when the writes of its field move."""
    project.write("rules/shop/stale-read.toml", STALE.format(mode="ratchet"))
    project.write("src/shop/late.py", LATE)
    shutil.rmtree(project.folder / "baselines")
    project.adopt()
    return project


def told(output: str) -> str:
    """What an output says of the counts of rules."""
    lines = output.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("settings-override"))
    return "".join(lines[first : first + COUNTS.count("\n")])


def test_the_plan_tells_every_rule(project: Project) -> None:
    outcome = project.run(*PLAN)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith(f"{COUNTS}{OFFER}typecheck: not run (--write runs it)\n")


def test_the_plan_is_what_is_written(project: Project) -> None:
    plan = json.loads(project.run(*PLAN, "--format=json").out)
    assert json.loads(project.run(*PLAN, "--format=json", "--no-cache").out) == plan
    assert json.loads(project.run(*PLAN, "--format=json").out) == plan
    assert plan["new"] == [
        {
            "rule": "stale-read",
            "path": path,
            "line": line,
            "column": 12,
            "scope": scope,
            "code": "settings.timeout",
        }
        for path, line, scope in [("late.py", 10, "late"), ("menu.py", 5, "wait")]
    ]
    written = json.loads(project.run(*ALLOW, "--format=json").out)
    assert (written["baseline"], written["edits"]) == (plan["baseline"], plan["edits"])
    # What is written has moved: there it stands now.
    assert [site["line"] for site in written["new"]] == [9, 5]


def test_what_would_fail_is_not_written(project: Project) -> None:
    before = snapshot(project)
    outcome = project.run(*WRITE)
    assert (outcome.code, outcome.err, told(outcome.out)) == (3, REFUSAL, COUNTS)
    assert outcome.out.endswith("0 sites in 0 files moved, 2 stay\ntypecheck: not run (--no-typecheck)\n")
    assert changed(before, snapshot(project)) == []
    found = json.loads(project.run(*WRITE, "--format=json").out)
    assert (found["edits"], found["written"], found["baseline"], len(found["new"])) == ([], [], [], 2)


def test_a_reason_takes_new_sites_into_the_baselines(project: Project) -> None:
    outcome = project.run(*ALLOW)
    assert (outcome.code, outcome.err) == (0, "")
    rows = project.read("baselines/stale-read.tsv").splitlines()[-2:]
    assert rows == [
        "late.py\tlate\tsettings.timeout\t1\tthe readers follow",
        "menu.py\twait\tsettings.timeout\t1\tthe readers follow",
    ]
    assert project.run("check").code == 0


def test_sites_that_the_baseline_knows_keep_nothing(project: Project) -> None:
    project.run(*ALLOW)
    rows = project.read("baselines/stale-read.tsv")
    project.run("migrate", "--undo")
    project.write("baselines/stale-read.tsv", rows)
    assert project.run(*WRITE).code == 0


@pytest.mark.parametrize("mode", ["warn", "none"])
def test_rules_by_which_no_check_fails_keep_nothing(project: Project, mode: str) -> None:
    if mode == "warn":
        project.write("rules/shop/stale-read.toml", STALE.format(mode="warn"))
    else:
        (project.folder / "baselines" / "stale-read.tsv").unlink()
    outcome = project.run(*WRITE)
    assert (outcome.code, outcome.err) == (0, "")
    assert "stale-read  0 → 2, 2 new\n" in outcome.out


def test_a_ban_has_no_exceptions(project: Project) -> None:
    project.write("rules/shop/stale-read.toml", STALE.format(mode="ban"))
    (project.folder / "baselines" / "stale-read.tsv").unlink()
    before = snapshot(project)
    assert project.run(*ALLOW).code == 3
    assert changed(before, snapshot(project)) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param([*PLAN, "--allow-new=x"], "--allow-new is about what is written", id="no-write"),
        pytest.param([*WRITE, "--allow-new= "], "--allow-new needs a reason", id="no-reason"),
    ],
)
def test_what_does_not_go_together(project: Project, arguments: list[str], said: str) -> None:
    outcome = project.run(*arguments)
    assert (outcome.code, said in outcome.err) == (2, True)
