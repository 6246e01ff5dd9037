"""The files of a folder on disk: which are found, which are left out, and which cannot be read."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ratchet.errors import JudgeError
from ratchet.model import Problem
from ratchet.source.worktree import WorkTree
from tests.source.scratch import plant, powerless

OUTSIDE = (
    "is a link to a folder outside of the source root, which is not read: exclude it with a reason, or make "
    "that folder a tree of the configuration"
)
HIDDEN = "is a link to a hidden folder, which is not read: exclude it with a reason"
NOWHERE = "is a link that leads nowhere: "


def paths(tree: WorkTree) -> list[str]:
    return [entry.path for entry in tree.entries()]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param(["b.py", "a.py", "c/d.py"], ["a.py", "b.py", "c/d.py"], id="sorted"),
        pytest.param(["a/b.py", "a.py", "a-b.py"], ["a-b.py", "a.py", "a/b.py"], id="sorted-by-text"),
        pytest.param(["a.txt", "b.pyi", "c.pyc", "d.PY", "py"], [], id="other-files"),
        pytest.param([".hidden/a.py", "x/.git/b.py", "c.py"], ["c.py"], id="hidden-folders"),
        pytest.param([".hidden.py"], [".hidden.py"], id="a-hidden-file-is-found"),
        pytest.param(["__pycache__/a.py", "x/__pycache__/b.py"], [], id="bytecode-folders"),
        pytest.param(["env/pyvenv.cfg", "env/lib/a.py", "b.py"], ["b.py"], id="virtual-environments"),
        pytest.param(["x/env/pyvenv.cfg", "x/env/a.py"], [], id="nested-virtual-environments"),
        pytest.param(["pyvenv.cfg", "a.py"], ["a.py"], id="the-root-itself-is-never-left-out"),
        pytest.param(["with space.py", "new\nline.py", "tab\t.py"], None, id="odd-names"),
        pytest.param(["x.py/y.py"], ["x.py/y.py"], id="a-folder-named-like-a-file"),
        pytest.param(["empty/.keep"], [], id="empty-folders"),
    ],
)
def test_finds(tmp_path: Path, files: list[str], found: list[str] | None) -> None:
    tree = WorkTree.open(plant(tmp_path, dict.fromkeys(files, "home = /usr/bin\n")))
    assert paths(tree) == (sorted(files) if found is None else found)
    assert tree.listing.problems == ()


FILES = ["a.py", "gen/b.py", "gen/deep/c.py", "srt/gen/d.py", "srt/tokenizer_a.py", "srt/tokenizer_b/e.py"]


@pytest.mark.parametrize(
    ("excludes", "left_out", "unused"),
    [
        pytest.param(["gen"], ["gen/b.py", "gen/deep/c.py"], [], id="folder"),
        pytest.param(["gen/"], ["gen/b.py", "gen/deep/c.py"], [], id="folder-with-slash"),
        pytest.param(["gen/b.py"], ["gen/b.py"], [], id="file"),
        pytest.param(["gen/*.py"], ["gen/b.py"], [], id="star-stays-in-its-segment"),
        pytest.param(["**/gen"], ["gen/b.py", "gen/deep/c.py", "srt/gen/d.py"], [], id="any-depth"),
        pytest.param(["srt/tokenizer_*"], ["srt/tokenizer_a.py", "srt/tokenizer_b/e.py"], [], id="glob"),
        pytest.param(["?.py"], ["a.py"], [], id="question-mark"),
        pytest.param(["ge", "en", "b.py"], [], ["b.py", "en", "ge"], id="no-part-of-a-name"),
        pytest.param(["gen.*", "(a).py"], [], ["(a).py", "gen.*"], id="no-regular-expression"),
        pytest.param(["a.py", "nowhere"], ["a.py"], ["nowhere"], id="what-matches-nothing-is-known"),
    ],
)
def test_excludes(tmp_path: Path, excludes: list[str], left_out: list[str], unused: list[str]) -> None:
    tree = WorkTree.open(plant(tmp_path, dict.fromkeys(FILES, "")), excludes)
    assert sorted(set(FILES) - set(paths(tree))) == left_out
    assert sorted(set(excludes) - tree.listing.excluded) == unused


@pytest.mark.parametrize(
    ("only", "found"),
    [
        pytest.param(["a.py"], ["a.py"], id="file"),
        pytest.param(["gen"], ["gen/b.py", "gen/deep/c.py"], id="folder"),
        pytest.param([""], FILES, id="everything"),
        pytest.param(["gen", "gen/b.py", "gen/deep"], ["gen/b.py", "gen/deep/c.py"], id="each-once"),
        pytest.param([], [], id="nothing"),
        pytest.param(["gone.py", "a.py/x.py"], [], id="what-is-not-there"),
        pytest.param(["notes.txt"], [], id="no-python"),
        pytest.param([".hid/h.py", "env/v.py", "out/o.py", "out"], [], id="left-out-all-the-same"),
    ],
)
def test_only(tmp_path: Path, only: list[str], found: list[str]) -> None:
    more = ["notes.txt", ".hid/h.py", "env/pyvenv.cfg", "env/v.py", "out/o.py"]
    tree = WorkTree.open(plant(tmp_path, dict.fromkeys([*FILES, *more], "home=/usr/bin")), ["out"], only)
    assert paths(tree) == found
    assert tree.listing.problems == ()


def test_only_sees_what_the_whole_walk_sees(tmp_path: Path) -> None:
    plant(tmp_path, {"x/a.py": "1", ".hid/b.py": "2", "c.py": "3"})
    (tmp_path / "x/link.py").symlink_to("a.py")
    (tmp_path / "x/hidden.py").symlink_to("../.hid/b.py")
    whole = WorkTree.open(tmp_path)
    assert paths(whole) == ["c.py", "x/a.py", "x/hidden.py"]
    parts = ["c.py", "x/a.py", "x/link.py", "x/hidden.py", ".hid/b.py"]
    found = [entry for part in parts for entry in WorkTree.open(tmp_path, (), [part]).entries()]
    assert sorted(found, key=lambda entry: entry.path) == list(whole.entries())


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py"))).write_bytes(b"x = 1\n")
    tree = WorkTree.open(tmp_path)
    assert paths(tree) == ["caf\udce9.py"]
    assert tree.read("caf\udce9.py") == b"x = 1\n"


def test_reads_what_is_there(tmp_path: Path) -> None:
    big = b"x" * (3 << 20)
    tree = WorkTree.open(plant(tmp_path, {"a.py": b"\xff\x00\r\n", "empty.py": b"", "big.py": big}))
    assert [tree.read(path) for path in ("a.py", "empty.py", "big.py")] == [b"\xff\x00\r\n", b"", big]


def test_signature_changes_with_the_content(tmp_path: Path) -> None:
    file = plant(tmp_path, {"a.py": "1"}) / "a.py"
    before = WorkTree.open(tmp_path).entries()
    assert WorkTree.open(tmp_path).entries() == before
    file.write_text("22")
    assert WorkTree.open(tmp_path).entries() != before


@pytest.mark.parametrize("root", ["missing", "file.py", "missing/deeper"])
def test_refuses_a_root_that_is_no_folder(tmp_path: Path, root: str) -> None:
    plant(tmp_path, {"file.py": ""})
    with pytest.raises(JudgeError) as refusal:
        WorkTree.open(tmp_path / root)
    told = f"{tmp_path / root}: there is no such folder; say where the tree is with --root"
    assert str(refusal.value) == told


def link_to_itself(root: Path) -> None:
    (root / "loop.py").symlink_to("loop.py")


def two_links_in_a_ring(root: Path) -> None:
    (root / "x.py").symlink_to("y.py")
    (root / "y.py").symlink_to("x.py")


def folder_in_itself(root: Path) -> None:
    (root / "pkg/again").symlink_to("..")


def link_inside(root: Path) -> None:
    (root / "twin.py").symlink_to("pkg/a.py")


def file_from_outside(root: Path) -> None:
    plant(root.parent, {"outside/b.py": "b = 1\n"})
    (root / "b.py").symlink_to("../outside/b.py")


def folder_from_outside(root: Path) -> None:
    plant(root.parent, {"outside/b.py": "b = 1\n"})
    (root / "other").symlink_to("../outside")


def environment_from_outside(root: Path) -> None:
    plant(root.parent, {"env/pyvenv.cfg": "version = 3\nHome=/usr/bin\n", "env/b.py": ""})
    (root / "venv").symlink_to("../env")


def hidden_link(root: Path) -> None:
    plant(root.parent, {"outside/b.py": ""})
    (root / ".cache").symlink_to("../outside")


def link_to_a_hidden_folder(root: Path) -> None:
    plant(root, {".hid/deep/b.py": ""})
    (root / "seen").symlink_to(".hid/deep")


def no_environment(root: Path) -> None:
    plant(root, {"env/pyvenv.cfg": "# home = /usr/bin\n", "env/b.py": ""})


def broken(root: Path) -> None:
    (root / "broken.py").symlink_to("nowhere")
    (root / "broken.txt").symlink_to("nowhere")


def lock_of_an_editor(root: Path) -> None:
    (root / ".#a.py").symlink_to("someone@host.1234")


def pipe(root: Path) -> None:
    os.mkfifo(root / "pipe.py")


def link_to_a_device(root: Path) -> None:
    (root / "device.py").symlink_to("/dev/zero")


def local_socket(root: Path) -> None:
    here = Path.cwd()
    os.chdir(root)  # the name of a socket may have 100 characters only
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket.py")
    finally:
        os.chdir(here)


@pytest.mark.parametrize(
    ("make", "found", "problems"),
    [
        pytest.param(link_to_itself, [], [("loop.py", "too many levels of symbolic links")], id="loop"),
        pytest.param(
            two_links_in_a_ring,
            [],
            [("x.py", "too many levels of symbolic links"), ("y.py", "too many levels of symbolic links")],
            id="ring",
        ),
        pytest.param(folder_in_itself, [], [], id="folder-in-itself"),
        pytest.param(link_inside, [], [], id="a-file-inside-counts-once"),
        pytest.param(file_from_outside, ["b.py"], [], id="a-file-outside-is-read"),
        pytest.param(folder_from_outside, [], [("other", OUTSIDE)], id="a-folder-outside-is-a-problem"),
        pytest.param(environment_from_outside, [], [], id="environment-outside"),
        pytest.param(hidden_link, [], [], id="hidden-link"),
        pytest.param(link_to_a_hidden_folder, [], [("seen", HIDDEN)], id="link-to-a-hidden-folder"),
        pytest.param(no_environment, ["env/b.py"], [], id="no-environment-without-home"),
        pytest.param(broken, [], [("broken.py", "no such file or directory")], id="broken"),
        pytest.param(lock_of_an_editor, [], [], id="editor-lock"),
        pytest.param(pipe, [], [("pipe.py", "is a named pipe, not a file")], id="pipe"),
        pytest.param(link_to_a_device, [], [("device.py", "is a device, not a file")], id="device"),
        pytest.param(local_socket, [], [("socket.py", "is a socket, not a file")], id="socket"),
    ],
)
def test_what_is_no_plain_file(
    tmp_path: Path, make: Callable[[Path], None], found: list[str], problems: list[tuple[str, str]]
) -> None:
    root = plant(tmp_path / "root", {"pkg/a.py": "a = 1\n"})
    make(root)
    tree = WorkTree.open(root)
    assert paths(tree) == sorted([*found, "pkg/a.py"])
    said = [(problem.path, problem.message.removeprefix(NOWHERE)) for problem in tree.listing.problems]
    assert said == problems
    for path, _ in problems:
        assert isinstance(tree.read(path), Problem)


def test_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert WorkTree.open(tmp_path).read("a.py") == Problem("a.py", 0, "is a named pipe, not a file")


def test_unreadable_files_and_folders() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = plant(Path(name), {"a.py": "1", "secret.py": "2", "locked/b.py": "3", "blind/c.py": "4"})
        root.chmod(0o755)
        (root / "secret.py").chmod(0)
        (root / "locked").chmod(0)
        (root / "blind").chmod(0o444)  # can be listed, not entered
        with powerless():
            tree = WorkTree.open(root)
            secret = tree.read("secret.py")
        for folder in ("locked", "blind"):
            (root / folder).chmod(0o755)
    assert paths(tree) == ["a.py", "secret.py"]
    assert tree.listing.problems == (
        Problem("blind/c.py", 0, "cannot be read: permission denied"),
        Problem("locked", 0, "cannot be listed: permission denied"),
    )
    assert secret == Problem("secret.py", 0, "cannot be read: permission denied")


def test_a_missing_file_is_a_problem(tmp_path: Path) -> None:
    missing = Problem("x.py", 0, "cannot be read: no such file or directory")
    assert WorkTree.open(tmp_path).read("x.py") == missing


def test_a_file_that_keeps_changing_is_a_problem(tmp_path: Path) -> None:
    """Another thread appends all the time; a read gives a whole state or says that there is none."""
    file = tmp_path / "a.py"
    file.write_bytes(b"#" * (8 << 20))
    stop = threading.Event()

    def append() -> None:
        with file.open("ab") as stream:
            while not stop.is_set():
                stream.write(b"#")
                stream.flush()

    writer = threading.Thread(target=append)
    changing = Problem("a.py", 0, "changed while it was read; run again")
    tree = WorkTree.open(tmp_path)
    writer.start()
    try:
        found = [tree.read("a.py")]
        while found[-1] != changing and len(found) < 2_000:  # until a read and a write fall together
            found.append(tree.read("a.py"))
    finally:
        stop.set()
        writer.join()
    assert changing in found
    assert all(read == changing or (isinstance(read, bytes) and not read.strip(b"#")) for read in found)
    assert isinstance(tree.read("a.py"), bytes)
