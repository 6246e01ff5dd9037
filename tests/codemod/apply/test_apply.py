"""Files replaced: all or, after a kill or a full disk, each old or new, and then finished or taken back."""

from __future__ import annotations

import os
import shutil
import signal
import stat
from pathlib import Path

import pytest

from ratchet.codemod.apply import Applied, Change, apply_changes, resume, undo
from ratchet.codemod.journal import journal_folder, read_journal
from ratchet.errors import JudgeError, UsageError
from tests.codemod.apply import crash
from tests.forked import fill_disk, forked

NAMES = ("a.py", "b.py", "rule.tsv")
STEPS = ("stage", "replace 0", "replace 1", "replace 2", "finish")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of three files, each with what it is to become beside it."""
    folder = tmp_path / "tree"
    folder.mkdir()
    for name in NAMES:
        (folder / name).write_bytes(b"old " + name.encode())
        (folder / f"{name}.next").write_bytes(b"new " + name.encode())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the journal lies."""
    return tmp_path / "journal"


def wanted(tree: Path) -> dict[Path, Change]:
    """The changes of the tree."""
    return {
        tree / name: Change(b"old " + name.encode(), (tree / f"{name}.next").read_bytes()) for name in NAMES
    }


def state(tree: Path) -> list[str]:
    """Which side each file is on."""
    return [(tree / name).read_bytes().split(b" ")[0].decode() for name in NAMES]


def run(verb: str, folder: Path, tree: Path, step: str = "none") -> int:
    """The exit code of a process that runs a verb up to a step."""
    return forked(lambda: crash.run(verb, folder, tree, step)).returncode


def journal(entry: str) -> str:
    """The text of a journal with one file."""
    return f'{{"format": 2, "state": "staged", "stage": "stage-1", "files": [{entry}]}}'


def test_all_files_are_replaced(tree: Path, folder: Path) -> None:
    done = apply_changes(wanted(tree), folder)
    assert done == Applied(tuple(tree / name for name in NAMES), ())
    assert state(tree) == ["new"] * 3
    assert sorted(path.name for path in tree.iterdir()) == sorted(
        [*NAMES, *(f"{name}.next" for name in NAMES)]
    )


