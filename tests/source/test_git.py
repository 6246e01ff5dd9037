"""What git is asked, in real repositories: hooks, work trees, submodules, shallow clones, renames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ratchet.errors import JudgeError
from ratchet.source.git import (
    head_of,
    index_items,
    is_shallow,
    merge_base,
    not_checked_out,
    relative_prefix,
    renames,
    repository_of,
    require_commit,
    tree_items,
)
from tests.source.scratch import commit, git, make_repository, plant

BODY = "".join(f"line_{number} = {number}\n" for number in range(30))


def clone(source: Path, to: Path, *options: str) -> Path:
    git(source.parent, "clone", "-q", *options, source.as_uri(), str(to))
    return to


def test_repository_of(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"pkg/a.py": ""})
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(repo, "submodule", "add", "-q", str(make_repository(tmp_path / "sub", {"s/b.py": ""})), "sub")
    (tmp_path / "plain/.git").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repo / "pkg")
    asked = ["repo", "repo/pkg", "repo/pkg/gone", "tree/pkg", "repo/sub/s", "link", "plain", "."]
    found = [repository_of(tmp_path / place) for place in asked]
    tree = tmp_path / "tree"
    assert found == [repo, repo, repo, tree, repo / "sub", repo, None, None]


@pytest.mark.parametrize(("place", "prefix"), [("", ""), ("a", "a"), ("a/b", "a/b")])
def test_relative_prefix(tmp_path: Path, place: str, prefix: str) -> None:
    assert relative_prefix(tmp_path, tmp_path / place) == prefix


def test_relative_prefix_refuses_what_lies_outside(tmp_path: Path) -> None:
    with pytest.raises(JudgeError) as refusal:
        relative_prefix(tmp_path / "repo", tmp_path / "other")
    assert str(refusal.value) == f"{tmp_path}/other: lies outside of the repository {tmp_path}/repo"


def test_merge_base(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"a.py": "1"})
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "branch")
    plant(repo, {"a.py": "2"})
    head = commit(repo)
    git(repo, "checkout", "-q", "main")
    plant(repo, {"b.py": "3"})
    commit(repo)
    git(repo, "checkout", "-q", "branch")
    assert [merge_base(repo, ref) for ref in ("main", "HEAD", "HEAD~1", head[:10])] == [
        base,
        head,
        base,
        head,
    ]
    assert head_of(repo) == head


def no_such_ref(repo: Path) -> tuple[Path, str]:
    return repo, "nowhere"


def not_fetched(repo: Path) -> tuple[Path, str]:
    cloned = clone(repo, repo.parent / "clone", "--single-branch")
    return cloned, "origin/release"


def option_as_ref(repo: Path) -> tuple[Path, str]:
    return repo, "--all"


def shallow(repo: Path) -> tuple[Path, str]:
    git(repo, "checkout", "-q", "-b", "branch")
    commit(repo, "on the branch")
    git(repo, "checkout", "-q", "main")
    commit(repo, "on main")
    cloned = clone(repo, repo.parent / "clone", "--depth=1", "--no-single-branch")
    git(cloned, "checkout", "-q", "branch")
    return cloned, "origin/main"


def shallow_without_ref(repo: Path) -> tuple[Path, str]:
    commit(repo)
    return clone(repo, repo.parent / "clone", "--depth=1"), "HEAD~1"


def unrelated(repo: Path) -> tuple[Path, str]:
    git(repo, "checkout", "-q", "--orphan", "other")
    commit(repo, "another beginning")
    return repo, "main"


def blob_as_ref(repo: Path) -> tuple[Path, str]:
    return repo, "HEAD:a.py"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        pytest.param(no_such_ref, "there is no commit `nowhere` in REPO; run `git fetch --all`", id="ref"),
        pytest.param(
            not_fetched,
            "there is no commit `origin/release` in REPO; run `git fetch origin release`",
            id="not-fetched",
        ),
        pytest.param(option_as_ref, "there is no commit `--all` in REPO; run `git fetch --all`", id="option"),
        pytest.param(blob_as_ref, "there is no commit `HEAD:a.py` in REPO; run `git fetch --all`", id="blob"),
        pytest.param(
            shallow,
            "this clone is too shallow to show where HEAD left `origin/main`; run `git fetch --unshallow`",
            id="shallow",
        ),
        pytest.param(
            shallow_without_ref,
            "there is no commit `HEAD~1` in REPO; run `git fetch --unshallow`",
            id="shallow-without-ref",
        ),
        pytest.param(
            unrelated,
            "HEAD and `main` have no commit in common; name a ref of the same history",
            id="unrelated",
        ),
    ],
)
def test_merge_base_refuses(tmp_path: Path, make: Callable[[Path], tuple[Path, str]], told: str) -> None:
    repo, ref = make(make_repository(tmp_path / "repo", {"a.py": "1"}))
    with pytest.raises(JudgeError) as refusal:
        merge_base(repo, ref)
    assert str(refusal.value).replace(str(repo), "REPO") == told


def test_a_repository_without_commits(tmp_path: Path) -> None:
    repo = make_repository(tmp_path)
    assert head_of(repo) is None
    with pytest.raises(JudgeError, match="there is no commit `main`"):
        require_commit(repo, "main")


def test_is_shallow(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo", {"a.py": "1"})
    commit(repo)
    assert not is_shallow(repo)
    assert is_shallow(clone(repo, tmp_path / "clone", "--depth=1"))


def test_a_folder_that_is_no_repository(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"^`git ls-files` failed in .*: not a git repository"):
        index_items(tmp_path)


def test_git_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JudgeError) as refusal:
        index_items(tmp_path)
    assert str(refusal.value) == "git cannot be started (no such file or directory); install it"


def test_not_checked_out(tmp_path: Path) -> None:
    repo = make_repository(
        tmp_path / "repo", {"pkg/a.py": "", "pkg/b/c.py": "", "pkg/b/d.txt": "", "e/f.py": ""}
    )
    assert not_checked_out(repo) == ()
    git(repo, "sparse-checkout", "set", "--cone", "pkg/x")
    assert not_checked_out(repo) == ("e/f.py", "pkg/b/c.py")
    assert not_checked_out(repo, "pkg") == ("b/c.py",)
    assert not_checked_out(repo, "nowhere") == ()
    (repo / "pkg/a.py").unlink()
    assert not_checked_out(repo, "pkg") == ("b/c.py",)
    git(repo, "sparse-checkout", "disable")
    assert not_checked_out(repo) == ()


RenameCase = Callable[[Path], None]


def moved(repo: Path) -> None:
    git(repo, "mv", "pkg/a.py", "pkg/b.py")


def moved_and_edited(repo: Path) -> None:
    git(repo, "mv", "pkg/a.py", "pkg/b.py")
    plant(repo, {"pkg/b.py": BODY.replace("line_3 ", "changed ")})


def moved_with_odd_names(repo: Path) -> None:
    git(repo, "mv", "pkg/a.py", "pkg/new\n\tname.py")


def moved_in_from_outside(repo: Path) -> None:
    git(repo, "mv", "out.py", "pkg/in.py")


def moved_away(repo: Path) -> None:
    git(repo, "mv", "pkg/a.py", "a.py")


def rewritten(repo: Path) -> None:
    git(repo, "mv", "pkg/a.py", "pkg/b.py")
    plant(repo, {"pkg/b.py": "nothing = 'alike'\n" * 30})


def edited(repo: Path) -> None:
    plant(repo, {"pkg/a.py": BODY + "more = 1\n"})


def copied(repo: Path) -> None:
    plant(repo, {"pkg/b.py": BODY})


@pytest.mark.parametrize(
    ("change", "found"),
    [
        pytest.param(moved, {"b.py": "a.py"}, id="moved"),
        pytest.param(moved_and_edited, {"b.py": "a.py"}, id="moved-and-edited"),
        pytest.param(moved_with_odd_names, {"new\n\tname.py": "a.py"}, id="odd-names"),
        pytest.param(moved_in_from_outside, {}, id="from-outside"),
        pytest.param(moved_away, {}, id="to-outside"),
        pytest.param(rewritten, {}, id="rewritten"),
        pytest.param(edited, {}, id="edited"),
        pytest.param(copied, {}, id="copied"),
    ],
)
def test_renames(tmp_path: Path, change: RenameCase, found: dict[str, str]) -> None:
    repo = make_repository(tmp_path, {"pkg/a.py": BODY, "out.py": BODY.replace("line", "other")})
    git(repo, "config", "diff.renames", "false")
    git(repo, "config", "diff.relative", "true")
    change(repo)
    git(repo, "add", "-A")
    assert renames(repo, "HEAD", prefix="pkg") == found
    assert renames(repo, "HEAD", prefix="pkg", staged=True) == found
    commit(repo)
    assert renames(repo, "HEAD~1", "HEAD", prefix="pkg") == found
    assert renames(repo, "HEAD", prefix="pkg") == {}


def test_renames_of_a_whole_repository(tmp_path: Path) -> None:
    repo = make_repository(tmp_path, {"pkg/a.py": BODY})
    git(repo, "mv", "pkg/a.py", "b.py")
    assert renames(repo, "HEAD") == {"b.py": "pkg/a.py"}


def test_hooks_of_another_repository_do_not_lead_astray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = make_repository(tmp_path / "repo", {"a.py": "1"})
    other = make_repository(tmp_path / "other", {"b.py": "2"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_PREFIX", "x/")
    assert [item.path for item in index_items(repo)] == ["a.py"]
    assert [item.path for item in tree_items(repo, "HEAD")] == ["a.py"]


@pytest.mark.parametrize("relative", [False, True])
def test_the_index_of_a_hook_is_the_one_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, relative: bool
) -> None:
    """`git commit -a` and `git commit PATH` make the commit from an index of their own."""
    repo = make_repository(tmp_path, {"a.py": "1"})
    plant(repo, {"b.py": "2"})
    (repo / ".git/next-index-1.lock").write_bytes((repo / ".git/index").read_bytes())
    git(repo, "add", "b.py")
    monkeypatch.chdir(repo)
    assert [item.path for item in index_items(repo)] == ["a.py", "b.py"]
    index = Path(".git/next-index-1.lock")
    monkeypatch.setenv("GIT_INDEX_FILE", str(index if relative else index.absolute()))
    assert [item.path for item in index_items(repo)] == ["a.py"]


def test_the_index_of_a_hook_in_a_linked_work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = make_repository(tmp_path / "repo", {"a.py": "1"})
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    own = repo / ".git/worktrees/tree"
    (own / "next").write_bytes((own / "index").read_bytes())
    plant(tree, {"b.py": "2"})
    git(tree, "add", "b.py")
    monkeypatch.setenv("GIT_DIR", str(own))
    monkeypatch.setenv("GIT_INDEX_FILE", str(own / "next"))
    assert [item.path for item in index_items(tree)] == ["a.py"]
    assert [item.path for item in index_items(repo)] == ["a.py"]
    monkeypatch.setenv("GIT_INDEX_FILE", str(own / "index"))
    assert [item.path for item in index_items(tree)] == ["a.py", "b.py"]
    assert [item.path for item in index_items(repo)] == ["a.py"]
