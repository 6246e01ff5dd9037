"""The files of a commit and of the index are those that a checkout of it would show."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from ratchet.errors import JudgeError
from ratchet.model import Problem
from ratchet.source.blob import blob_id
from ratchet.source.entries import Entry, Source
from ratchet.source.objects import GitFiles, git_index, git_tree
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree
from tests.source.scratch import commit, git, make_repository, plant

FILES: dict[str, str | bytes] = {
    "pkg/a.py": "a = 1\n",
    "pkg/b.txt": "b",
    "pkg/sub/c.py": b"\xff\r\n\0",
    "pkg/empty.py": "",
    "pkg/.hidden/d.py": "",
    "pkg/env/pyvenv.cfg": "home = /usr/bin\n",
    "pkg/env/lib/e.py": "",
    "pkg/gen/f.py": "",
    "pkg/own/pyvenv.cfg": "",
    "pkg/own/h.py": "",
    "pkg/with space.py": "w",
    "pkg/new\n\tline.py": "n",
    "pkgs/g.py": "",
    "top.py": "t",
}


def contents(source: Source) -> dict[str, bytes | Problem]:
    found = {entry.path: source.read(entry.path) for entry in source.entries()}
    source.close()
    return found


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    repo = make_repository(tmp_path / "repo", FILES)
    name = os.fsdecode(os.fsencode(repo / "pkg") + b"/caf\xe9.py")
    Path(name).write_bytes(b"x\n")
    commit(repo)
    return repo


@pytest.mark.parametrize("prefix", ["", "pkg", "pkg/sub"])
@pytest.mark.parametrize("excludes", [(), ("gen", "pkg/gen")], ids=["all", "excludes"])
def test_the_same_files_as_in_a_checkout(repo: Path, prefix: str, excludes: tuple[str, ...]) -> None:
    tree = WorkTree.open(repo / prefix, excludes)
    for source in (git_tree(repo, "HEAD", prefix, excludes), git_index(repo, prefix, excludes)):
        assert [entry.path for entry in source.entries()] == [entry.path for entry in tree.entries()]
        assert contents(source) == contents(tree)
        assert source.listing.excluded == tree.listing.excluded
        assert source.listing.problems == ()


def test_blob_ids_are_known_without_reading(repo: Path) -> None:
    found = contents(git_tree(repo, "HEAD", "pkg"))
    expected = [Entry(path, None, blob_id(data)) for path, data in found.items() if isinstance(data, bytes)]
    assert list(git_tree(repo, "HEAD", "pkg").entries()) == expected


def test_old_commits_and_staged_files(repo: Path) -> None:
    plant(repo, {"pkg/a.py": "a = 2\n", "pkg/new.py": "n = 1\n", "pkg/untracked.py": ""})
    git(repo, "add", "pkg/a.py", "pkg/new.py")
    plant(repo, {"pkg/a.py": "a = 3\n"})
    source = git_index(repo, "pkg")
    assert [source.read(path) for path in ("a.py", "new.py")] == [b"a = 2\n", b"n = 1\n"]
    assert source.read("untracked.py") == Problem(
        "untracked.py", 0, "cannot be read: git holds no such file here"
    )
    source.close()
    old = git_tree(repo, "HEAD~1", "pkg")
    assert old.read("a.py") == b"a = 1\n"
    assert "caf\udce9.py" not in [entry.path for entry in old.entries()]
    old.close()


def test_a_commit_that_is_missing(repo: Path) -> None:
    with pytest.raises(JudgeError, match=r"there is no commit `v1` in .*; run `git fetch --all`"):
        git_tree(repo, "v1")


def test_a_prefix_that_the_commit_lacks(repo: Path) -> None:
    assert git_tree(repo, "HEAD", "nowhere").entries() == ()


def test_unmerged_files_are_problems(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "branch")
    plant(repo, {"pkg/a.py": "a = 'branch'\n", "pkg/gen/f.py": "x"})
    commit(repo)
    git(repo, "checkout", "-q", "main")
    plant(repo, {"pkg/a.py": "a = 'main'\n", "pkg/gen/f.py": "y"})
    commit(repo)
    git(repo, "merge-file", "pkg/a.py", "pkg/a.py", "pkg/a.py")
    with pytest.raises(Exception, match="merge"):
        git(repo, "merge", "branch")
    source = git_index(repo, "pkg", ["gen"])
    assert source.listing.problems == (Problem("a.py", 0, "is not merged: resolve it and `git add` it"),)
    assert "a.py" not in [entry.path for entry in source.entries()]


def test_submodules_are_noted(repo: Path, tmp_path: Path) -> None:
    sub = make_repository(tmp_path / "sub", {"s.py": ""})
    git(repo, "submodule", "add", "-q", str(sub), "pkg/sub2")
    git(repo, "submodule", "add", "-q", str(sub), "pkg/gen2")
    source = git_index(repo, "pkg", ["gen2"])
    assert source.listing.notes == ("sub2 is a submodule, whose files are not read here",)
    assert "sub2/s.py" not in [entry.path for entry in source.entries()]
    own = git_tree(repo / "pkg/sub2", "HEAD")
    assert contents(own) == {"s.py": b""}


OUTSIDE = (
    "is a link to a folder outside of the source root, which is not read: exclude it with a reason, or make "
    "that folder a tree of the configuration"
)
HIDDEN = "is a link to a hidden folder, which is not read: exclude it with a reason"
AWAY = OUTSIDE.replace("to a folder outside of the source root", "out of the repository")
NOWHERE = "is a link that leads nowhere in the repository"


@pytest.mark.parametrize(
    ("link", "target", "found", "problem"),
    [
        pytest.param("l.py", "a.py", None, None, id="a-file-inside-counts-once"),
        pytest.param("sub/l.py", "../a.py", None, None, id="inside-from-a-folder"),
        pytest.param("l.py", "../top.py", b"t", None, id="a-file-outside-is-read"),
        pytest.param("l.py", ".hidden/d.py", b"", None, id="a-file-left-out-is-read"),
        pytest.param("l.py", "b.txt", b"b", None, id="a-file-of-another-name"),
        pytest.param("l", "sub", None, None, id="a-folder-inside"),
        pytest.param("l", "..", None, OUTSIDE, id="the-folder-above"),
        pytest.param("l", "../pkgs", None, OUTSIDE, id="a-folder-outside"),
        pytest.param("l", ".hidden", None, HIDDEN, id="a-hidden-folder"),
        pytest.param("l", "gen", None, None, id="an-excluded-folder"),
        pytest.param("l", "/usr/lib", None, AWAY, id="a-folder-out-of-the-repository"),
        pytest.param("l", "../../lib", None, AWAY, id="a-folder-beside-the-repository"),
        pytest.param("l-1", "../../lib", None, None, id="a-name-that-cannot-be-imported"),
        pytest.param("l.py", "gone.py", None, NOWHERE, id="broken"),
        pytest.param("l.py", "/etc/passwd", None, NOWHERE, id="absolute"),
        pytest.param("l.py", "../../../etc/passwd", None, NOWHERE, id="out-of-the-repository"),
        pytest.param("l.py", "l.py", None, NOWHERE, id="loop"),
        pytest.param("l.txt", "gone", None, None, id="no-python"),
        pytest.param("gen/l.py", "gone.py", None, None, id="excluded"),
        pytest.param(".hidden/l.py", "gone.py", None, None, id="hidden"),
    ],
)
def test_links(repo: Path, link: str, target: str, found: bytes | None, problem: str | None) -> None:
    (repo / "pkg" / link).symlink_to(target)
    commit(repo)
    source = git_tree(repo, "HEAD", "pkg", ["gen"])
    assert contents(source).get(link) == found
    assert source.listing.problems == (() if problem is None else (Problem(link, 0, problem),))


def test_links_to_links(repo: Path) -> None:
    (repo / "one.py").symlink_to("top.py")
    (repo / "pkg/two.py").symlink_to("../one.py")
    commit(repo)
    assert contents(git_tree(repo, "HEAD", "pkg"))["two.py"] == b"t"


def test_a_missing_object_is_a_problem(repo: Path) -> None:
    blob = blob_id(b"a = 1\n")
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    source = git_tree(repo, "HEAD", "pkg")
    told = f"cannot be read: its content {blob} is missing from the repository"
    assert source.read("a.py") == Problem("a.py", 0, told)
    assert source.read("with space.py") == b"w"
    source.close()


def test_a_reader_that_died_is_told_and_starts_again(repo: Path) -> None:
    source = git_tree(repo, "HEAD", "pkg")
    assert source.read("a.py") == b"a = 1\n"
    process = source._reader._process
    assert process is not None
    process.kill()
    process.wait()
    with pytest.raises(JudgeError) as refusal:
        source.read("a.py")
    assert str(refusal.value) == f"git stopped while objects of {repo} were read; run `git fsck` there"
    assert source.read("a.py") == b"a = 1\n"
    source.close()


def test_a_copy_in_another_process_reads_by_itself(repo: Path) -> None:
    source = git_tree(repo, "HEAD", "pkg")
    source.read("a.py")
    copy: GitFiles = pickle.loads(pickle.dumps(source))
    assert copy.listing == source.listing
    assert copy.read("a.py") == b"a = 1\n"
    copy.close()
    child = os.fork()
    if not child:
        os._exit(0 if source.read("with space.py") == b"w" else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert source.read("a.py") == b"a = 1\n"
    source.close()


@pytest.mark.parametrize(
    ("contents_on_top", "listed"),
    [
        pytest.param({"a.py": b"new"}, ["a.py", "b.py"], id="in-place-of-a-file"),
        pytest.param({"aa.py": b"new"}, ["a.py", "aa.py", "b.py"], id="a-new-file-in-order"),
        pytest.param({"pipe.py": b"new"}, ["a.py", "b.py", "pipe.py"], id="in-place-of-a-problem"),
        pytest.param({}, ["a.py", "b.py"], id="nothing"),
    ],
)
def test_overlay(tmp_path: Path, contents_on_top: dict[str, bytes], listed: list[str]) -> None:
    plant(tmp_path, {"a.py": "a", "b.py": "b"})
    os.mkfifo(tmp_path / "pipe.py")
    below = WorkTree.open(tmp_path)
    source = Overlay(below, contents_on_top)
    assert [entry.path for entry in source.entries()] == listed
    assert [problem.path for problem in source.listing.problems] == sorted({"pipe.py"} - set(contents_on_top))
    expected: dict[str, bytes | Problem] = {"a.py": b"a", "b.py": b"b", **contents_on_top}
    assert contents(source) == expected
    for entry in source.entries():
        if entry.path in contents_on_top:
            assert entry == Entry(entry.path, None, blob_id(b"new"))
        else:
            assert entry in below.entries()
