"""`ratchet migrate --write` over a small project: what is written, what is said, and what keeps it back."""

from __future__ import annotations

import json
import os
from importlib import resources

import pytest
from jsonschema import Draft202012Validator

from ratchet.codemod.model import Rewritten
from ratchet.codemod.proof import prove
from ratchet.errors import JudgeError
from ratchet.model import Problem
from ratchet.stubs.template import fill
from tests.cli.project import Project
from tests.codemod.write.shop import ALL, MENU, MENU_AFTER, changed, needs_checker, snapshot

UNCHECKED = (*ALL, "--no-typecheck")

SAID = """\
  src/shop/menu.py: 2 moved
settings-read  3 → 1
text-getter  4 → 2
2 sites in 1 file moved, 4 stay
typecheck: {}
next: run your tests; `ratchet migrate --undo` takes it back
"""


@needs_checker
def test_what_is_written(project: Project) -> None:
    before = snapshot(project)
    outcome = project.run(*ALL)
    assert (outcome.code, outcome.out, outcome.err) == (0, SAID.format("clean (2 sites)"), "")
    assert project.read("src/shop/menu.py") == MENU_AFTER
    assert changed(before, snapshot(project)) == [
        "baselines/settings-read.tsv",
        "baselines/text-getter.tsv",
        "src/shop/menu.py",
    ]
    assert project.run("check").code == 0


def test_without_a_type_check(project: Project) -> None:
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out) == (0, SAID.format("not run (--no-typecheck)"))
    assert project.read("src/shop/menu.py") == MENU_AFTER


def test_twice_is_once(project: Project) -> None:
    project.run(*UNCHECKED)
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out.splitlines()[0]) == (0, "0 sites in 0 files moved, 4 stay")
    assert changed(before, snapshot(project)) == []
    assert project.run("migrate", "--all", "--check").code == 0


def test_a_write_and_its_readers_move_together(project: Project) -> None:
    outcome = project.run(*UNCHECKED, "--writes")
    assert outcome.code == 0
    assert 'get_context().override("cart", timeout=60)' in project.read("src/shop/cart.py")
    assert "return get_net().timeout" in project.read("src/shop/cart.py")
    assert "settings-override  2 → 0" in outcome.out


@needs_checker
def test_json(project: Project) -> None:
    found = json.loads(project.run(*ALL, "--format=json").out)
    assert [edit["after"] for edit in found["edits"]] == ["get_net().retries", "get_ui().name"]
    assert len(found["skips"]) == 4
    assert {key: found[key] for key in ("typecheck", "written", "failed", "slices", "slices_left")} == {
        "typecheck": {"status": "clean", "detail": "", "sites": 2},
        "written": ["menu.py"],
        "failed": [],
        "slices": [],
        "slices_left": 0,
    }
    assert found["baseline"] == [
        {"rule": "settings-read", "before": 3, "after": 1},
        {"rule": "text-getter", "before": 4, "after": 2},
    ]


def test_a_rule_without_a_baseline_needs_none(project: Project) -> None:
    (project.folder / "baselines" / "text-getter.tsv").unlink()
    assert project.run(*UNCHECKED).code == 0
    assert not (project.folder / "baselines" / "text-getter.tsv").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_any_number_of_processes_writes_the_same(project: Project, jobs: str) -> None:
    outcome = project.process(
        *UNCHECKED, f"--jobs={jobs}", "--no-cache", XDG_CACHE_HOME=str(project.folder / "c")
    )
    assert (outcome.code, outcome.out) == (0, SAID.format("not run (--no-typecheck)"))
    assert project.read("src/shop/menu.py") == MENU_AFTER


SCHEMA = json.loads((resources.files("ratchet") / "schemas" / "migrate.schema.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--all"], id="plan"),
        pytest.param(["--all", "--max-sites=1"], id="slices"),
        pytest.param([*UNCHECKED[1:], "--writes"], id="written"),
        pytest.param([*UNCHECKED[1:], "--max-sites=1"], id="written-slice"),
        pytest.param(["--undo"], id="undo"),
    ],
)
def test_json_follows_its_schema(project: Project, options: list[str]) -> None:
    if options == ["--undo"]:
        project.run(*UNCHECKED)
    found = json.loads(project.run("migrate", *options, "--format=json").out)
    Draft202012Validator(SCHEMA).validate(found)
    assert not Draft202012Validator(SCHEMA).is_valid({**found, "version": 2})


# The type check


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param(None, "ty is not installed", id="missing"),
        pytest.param("echo '[]'", "so nothing was checked", id="missed-canary"),
        pytest.param("exit 3", "the type checker ty failed", id="failing"),
    ],
)
def test_an_unverified_write_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, script: str | None, said: str
) -> None:
    folder = project.folder.parent / "bin"
    folder.mkdir()
    if script is not None:
        (folder / "ty").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "ty").chmod(0o755)
    monkeypatch.setattr("sys.executable", str(folder / "python"))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin")
    before = snapshot(project)
    outcome = project.run(*ALL)
    assert outcome.code == 3
    assert "typecheck: unverified (" in outcome.out
    assert said in outcome.out
    assert "nothing was written: --no-typecheck writes what no type checker has verified" in outcome.out
    assert changed(before, snapshot(project)) == []
    assert project.run(*UNCHECKED).code == 0


