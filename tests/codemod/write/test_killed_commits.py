"""A run with --commit that is killed at any moment: finished or taken back, with its index and commits."""

from __future__ import annotations

import shutil
import signal
import time
from itertools import count

import pytest

from tests.cli.project import Project
from tests.codemod.write.killing import signal_in, signalled
from tests.codemod.write.shop import ALL, MENU

WHOLE = (*ALL, "--no-typecheck", "--commit")
SLICES = (*WHOLE, "--batch-by=directory")
PENDING = "an earlier migration was interrupted; run `ratchet migrate --resume` to finish it"


@pytest.fixture
def repository(project: Project) -> Project:
    """The project with one more folder to migrate, in a repository."""
    project.write("src/shop/a/one.py", MENU)
    shutil.rmtree(project.folder / "baselines")
    project.adopt()
    project.start_history()
    project.git("config", "user.name", "A")
    project.git("config", "user.email", "a@example.org")
    return project


def commits(project: Project) -> list[str]:
    """The commits, the first one first: each its message and the tree that it holds."""
    return project.git("log", "--reverse", "-z", "--format=%B%T").split("\0")[:-1]


def status(project: Project) -> str:
    """What git has to say of the work tree and the index."""
    return project.git("status", "--porcelain", "--untracked-files=all")


def copied(project: Project, name: str) -> Project:
    """The project in another folder, with its repository as it lies there."""
    folder = project.folder.parent / name / "work"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(project.folder, folder, symlinks=True)
    return Project(folder)


def finished(project: Project, run: tuple[str, ...]) -> list[str]:
    """The commits of a run that nobody disturbs."""
    whole = copied(project, "whole")
    assert whole.run(*run).code == 0
    return commits(whole)


def assert_goes_on(killed: Project, run: tuple[str, ...], whole: list[str]) -> None:
    """What was killed is as if it had not been, once resumed; and as before the slice, once taken back."""
    held = commits(killed)
    assert held == whole[: len(held)]
    resumed = copied(killed, "resumed")
    outcome = resumed.run("migrate", "--resume")
    assert outcome.code == 0 or "there is no migration to resume" in outcome.err
    assert status(resumed) == ""
    assert resumed.run(*run).code == 0
    assert (commits(resumed), status(resumed)) == (whole, "")
    undone = copied(killed, "undone")
    outcome = undone.run("migrate", "--undo")
    assert outcome.code == 0 or "there is no migration to undo" in outcome.err
    assert (commits(undone), status(undone)) == (held, "")
    assert undone.run(*run).code == 0
    assert commits(undone) == whole
    for each in (resumed, undone):
        assert list(each.folder.rglob(".ratchet-*")) == []


@pytest.mark.parametrize(
    ("run", "moment", "nth"),
    [
        pytest.param(WHOLE, "rename src/shop/", 1, id="a-file"),
        pytest.param(WHOLE, "after git commit", 1, id="all-is-committed"),
        pytest.param(SLICES, "rename .git/ratchet/", 1, id="the-journal"),
        pytest.param(SLICES, "rename .git/ratchet/", 2, id="all-is-written"),
        pytest.param(SLICES, "git add", 1, id="before-add"),
        pytest.param(SLICES, "git commit", 1, id="before-commit"),
        pytest.param(SLICES, "after git commit", 1, id="after-commit"),
        pytest.param(SLICES, "open .git/ratchet/stage", 7, id="next-slice"),
        pytest.param(SLICES, "git commit", 2, id="last-commit"),
    ],
)
def test_a_killed_run_goes_on(repository: Project, run: tuple[str, ...], moment: str, nth: int) -> None:
    whole = finished(repository, run)
    assert signalled(repository, run, moment, nth).returncode == -signal.SIGKILL
    assert_goes_on(repository, run, whole)


@pytest.mark.parametrize("moment", ["remove baselines/", "rename src/shop/", "git add", "after git add"])
def test_a_baseline_gets_its_new_name_with_a_slice(repository: Project, moment: str) -> None:
    repository.git("mv", "baselines/settings-read.tsv", "baselines/reads.tsv")
    repository.edit("rules/shop/settings-read.toml", 'mode = "warn"', 'mode = "warn"\nformerly = ["reads"]')
    repository.commit("the rule has a new name")
    whole = finished(repository, SLICES)
    assert signalled(repository, SLICES, moment).returncode == -signal.SIGKILL
    assert_goes_on(repository, SLICES, whole)


