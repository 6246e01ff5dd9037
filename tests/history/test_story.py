"""The burn-down out of committed baselines, in real repositories."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.history.dated import HASTY, PATIENT, Dated


def steps(entry: Any) -> list[tuple[str, int | None]]:
    return [(step["subject"], step["number"]) for step in entry["steps"]]


def burn_down(project: Dated) -> None:
    """Two commits that remove a site each, and one between that touches no baseline."""
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone", "Bea")
    project.write("README", "hello")
    project.commit_on(4, "a word")
    project.edit("src/shop/cart.py", PATIENT, "")
    project.tighten()
    project.commit_on(5, "patient is gone", "Cem")


def test_each_step_has_its_commit(project: Dated) -> None:
    burn_down(project)
    entry = project.story()
    told = [
        (step["author"], step["date"][:10], step["committed"], step["counted"]) for step in entry["steps"]
    ]
    assert told == [
        ("Ann", "2026-01-01", 2, None),
        ("Bea", "2026-01-03", 1, None),
        ("Cem", "2026-01-05", 0, None),
    ]
    assert entry["projection"] == {"outlook": "done", "steps": 0, "per_week": 0.0, "end": None}
    ids = project.git("log", "--format=%H", "--reverse", "--", "baselines/settings-override.tsv").split()
    assert [step["commit"] for step in entry["steps"]] == ids


def test_a_renamed_folder_goes_on_under_its_old_name(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(2, "hasty is gone")
    project.git("mv", "baselines", "lines")
    project.write("ratchet.toml", project.read("ratchet.toml") + 'baselines = "lines"\n')
    project.commit_on(3, "the folder moves")
    project.edit("src/shop/cart.py", PATIENT, "")
    project.tighten()
    project.commit_on(4, "patient is gone")
    assert steps(project.story()) == [("start", 2), ("hasty is gone", 1), ("patient is gone", 0)]


def test_a_rule_under_its_former_name(project: Dated) -> None:
    project.git("mv", "baselines/settings-override.tsv", "baselines/settings-writer.tsv")
    project.commit_on(2, "the old name")
    project.git("mv", "baselines/settings-writer.tsv", "baselines/settings-override.tsv")
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "the new name, and one less")
    assert steps(project.story()) == [("start", 2), ("the new name, and one less", 1)]


def test_a_merge_is_one_step(project: Dated) -> None:
    project.git("checkout", "--quiet", "-b", "side")
    burn_down(project)
    project.git("checkout", "--quiet", "main")
    project.write("README.md", "hello")
    project.commit_on(6, "beside it")
    project.dated(7, "Dee", "merge", "--quiet", "--no-ff", "--message", "merge side", "side")
    assert steps(project.story()) == [("start", 2), ("merge side", 0)]


def test_a_rule_that_is_no_more(project: Dated) -> None:
    project.write("baselines/old.tsv", project.read("baselines/settings-override.tsv"))
    project.commit_on(2, "one more rule")
    (project.folder / "baselines/old.tsv").unlink()
    project.commit_on(3, "it goes")
    entry = project.story(rule="old")
    assert steps(entry) == [("one more rule", 2), ("it goes", None)]
    assert (entry["mode"], entry["projection"]["outlook"]) == (None, "unknown")
    assert [each["id"] for each in project.report("history", "shell")["rules"]] == ["shell"]


def test_a_damaged_baseline_is_no_zero(project: Dated) -> None:
    text = project.read("baselines/settings-override.tsv")
    project.write("baselines/settings-override.tsv", f"<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n")
    commit = project.commit_on(2, "a conflict is committed")
    project.write("baselines/settings-override.tsv", text)
    project.commit_on(3, "mended")
    report = project.report("history", "settings-override")
    assert steps(report["rules"][0]) == [("start", 2), ("a conflict is committed", None), ("mended", 2)]
    fault = "baselines/settings-override.tsv:1: holds a merge conflict"
    assert report["rules"][0]["steps"][1]["fault"] == fault
    assert report["notes"] == [f"{commit[:12]}: {fault}"]


def test_a_damaged_baseline_of_head_has_no_number(project: Dated) -> None:
    text = project.read("baselines/settings-override.tsv")
    project.write("baselines/settings-override.tsv", f"<<<<<<< ours\n{text}=======\n>>>>>>> theirs\n")
    project.commit_on(2, "a conflict is committed")
    outcome = project.run("history", "--format", "json")
    assert outcome.code == 3
    assert outcome.err == (
        "error: baselines/settings-override.tsv:1: holds a merge conflict, so that HEAD has no number: "
        "mend it (`ratchet check` says how) and commit that\n"
    )
    entry = next(each for each in json.loads(outcome.out)["rules"] if each["id"] == "settings-override")
    assert steps(entry) == [("start", 2), ("a conflict is committed", None)]
    assert project.run("history", "shell").code == 0


def test_another_version_of_the_rule_is_told_apart(project: Dated) -> None:
    text = project.read("baselines/settings-override.tsv")
    project.write("baselines/settings-override.tsv", re.sub("# fingerprint .*", "# fingerprint other", text))
    project.commit_on(2, "a new version of the rule")
    assert [step["adopted"] for step in project.story()["steps"]] == [False, True]
    assert "the rule has changed here" in project.run("history", "settings-override").out


def test_since_and_last_keep_what_they_start_from(project: Dated) -> None:
    burn_down(project)
    last = [("hasty is gone", 1), ("patient is gone", 0)]
    assert steps(project.story("--since", "HEAD~1")) == last
    assert steps(project.story("--last", "2")) == last
    assert steps(project.story("--last", "1")) == [("patient is gone", 0)]
    assert steps(project.story("--last", "99")) == [("start", 2), *last]


def refused(project: Dated, *arguments: str) -> tuple[int, str]:
    outcome = project.run("history", *arguments)
    assert outcome.out == ""
    return outcome.code, outcome.err


def test_a_shallow_clone_is_refused(project: Dated, tmp_path: Path) -> None:
    burn_down(project)
    project.git("clone", "--quiet", "--depth", "1", project.folder.as_uri(), str(tmp_path / "shallow"))
    code, said = refused(Dated(tmp_path / "shallow"))
    assert code == 3
    assert "is a shallow clone, whose history is cut off: run `git fetch --unshallow`" in said


def test_without_a_commit(tmp_path: Path) -> None:
    project = Dated(Dated.create(tmp_path / "new").folder)
    code, said = refused(project)
    assert (code, "lies in no git repository" in said) == (3, True)
    project.git("init", "--quiet")
    code, said = refused(project)
    assert (code, "has no commit yet: run `git commit`" in said) == (3, True)


def test_baselines_outside_of_the_repository(project: Dated, tmp_path: Path) -> None:
    code, said = refused(project, "--baselines", str(tmp_path / "elsewhere"))
    assert (code, "lie outside of the repository" in said) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        pytest.param(["no-such-rule"], 2, "no rule is called no-such-rule", id="rule"),
        pytest.param(["--since", "nowhere"], 3, "there is no commit `nowhere`", id="commit"),
        pytest.param(["--last", "0"], 2, "--last", id="last"),
    ],
)
def test_wrong_arguments(project: Dated, arguments: list[str], code: int, words: str) -> None:
    found, said = refused(project, *arguments)
    assert (found, words in said) == (code, True), said
