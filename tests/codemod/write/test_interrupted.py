"""A write that is killed or finds a full disk: each file old or new, then finished or taken back."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ratchet.checking.preparing import Prepared
from ratchet.checking.writing import Written, write
from ratchet.report.values import head
from ratchet.session import Session
from tests.cli.project import Project
from tests.codemod.write import crash
from tests.codemod.write.shop import ALL, changed, create, snapshot
from tests.forked import fill_disk, forked

UNCHECKED = (*ALL, "--no-typecheck")
CHANGED = ["baselines/settings-read.tsv", "baselines/text-getter.tsv", "src/shop/menu.py"]
STEPS = ("stage", "replace 0", "replace 1", "replace 2", "finish")


def killed(
    project: Project, verb: str, step: str, prelude: Callable[[], None] = lambda: None
) -> CompletedProcess[str]:
    """What became of a process that runs a verb up to a step."""

    def work() -> None:
        prelude()
        crash.run(verb, step)

    return forked(work, project.folder)


def die_before_the_menu() -> None:
    """End this process where it would replace that file."""
    replace = Path.replace

    def replace_or_die(self: Path, target: Path) -> Path:
        if target.name == "menu.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(self, target)

    Path.replace = replace_or_die  # type: ignore[method-assign,assignment]  # in a process that ends soon


@pytest.mark.parametrize("verb", ["resume", "undo"])
@pytest.mark.parametrize("step", STEPS)
def test_a_killed_write_is_finished_or_taken_back(project: Project, step: str, verb: str) -> None:
    before = snapshot(project)
    assert killed(project, "write", step).returncode == -signal.SIGKILL
    number = STEPS.index(step)
    assert changed(before, snapshot(project)) == CHANGED[: max(number - 1, 0)]
    outcome = project.run("migrate", f"--{verb}")
    if step == "stage":  # nothing was journaled, so nothing happened
        assert (outcome.code, outcome.out) == (2, "")
        assert f"there is no migration to {verb}; run `ratchet migrate --write` first" in outcome.err
        return
    assert outcome.code == 0
    assert changed(before, snapshot(project)) == (CHANGED if verb == "resume" else [])
    assert project.run("check").code == 0
    assert project.run(*UNCHECKED).code == 0
    assert changed(before, snapshot(project)) == CHANGED


def test_an_interrupted_write_stops_the_next_one(project: Project) -> None:
    killed(project, "write", "replace 1")
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert (outcome.code, outcome.out) == (2, "")
    assert "an earlier migration was interrupted; run `ratchet migrate --resume` to finish it" in outcome.err
    assert changed(before, snapshot(project)) == []


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_killed_undo_is_run_again(project: Project, step: str) -> None:
    before = snapshot(project)
    project.run(*UNCHECKED)
    assert killed(project, "undo", step).returncode == -signal.SIGKILL
    assert project.run("migrate", "--undo").code == 0
    assert changed(before, snapshot(project)) == []


def test_what_undo_says(project: Project) -> None:
    before = snapshot(project)
    project.run(*UNCHECKED)
    outcome = project.run("migrate", "--undo")
    said = "".join(f"  {path}\n" for path in CHANGED) + "3 files put back\n"
    assert (outcome.code, outcome.out, outcome.err) == (0, said, "")
    assert changed(before, snapshot(project)) == []
    assert project.run("migrate", "--undo").code == 2


def test_what_resume_says(project: Project) -> None:
    killed(project, "write", "replace 2")
    found = json.loads(project.run("migrate", "--resume", "--format=json").out)
    assert found == {**head("resume"), "files": CHANGED[2:], "refused": []}
    assert project.run("migrate", "--resume").out == "0 files written\n"


def test_undo_leaves_what_was_edited_since(project: Project) -> None:
    before = snapshot(project)
    project.run(*UNCHECKED)
    project.edit("src/shop/menu.py", "as often as it takes", "as often as needed")
    outcome = project.run("migrate", "--undo")
    assert outcome.code == 3
    assert "left alone, for it changed since: src/shop/menu.py" in outcome.out
    assert changed(before, snapshot(project)) == CHANGED[2:]
    journal = outcome.out.split(" remove ")[1].strip()
    assert project.run(*UNCHECKED).code == 2
    Path(project.folder, journal).unlink()
    assert project.run("migrate", "--all").code == 0
    assert project.run(*UNCHECKED).code == 0


def test_a_killed_write_leaves_no_temporary_file(project: Project) -> None:
    before = snapshot(project)
    assert killed(project, "write", "none", die_before_the_menu).returncode == -signal.SIGKILL
    assert [each.name for each in project.folder.rglob(".ratchet-*.tmp")]
    assert project.run("migrate", "--undo").code == 0
    assert [each.name for each in project.folder.rglob(".ratchet-*.tmp")] == []
    assert changed(before, snapshot(project)) == []


def test_a_full_disk(project: Project) -> None:
    text = project.read("src/shop/menu.py")
    project.write("src/shop/menu.py", text + "# " + "x" * 400_000 + "\n")
    before = snapshot(project)
    # The cache is filled first, so that only the staging meets the limit.
    assert project.run("migrate", "--all", "--check").code == 1
    done = killed(project, "write", "none", lambda: fill_disk(300_000))
    assert done.returncode == 1
    assert "could not be staged" in done.stderr
    assert "nothing was written" in done.stderr
    assert changed(before, snapshot(project)) == []
    assert project.run(*UNCHECKED).code == 0


def test_trees_without_git_have_journals_of_their_own(project: Project) -> None:
    other = create(project.folder.parent / "other")
    project.run(*UNCHECKED)
    before = snapshot(project)
    assert other.run("migrate", "--undo").code == 2
    assert changed(before, snapshot(project)) == []


def test_a_file_that_changes_between_reading_and_writing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited_first(*given: object) -> Written:
        project.edit("src/shop/menu.py", "as often as it takes", "as often as needed")
        return write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("ratchet.checking.migrating.write", edited_first)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 3
    assert "menu.py: it changed since it was read, and nothing was written" in outcome.err
    assert "get_settings().retries" in project.read("src/shop/menu.py")


def test_ctrl_c_between_two_files(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(session: Session, prepared: Prepared, *_given: object) -> Written:
        def step(name: str) -> None:
            if name == "replace 1":
                raise KeyboardInterrupt

        return write(session, prepared, step=step)

    monkeypatch.setattr("ratchet.checking.migrating.write", interrupted)
    before = snapshot(project)
    outcome = project.run(*UNCHECKED)
    assert outcome.code == 130
    assert "an earlier migration was interrupted; run `ratchet migrate --resume` to finish it" in outcome.err
    assert project.run("migrate", "--undo").code == 0
    assert changed(before, snapshot(project)) == []
