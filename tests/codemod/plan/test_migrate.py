"""The verb over a small project: the whole of what it says, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ratchet.report.values import head
from tests.cli.project import Project

CONTEXT = """
[[context]]
accessor = "shop.context.get_context"
slots = { settings = "settings" }
override = "override"
override-source = "source"
"""

MENU = """\
from shop.context import get_net, get_settings


def wait(settings):
    return settings.timeout


def retry():
    return get_settings().retries
"""

PLAN = """\
net: 1 can move, 5 stay
  src/shop/cart.py: 3 stay (owner-elsewhere 3)
  src/shop/menu.py: 1 can move, 1 stay (handed-parameter 1)
  src/shop/tool.py: 1 stay (import-time 1)

1 site in 1 file can move, 5 stay
      3  owner-elsewhere
      1  handed-parameter
      1  import-time
settings-read  3 → 2
typecheck: not run (--write runs it)
"""

DIFF = [
    "--- a/src/shop/menu.py",
    "+++ b/src/shop/menu.py",
    "@@ -1,4 +1,4 @@",
    "-from shop.context import get_net, get_settings",
    "+from shop.context import get_net",
    " ",
    " ",
    " def wait(settings):",
    "@@ -6,4 +6,4 @@",
    " ",
    " ",
    " def retry():",
    "-    return get_settings().retries",
    "+    return get_net().retries",
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("GITHUB_ACTIONS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    made = Project.create(tmp_path / "work")
    made.write("rules/shop/pack.toml", made.read("rules/shop/pack.toml") + CONTEXT)
    made.write("src/shop/menu.py", MENU)
    made.write(
        "src/shop/tool.py", "from shop.context import get_settings\n\nTIMES = get_settings().retries\n"
    )
    return made


def test_the_plan(project: Project) -> None:
    outcome = project.run("migrate", "--namespace=net")
    assert (outcome.code, outcome.out, outcome.err) == (0, PLAN, "")


def test_a_second_run_says_the_same(project: Project) -> None:
    first = project.run("migrate", "--all", "--writes", "--format=json")
    assert project.run("migrate", "--all", "--writes", "--format=json") == first
    assert project.run("migrate", "--all", "--writes", "--format=json", "--no-cache") == first


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        pytest.param("src/shop/menu.py", "settings.timeout", "settings.retries", id="a-file"),
        pytest.param(
            "rules/shop/pack.toml", '["settings.py"]', '["settings.py", "menu.py"]', id="a-boundary"
        ),
        pytest.param(
            "src/shop/settings.py", 'retries: A[int, "times", NS("net")]', "retries: int", id="schema"
        ),
    ],
)
def test_what_changed_is_planned_again(project: Project, path: str, old: str, new: str) -> None:
    first = project.run("migrate", "--all", "--format=json")
    project.edit(path, old, new)
    second = project.run("migrate", "--all", "--format=json")
    assert second != first
    assert project.run("migrate", "--all", "--format=json", "--no-cache") == second


def test_nothing_is_written(project: Project) -> None:
    project.run("migrate", "--all", "--writes", "--parameters", "--chains", "--diff")
    assert project.read("src/shop/menu.py") == MENU


def test_the_diff_comes_first(project: Project) -> None:
    assert project.run("migrate", "--namespace=net", "--diff").out == "\n".join(DIFF) + "\n" + PLAN


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["--namespace=net"], 0, id="plan"),
        pytest.param(["--namespace=net", "--check"], 1, id="something-can-move"),
        pytest.param(["--namespace=ui", "--check"], 0, id="nothing-can-move"),
        pytest.param(["--namespace=net", "--check", "src/shop/cart.py"], 0, id="nothing-there"),
    ],
)
def test_how_it_ends(project: Project, arguments: list[str], code: int) -> None:
    assert project.run("migrate", *arguments).code == code


def test_what_the_rewriter_refuses_cannot_move(project: Project) -> None:
    text = (
        "from shop.context import get_settings\n\n\ndef wait(get_net):\n    return get_settings().retries\n"
    )
    project.write("src/shop/menu.py", text)
    outcome = project.run("migrate", "--namespace=net", "--check", "src/shop/menu.py")
    assert (outcome.code, outcome.out.splitlines()[-2]) == (0, "      1  shadowed-name")


def test_json(project: Project) -> None:
    outcome = project.run("migrate", "--field=retries", "--format=json")
    found = json.loads(outcome.out)
    edit, skip = found["edits"][0], found["skips"][0]
    assert len(edit.pop("id")) == len(skip.pop("id")) == 10
    assert found == {
        **head("migrate", "src/shop"),
        "engine": "1.2",
        "edits": [
            {
                "path": "menu.py",
                "line": 9,
                "column": 12,
                "scope": "retry",
                "operation": "read",
                "origin": "global",
                "field": "retries",
                "namespace": "net",
                "before": "get_settings().retries",
                "after": "get_net().retries",
                "accessor": "shop.context.get_net",
                "note": "",
            }
        ],
        "skips": [
            {
                "path": "tool.py",
                "line": 3,
                "column": 9,
                "scope": "",
                "operation": "read",
                "origin": "global",
                "field": "retries",
                "namespace": "net",
                "before": "get_settings().retries",
                "reason": "import-time",
                "detail": "it runs while the module is imported: nothing is published yet",
            }
        ],
        "parameters": [],
        "baseline": [{"rule": "settings-read", "before": 3, "after": 2}],
        "new": [],
        "typecheck": {"status": "not run", "detail": "", "sites": 0},
        "slices": [],
        "notes": [],
        "discovered": 7,
        "analysed": 5,
        "problems": [],
    }


def test_one_site_explained(project: Project) -> None:
    skips = json.loads(project.run("migrate", "--all", "--format=json").out)["skips"]
    id = next(skip["id"] for skip in skips if skip["reason"] == "handed-parameter")
    assert project.run("migrate", "--explain", id[:7]).out == (
        f"{id}  src/shop/menu.py:5:12\n"
        "  settings.timeout\n"
        "  read of net.timeout, supplied, in wait\n"
        "  stays: handed-parameter: the function is handed the record; --parameters moves it\n"
        "  The function is handed the record, and its callers say which one that is; `--parameters` moves "
        "whole functions, unless code that makes the values, or belongs to another package, calls them.\n"
    )


EVIDENCE = {
    "a-site-explained": (
        "def late(settings):\n    return settings.close()\n",
        "stays: not-a-field: close is no field of the schema ({}settings.py)",
    ),
    "a-note": (
        "def late(settings, name):\n    setattr(settings, name, 1)\n",
        "note: 1 write computes the name of its field and holds none: {}late.py:2",
    ),
    "a-parameter": (
        "def late(settings):\n    return settings.retries\n\n\nHOOKS = [late]\n",
        "is dead and stays: unresolved-call-site: {}late.py:5 uses it as a value",
    ),
}


@pytest.mark.parametrize(("code", "sentence"), EVIDENCE.values(), ids=EVIDENCE)
def test_evidence_names_files_as_the_working_directory_sees_them(
    project: Project, code: str, sentence: str
) -> None:
    project.write("src/shop/late.py", code)
    asked = ("migrate", "--all", "--parameters")
    skips = json.loads(project.run(*asked, "--format=json").out)["skips"]
    explained = [f"--explain={skip['id']}" for skip in skips if skip["path"] == "late.py"]
    for folder, place in (("", "src/shop/"), ("src/shop", ""), ("rules", f"{project.folder}/src/shop/")):
        there = Project(project.folder / folder)
        outcomes = [there.run(*asked, *more) for more in ([], *([each] for each in explained))]
        said = "".join(outcome.out + outcome.err for outcome in outcomes)
        assert sentence.format(place) in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param([], "name what to migrate: --namespace NAME, --field NAME, or --all", id="nothing"),
        pytest.param(["--all", "--namespace=net"], "--all takes every namespace", id="both"),
        pytest.param(["--namespace=nets"], "there is no namespace nets; did you mean `net`?", id="namespace"),
        pytest.param(
            ["--field=retrys"], "the schema has no field retrys; did you mean `retries`?", id="field"
        ),
        pytest.param(["--all", "rules"], "none of the paths lies in the tree", id="path"),
        pytest.param(["--explain=zzz"], "no site has the id zzz", id="id"),
    ],
)
def test_wrong_arguments(project: Project, arguments: list[str], sentence: str) -> None:
    outcome = project.run("migrate", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


def test_a_file_that_cannot_be_judged(project: Project) -> None:
    project.write("src/shop/broken.py", "def settings(:\n")
    outcome = project.run("migrate", "--namespace=net")
    assert (outcome.code, outcome.out) == (3, PLAN)
    assert "src/shop/broken.py:1: not judged: " in outcome.err


def test_a_pack_that_cannot_write(project: Project) -> None:
    project.edit("rules/shop/pack.toml", CONTEXT)
    found = json.loads(project.run("migrate", "--field=timeout", "--writes", "--format=json").out)
    assert (found["edits"], [skip["reason"] for skip in found["skips"]]) == (
        [],
        ["no-namespace", "owner-elsewhere", "no-namespace", "handed-parameter"],
    )


@pytest.mark.parametrize("namespace", ["net", "ui"])
@pytest.mark.parametrize("asked", [[], ["--writes", "--parameters", "--chains"]], ids=["reads", "everything"])
def test_the_ledger_agrees_with_the_count(project: Project, namespace: str, asked: list[str]) -> None:
    counted = json.loads(project.run("count", f"--namespace={namespace}", "--format=json").out)
    planned = json.loads(project.run("migrate", f"--namespace={namespace}", *asked, "--format=json").out)
    assert len(planned["edits"]) + len(planned["skips"]) == counted["rules"][0]["count"]


def test_a_pack_says_what_publishes_nothing(project: Project) -> None:
    boundary = '\n[[boundary]]\npaths = ["cart.py", "menu.py"]\nreason = "a launcher"\nunpublished = true\n'
    project.write("rules/shop/pack.toml", project.read("rules/shop/pack.toml") + boundary)
    found = json.loads(project.run("migrate", "--all", "--format=json").out)
    reasons = {skip["reason"] for skip in found["skips"] if skip["path"] == "menu.py"}
    assert (found["edits"], reasons) == ([], {"unpublished-process"})


@pytest.mark.parametrize(
    ("engine", "after"), [("1.2", "net_bag().retries"), ("2.0", "get_net().retries")], ids=["older", "newer"]
)
def test_a_pack_says_how_an_engine_spells(project: Project, engine: str, after: str) -> None:
    accessor = 'accessor = "shop.context.get_net"\n'
    spelled = accessor + 'spellings = { "<2" = "shop.context.net_bag" }\n'
    project.edit("rules/shop/pack.toml", accessor, spelled)
    outcome = project.run("migrate", "--field=retries", "--format=json", f"--engine={engine}")
    assert [edit["after"] for edit in json.loads(outcome.out)["edits"]] == [after]
