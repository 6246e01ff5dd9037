"""What the paths on a command line name in a tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ratchet.errors import UsageError
from ratchet.source.arguments import Arguments, resolve_paths
from ratchet.source.worktree import WorkTree
from tests.source.scratch import git, make_repository

FILES = ["pkg/a.py", "pkg/sub/b.py", "pkg/sub/c.txt", "docs/d.py", "pkgs/e.py"]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", dict.fromkeys(FILES, ""))


@pytest.mark.parametrize(
    ("cwd", "arguments", "found"),
    [
        pytest.param("", [], Arguments(("",)), id="none"),
        pytest.param("", ["pkg/a.py"], Arguments(("a.py",)), id="file"),
        pytest.param("", ["pkg/sub"], Arguments(("sub",)), id="folder"),
        pytest.param("", ["pkg/sub/", "./pkg//a.py"], Arguments(("a.py", "sub")), id="spelled-otherwise"),
        pytest.param("pkg/sub", ["b.py", "../a.py"], Arguments(("a.py", "sub/b.py")), id="from-a-folder"),
        pytest.param("docs", ["../pkg/a.py"], Arguments(("a.py",)), id="from-outside"),
        pytest.param("", ["pkg/a.py", "pkg/a.py"], Arguments(("a.py",)), id="twice"),
        pytest.param("", ["pkg"], Arguments(("",)), id="the-root"),
        pytest.param("", ["."], Arguments(("",)), id="around-the-root"),
        pytest.param("pkg/sub", ["."], Arguments(("sub",)), id="the-working-directory"),
        pytest.param(
            "", ["docs/d.py", "docs", "pkgs/e.py", "pkg/a.py"], Arguments(("a.py",), (), 3), id="outside"
        ),
        pytest.param("", ["docs/d.py"], Arguments((), (), 1), id="only-outside"),
        pytest.param("", ["pkg/sub/c.txt"], Arguments((), (), 1), id="no-python"),
        pytest.param("", ["/etc", "/etc/passwd"], Arguments((), (), 2), id="absolute"),
    ],
)
def test_resolves(repo: Path, cwd: str, arguments: list[str], found: Arguments) -> None:
    assert resolve_paths(arguments, repo / cwd, repo / "pkg") == found
    assert found.whole is ("" in found.paths)


def test_absolute_and_linked(repo: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repo)
    (repo / "pkg/twin.py").symlink_to("a.py")
    (repo / "pkg/outer.py").symlink_to("../docs/d.py")
    (repo / "pkg/broken.py").symlink_to("nowhere.py")
    root = link / "pkg"
    assert resolve_paths([str(repo / "pkg/a.py"), str(link / "pkg/sub")], tmp_path, root).paths == (
        "a.py",
        "sub",
    )
    assert resolve_paths(["pkg/a.py"], link, repo / "pkg").paths == ("a.py",)
    names = ["twin.py", "outer.py", "broken.py"]
    found = resolve_paths(names, link / "pkg", root)
    assert found == Arguments(("a.py", "broken.py", "nowhere.py", "outer.py", "twin.py"))
    tree = WorkTree.open(root, (), found.paths)
    assert [entry.path for entry in tree.entries()] == ["a.py", "outer.py"]
    assert [problem.path for problem in tree.listing.problems] == ["broken.py"]


def test_odd_names(repo: Path) -> None:
    names = ["with space.py", "new\nline.py", "caf\udce9.py", "-dash.py"]
    for name in names:
        Path(os.fsdecode(os.fsencode(repo / "pkg") + b"/" + os.fsencode(name))).write_bytes(b"")
    assert resolve_paths(names, repo / "pkg", repo / "pkg").paths == tuple(sorted(names))


def test_deleted_files_are_known_from_the_last_commit(repo: Path) -> None:
    for name in ("pkg/a.py", "pkg/sub/c.txt", "docs/d.py"):
        (repo / name).unlink()
    git(repo, "rm", "-q", "-r", "pkg/sub")
    given = ["pkg/a.py", "pkg/sub/b.py", "pkg/sub/c.txt", "docs/d.py", "pkgs/e.py"]
    assert resolve_paths(given, repo, repo / "pkg") == Arguments((), ("a.py", "sub/b.py"), 3)
    assert resolve_paths(["a.py"], repo / "pkg", repo / "pkg") == Arguments((), ("a.py",), 0)


@pytest.mark.parametrize(
    "argument", ["pkg/gone.py", "gone", "pkg/a.py/b.py", "../elsewhere.py", "pkg/new\n.py"]
)
def test_refuses_what_never_was(repo: Path, argument: str) -> None:
    with pytest.raises(UsageError) as refusal:
        resolve_paths(["pkg/a.py", argument], repo, repo / "pkg")
    shown = argument.replace("\n", "\\n")
    assert str(refusal.value) == f"{shown}: there is no such file or folder; correct the path"


@pytest.mark.parametrize("is_repository", [False, True])
def test_refuses_without_a_commit(tmp_path: Path, is_repository: bool) -> None:
    if is_repository:
        make_repository(tmp_path)
    with pytest.raises(UsageError, match=r"^gone\.py: there is no such file or folder"):
        resolve_paths(["gone.py"], tmp_path, tmp_path)