@needs_checker
def test_a_site_that_fails_the_type_check_stays(project: Project) -> None:
    project.write(
        "src/shop/menu.py",
        MENU + '\n\ndef slow(text):\n    get_settings().override("slow", timeout="long")\n',
    )
    found = json.loads(project.run(*ALL, "--writes", "--format=json").out)
    reasons = {skip["before"]: (skip["reason"], skip["detail"]) for skip in found["skips"]}
    reason, detail = reasons["get_settings().override(timeout)"]
    assert (reason, detail.split(":")[0]) == ("type-error", "invalid-argument-type")
    assert found["written"] == ["menu.py"]
    text = project.read("src/shop/menu.py")
    assert 'get_settings().override("slow", timeout="long")' in text
    assert "return get_net().retries" in text
    # Its readers, and the other writes of the field, stay with it.
    assert project.read("src/shop/cart.py").count("get_net") == 0


@needs_checker
def test_values_of_keywords_that_are_not_told_apart(project: Project) -> None:
    call = 'override("slow", timeout=9, **({"name": "x"} if text else {}))'
    project.write("src/shop/menu.py", f"{MENU}\n\ndef slow(text):\n    get_settings().{call}\n")
    found = json.loads(project.run(*ALL, "--writes", "--format=json").out)
    assert [skip["reason"] for skip in found["skips"]] == ["handed-parameter"]
    assert f"    get_context().{call}\n" in project.read("src/shop/menu.py")


# The proof


def test_a_file_that_fails_its_proof_is_not_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("src/shop/other.py", MENU)

    def prove_badly(file: Rewritten, *rest: object, **named: object) -> tuple[Problem, ...]:
        if file.path == "menu.py":
            return (Problem("menu.py", 9, "a line changed that belongs to no changed statement"),)
        return prove(file, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("ratchet.checking.rewriting.prove", prove_badly)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 3
    assert "menu.py:9: not written, its proof failed: a line changed" in outcome.err
    assert project.read("src/shop/menu.py") == MENU
    assert project.read("src/shop/other.py") == MENU_AFTER
    assert "2 sites in 1 file moved, 7 stay" in outcome.out


# What keeps it back


def test_a_dirty_repository(project: Project) -> None:
    project.start_history()
    project.write("src/shop/untracked.py", "")
    project.edit("src/shop/menu.py", "as often as it takes", "as often as needed")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out) == (2, "")
    assert "the repository has changes that are not committed (src/shop/menu.py)" in outcome.err
    assert changed(before, snapshot(project)) == []
    assert project.run(*UNCHECKED, "--allow-dirty").code == 0
    # What is left to do is nothing, so that nothing can be lost.
    assert project.run(*UNCHECKED).code == 0


def test_a_clean_repository(project: Project) -> None:
    project.start_history()
    assert project.run(*UNCHECKED).code == 0
    assert (project.folder / ".git" / "ratchet" / "journal.json").exists()
    assert project.git("status", "--porcelain").split() == [
        "M",
        "baselines/settings-read.tsv",
        "M",
        "baselines/text-getter.tsv",
        "M",
        "src/shop/menu.py",
    ]


def test_a_file_that_cannot_be_judged(project: Project) -> None:
    project.write("src/shop/broken.py", "def settings(:\n")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out) == (3, "")
    assert "broken.py:1: " in outcome.err
    assert "nothing was written; mend it, or exclude it in the configuration" in outcome.err
    assert changed(before, snapshot(project)) == []


def test_a_read_only_file(project: Project) -> None:
    place = project.folder / "src/shop/menu.py"
    place.chmod(0o444)
    if os.access(place, os.W_OK):
        pytest.skip("the superuser writes what it likes")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 3
    assert "menu.py: it is read-only, and nothing was written" in outcome.err
    assert changed(before, snapshot(project)) == []


def test_a_generated_file(project: Project) -> None:
    project.write("src/shop/menu.py", "# Generated by make. DO NOT EDIT.\n" + MENU)
    before = snapshot(project)
    assert project.run(*UNCHECKED).code == 0
    assert changed(before, snapshot(project)) == []


def test_a_predicted_count_that_does_not_hold(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ratchet.checking.migration.predict", lambda *_given: ())
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 3
    said = "the rule settings-read was to go unchanged, and the rewritten files make it 3 → 1; nothing was"
    assert said in outcome.err
    assert changed(before, snapshot(project)) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param(["--check"], "--write and --check are different things", id="check"),
        pytest.param(["--undo"], "--write and --undo are different things", id="undo"),
        pytest.param(["--commit"], "--commit needs a git repository", id="no-repository"),
    ],
)
def test_options_that_do_not_go_together(project: Project, options: list[str], sentence: str) -> None:
    outcome = project.run(*UNCHECKED, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


@pytest.mark.parametrize(("name", "kind"), [("menu.pyi", "stub"), ("menu.ipynb", "notebook")])
def test_stubs_and_notebooks_are_told(project: Project, name: str, kind: str) -> None:
    project.write(f"src/shop/{name}", "{}")
    outcome = project.run("migrate", "--all", f"src/shop/{name}")
    said = f"is a {kind}, and only Python modules (*.py) are rewritten: name one"
    assert (outcome.code, said in outcome.err) == (2, True)


def test_a_template_that_does_not_parse_is_told() -> None:
    with pytest.raises(JudgeError, match=r"^shop\.pyi:\d+: the template does not parse \(.*\); correct it"):
        fill("shop.pyi", "class Net:\n    # ratchet: leaves net\n\nx: int\n", {}, (), None)