@pytest.mark.parametrize("moment", ["rename baselines/", "after git add", "git commit"])
def test_baselines_that_git_ignores(repository: Project, moment: str) -> None:
    repository.git("rm", "--quiet", "-r", "--cached", "baselines")
    repository.write(".gitignore", "baselines\n")
    repository.commit("baselines are of no interest")
    whole = finished(repository, SLICES)
    assert len(whole) == 4
    assert signalled(repository, SLICES, moment).returncode == -signal.SIGKILL
    assert_goes_on(repository, SLICES, whole)


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("run", [WHOLE, SLICES], ids=["whole", "slices"])
def test_a_run_that_ends_at_any_moment_goes_on(
    repository: Project, run: tuple[str, ...], sign: signal.Signals
) -> None:
    whole = finished(repository, run)
    ended = 130 if sign is signal.SIGINT else -sign
    for nth in count(1):
        killed = copied(repository, "killed")
        code = signalled(killed, run, "", nth, sign).returncode
        if code == 0:
            break
        assert code == ended
        assert_goes_on(killed, run, whole)
    assert nth > 40


@pytest.mark.parametrize(
    ("verb", "moment"),
    [
        pytest.param("--resume", "git commit", id="resume"),
        pytest.param("--resume", "after git commit", id="resume-committed"),
        pytest.param("--undo", "after git reset", id="undo"),
        pytest.param("--undo", "rename src/shop/", id="undo-a-file"),
        pytest.param("--undo", "remove .git/ratchet/journal", id="undo-all"),
    ],
)
def test_a_killed_resume_or_undo_goes_on(repository: Project, verb: str, moment: str) -> None:
    whole = finished(repository, SLICES)
    signalled(repository, SLICES, "git commit")
    assert signalled(repository, ("migrate", verb), moment).returncode == -signal.SIGKILL
    assert_goes_on(repository, SLICES, whole)


def test_what_is_said_after_a_kill(repository: Project) -> None:
    signalled(repository, SLICES, "git commit")
    outcome = repository.run(*SLICES)
    assert (outcome.code, outcome.out) == (2, "")
    assert PENDING in outcome.err
    outcome = repository.run("migrate", "--resume")
    made = repository.git("rev-parse", "HEAD")[:10]
    assert (outcome.code, outcome.out, outcome.err) == (
        0,
        f"0 files written\ncommitted as {made}; where slices are left, run the same command again\n",
        "",
    )
    outcome = repository.run("migrate", "--undo")
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no migration to undo" in outcome.err


@pytest.mark.parametrize(
    "moment", ["rename src/shop/", "git add", "after git add", "git commit"], ids=lambda moment: moment
)
def test_ctrl_c_says_how_to_go_on(repository: Project, moment: str) -> None:
    done = signalled(repository, SLICES, moment, sign=signal.SIGINT)
    assert done.returncode == 130
    assert PENDING in done.stderr


# While git is at work


@pytest.mark.parametrize("hook", ["post-index-change", "pre-commit", "reference-transaction", "post-commit"])
def test_git_ends_what_it_began_for_a_run_that_is_gone(repository: Project, hook: str) -> None:
    whole = finished(repository, SLICES)
    signal_in(repository, hook, "kill -9 $run")
    assert signalled(repository, SLICES).returncode == -signal.SIGKILL
    lock = repository.folder / ".git/index.lock"
    for _ in range(1000):
        if lock.exists():  # git goes on by itself
            time.sleep(0.01)
    assert_goes_on(repository, SLICES, whole)