def test_twice_is_once(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    again = {path: Change(change.new, change.new) for path, change in wanted(tree).items()}
    assert apply_changes(again, folder) == Applied((), ())
    assert resume(folder) == Applied((), ())
    assert state(tree) == ["new"] * 3


def test_undo_takes_all_back(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    assert undo(folder) == Applied(tuple(tree / name for name in NAMES), ())
    assert state(tree) == ["old"] * 3
    assert [path.name for path in folder.iterdir()] == ["lock"]
    with pytest.raises(UsageError, match="there is no migration to undo"):
        undo(folder)


def test_files_that_come_and_go(tree: Path, folder: Path) -> None:
    changes = {tree / "added.tsv": Change(None, b"new"), tree / "a.py": Change(b"old a.py", None)}
    apply_changes(changes, folder)
    assert ((tree / "added.tsv").read_bytes(), (tree / "a.py").exists()) == (b"new", False)
    undo(folder)
    assert ((tree / "added.tsv").exists(), (tree / "a.py").read_bytes()) == (False, b"old a.py")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("verb", ["resume", "undo"])
def test_a_killed_run_is_finished_or_taken_back(verb: str, step: str, tree: Path, folder: Path) -> None:
    assert run("apply", folder, tree, step) == -signal.SIGKILL
    at = STEPS.index(step)
    assert state(tree) == ["new"] * max(at - 1, 0) + ["old"] * (3 - max(at - 1, 0))
    if step == "stage":  # nothing was journaled, so nothing happened
        with pytest.raises(UsageError, match=f"there is no migration to {verb}"):
            {"resume": resume, "undo": undo}[verb](folder)
        return
    with pytest.raises(UsageError, match="an earlier migration was interrupted"):
        apply_changes(wanted(tree), folder)
    {"resume": resume, "undo": undo}[verb](folder)
    assert state(tree) == (["new"] if verb == "resume" else ["old"]) * 3


@pytest.mark.parametrize("step", STEPS[1:])
@pytest.mark.parametrize("last", ["resume", "undo"])
def test_a_killed_undo_is_finished_or_turned(last: str, step: str, tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    assert run("undo", folder, tree, step) == -signal.SIGKILL
    {"resume": resume, "undo": undo}[last](folder)
    assert state(tree) == (["new"] if last == "resume" else ["old"]) * 3


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_killed_resume_is_finished(step: str, tree: Path, folder: Path) -> None:
    run("apply", folder, tree, "replace 1")
    assert run("resume", folder, tree, step) == -signal.SIGKILL
    assert run("resume", folder, tree) == 0
    assert state(tree) == ["new"] * 3


def test_what_a_killed_run_staged_is_swept(tree: Path, folder: Path) -> None:
    (folder / "stage-1-dead").mkdir(parents=True)
    (folder / "stage-1-dead" / "0.new").write_bytes(b"half")
    apply_changes(wanted(tree), folder)
    assert len(list(folder.glob("stage-*"))) == 1


def test_a_file_that_changed_since_it_was_read(tree: Path, folder: Path) -> None:
    changes = wanted(tree)
    (tree / "b.py").write_bytes(b"edited")
    with pytest.raises(JudgeError, match=r"b\.py: it changed since it was read, and nothing was written"):
        apply_changes(changes, folder)
    assert state(tree) == ["old", "edited", "old"]
    assert read_journal(folder) is None


def test_a_file_that_changes_during_the_run(tree: Path, folder: Path) -> None:
    def step(name: str) -> None:
        if name == "replace 1":
            (tree / "b.py").write_bytes(b"edited")

    done = apply_changes(wanted(tree), folder, step)
    assert done == Applied((tree / "a.py", tree / "rule.tsv"), (tree / "b.py",))
    assert state(tree) == ["new", "edited", "new"]
    assert undo(folder) == Applied((tree / "a.py", tree / "rule.tsv"), (tree / "b.py",))


def test_undo_leaves_what_was_edited_since(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    (tree / "a.py").write_bytes(b"edited")
    assert undo(folder).refused == (tree / "a.py",)
    assert state(tree) == ["edited", "old", "old"]
    (tree / "a.py").write_bytes(b"new a.py")
    assert undo(folder).replaced == (tree / "a.py",)


def test_a_read_only_file(tree: Path, folder: Path) -> None:
    (tree / "b.py").chmod(0o444)
    if os.access(tree / "b.py", os.W_OK):
        pytest.skip("the superuser writes what it likes")
    with pytest.raises(JudgeError, match=r"b\.py: it is read-only, and nothing was written"):
        apply_changes(wanted(tree), folder)
    assert state(tree) == ["old"] * 3


def test_mode_and_link_stay(tree: Path, folder: Path) -> None:
    (tree / "a.py").chmod(0o755)
    (tree / "link.py").symlink_to("a.py")
    apply_changes({tree / "link.py": Change(b"old a.py", b"new a.py")}, folder)
    assert (tree / "link.py").is_symlink()
    assert (tree / "a.py").read_bytes() == b"new a.py"
    assert stat.S_IMODE((tree / "a.py").stat().st_mode) == 0o755


def test_a_link_and_its_file_that_disagree(tree: Path, folder: Path) -> None:
    (tree / "link.py").symlink_to("a.py")
    changes = wanted(tree) | {tree / "link.py": Change(b"old a.py", b"newer")}
    with pytest.raises(JudgeError, match="it is a link to a file that is to become another one"):
        apply_changes(changes, folder)


def test_a_full_disk(tree: Path, folder: Path) -> None:
    (tree / "b.py.next").write_bytes(b"new " + b"x" * 1_000_000)

    def apply() -> None:
        fill_disk(500_000)
        crash.run("apply", folder, tree, "none")

    done = forked(apply)
    assert "could not be staged (File too large), and nothing was written" in done.stderr
    assert state(tree) == ["old"] * 3
    assert read_journal(folder) is None


def test_a_damaged_journal(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    (folder / "journal.json").write_bytes(b"{")
    with pytest.raises(JudgeError, match="the journal of the last migration is damaged"):
        undo(folder)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="deep"),
        pytest.param(journal('{"path": "/a\\u0000b", "old": null, "new": null}'), id="nul"),
        pytest.param(journal('{"path": "a/b", "old": null, "new": null}'), id="relative"),
        pytest.param(journal('{"path": "/a/../b", "old": null, "new": null}'), id="upwards"),
        pytest.param(journal('{"path": "/a", "old": 1, "new": null}'), id="hash"),
        pytest.param(journal('{"path": 1, "old": null, "new": null}'), id="number"),
    ],
)
def test_a_journal_of_something_else(tree: Path, folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "journal.json").write_text(text)
    for verb in (undo, resume):
        with pytest.raises(JudgeError, match="the journal of the last migration is damaged"):
            verb(folder)
    with pytest.raises(JudgeError, match="the journal of the last migration is damaged"):
        apply_changes(wanted(tree), folder)


@pytest.mark.parametrize("moved", [False, True], ids=["copied", "moved"])
def test_the_journal_of_a_copy_speaks_of_the_copy(tree: Path, moved: bool) -> None:
    apply_changes(wanted(tree), tree / "journal", base=tree)
    other = tree.parent / "other"
    (shutil.move if moved else shutil.copytree)(tree, other)
    assert undo(other / "journal", base=other).replaced == tuple(other / name for name in NAMES)
    assert state(other) == ["old"] * 3
    assert moved or state(tree) == ["new"] * 3


def test_a_file_outside_of_the_base(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder, base=folder)
    assert undo(folder, base=folder).replaced == tuple(tree / name for name in NAMES)


def test_a_damaged_copy(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    next(folder.glob("stage-*/0.old")).write_bytes(b"ol")
    with pytest.raises(JudgeError, match="the journal of the last migration is damaged"):
        undo(folder)
    assert state(tree) == ["new"] * 3


def test_two_at_once(tree: Path, folder: Path) -> None:
    def step(name: str) -> None:
        if name == "replace 0":
            with pytest.raises(UsageError, match="another migration of this tree is running"):
                undo(folder)

    apply_changes(wanted(tree), folder, step)
    assert state(tree) == ["new"] * 3


def test_names_that_are_no_text(tree: Path, folder: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tree) + b"/\xff n\n.py"))
    odd.write_bytes(b"old")
    apply_changes({odd: Change(b"old", b"new")}, folder)
    assert odd.read_bytes() == b"new"
    undo(folder)
    assert odd.read_bytes() == b"old"


def test_where_the_journal_lies(tmp_path: Path) -> None:
    repository, cache = tmp_path / "repo", tmp_path / "cache"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert journal_folder(repository, cache) == repository / ".git" / "ratchet"
    assert journal_folder(None, cache) == cache / "migrate"
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {repository / '.git'}\n")
    assert journal_folder(linked, None) == repository / ".git" / "ratchet"
    with pytest.raises(JudgeError, match="no repository and no cache"):
        journal_folder(None, None)


def test_the_stage_can_be_removed_by_hand(tree: Path, folder: Path) -> None:
    apply_changes(wanted(tree), folder)
    shutil.rmtree(folder)
    with pytest.raises(
        UsageError, match="there is no migration to undo; run `ratchet migrate --write` first"
    ):
        undo(folder)