@pytest.mark.parametrize("hook", ["post-index-change", "pre-commit", "post-commit"])
def test_git_is_killed_too(repository: Project, hook: str) -> None:
    whole = finished(repository, SLICES)
    signal_in(repository, hook, "kill -9 -$run")
    assert signalled(repository, SLICES).returncode == -signal.SIGKILL
    lock = repository.folder / ".git/index.lock"
    if hook == "pre-commit":
        before = status(repository)
        for verb in ("--resume", "--undo"):
            outcome = repository.run("migrate", verb)
            assert (outcome.code, outcome.out) == (3, "")
            assert "wait until git ends there; if none runs, remove that file" in outcome.err
            assert status(repository) == before
        lock.unlink()
    assert not lock.exists()
    assert_goes_on(repository, SLICES, whole)


def test_an_interrupted_git_leaves_no_lock(repository: Project) -> None:
    whole = finished(repository, SLICES)
    signal_in(repository, "pre-commit", "kill -INT $run\nexec sleep 2")
    done = signalled(repository, SLICES)
    assert done.returncode == 130
    assert PENDING in done.stderr
    assert not (repository.folder / ".git/index.lock").exists()
    assert_goes_on(repository, SLICES, whole)


# What git refuses


@pytest.mark.parametrize(
    ("refuse", "relent"),
    [
        pytest.param("echo exit 1 > .git/hooks/pre-commit", "rm .git/hooks/pre-commit", id="hook"),
        pytest.param("git config commit.gpgsign true", "git config --unset commit.gpgsign", id="signature"),
        pytest.param("touch .git/index.lock", "rm .git/index.lock", id="index"),
        pytest.param("touch .git/HEAD.lock", "rm .git/HEAD.lock", id="head"),
    ],
)
def test_a_commit_that_git_refuses(
    repository: Project, monkeypatch: pytest.MonkeyPatch, refuse: str, relent: str
) -> None:
    def shell(words: str) -> None:
        repository.git("-c", f"alias.do=!{words}", "do")

    monkeypatch.setenv("GNUPGHOME", str(repository.folder.parent))
    whole = finished(repository, SLICES)
    shell(f"{refuse}; test ! -e .git/hooks/pre-commit || chmod +x .git/hooks/pre-commit")
    outcome = repository.run(*SLICES)
    assert outcome.code == 3
    assert "mend that and run `ratchet migrate --resume`, or commit them yourself" in outcome.err
    assert [line[:2] for line in status(repository).splitlines()] == [" M", " M", " M"]
    assert PENDING in repository.run(*SLICES).err
    shell(relent)
    assert_goes_on(repository, SLICES, whole)


def test_what_a_hook_rewrote_is_committed_by_hand(repository: Project) -> None:
    words = "sed -i 's/as often as it takes/as often as needed/' src/shop/menu.py\nexit 1"
    signal_in(repository, "pre-commit", words)
    assert signalled(repository, SLICES).returncode == 3
    outcome = repository.run("migrate", "--resume")
    assert outcome.code == 3
    assert "left alone, for it changed since: src/shop/menu.py\n" in outcome.out
    repository.commit("by hand")
    assert repository.run(*SLICES).code == 0
    assert [each.split("\n")[0] for each in commits(repository)] == [
        "start",
        "by hand",
        "Move 2 sites to net, ui (a)",
    ]
    assert status(repository) == ""


def test_a_detached_head(repository: Project) -> None:
    whole = finished(repository, SLICES)
    repository.git("checkout", "--quiet", "--detach")
    signalled(repository, SLICES, "git commit")
    assert_goes_on(repository, SLICES, whole)
    assert commits(repository) == whole[:1]


@pytest.mark.parametrize("verb", ["--resume", "--undo"])
def test_what_is_staged_stays_so(repository: Project, verb: str) -> None:
    """Before a run without a commit, and between one that was killed and what becomes of it."""
    repository.write("notes", "mine\n")
    repository.git("add", "notes")
    before = repository.git("diff", "--cached")
    dirty = (*ALL, "--no-typecheck", "--allow-dirty")
    assert signalled(repository, dirty, "rename src/shop/").returncode == -signal.SIGKILL
    assert repository.run("migrate", verb).code == 0
    assert repository.git("diff", "--cached") == before
    repository.run("migrate", "--undo")
    repository.git("reset", "--quiet")
    signalled(repository, WHOLE, "git commit")
    repository.git("add", "notes")
    assert repository.run("migrate", verb).code == 0
    assert repository.git("diff", "--cached") == before
    assert status(repository) == "A  notes\n"
