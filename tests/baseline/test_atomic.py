"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ratchet.atomic import write_file, write_files
from ratchet.errors import JudgeError


def test_new_file_and_folder(tmp_path: Path) -> None:
    write_file(tmp_path / "a" / "b" / "c.tsv", b"new\r\n")
    assert (tmp_path / "a" / "b" / "c.tsv").read_bytes() == b"new\r\n"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.tsv"]


@pytest.mark.parametrize("mode", [0o640, 0o755, 0o444], ids=["private", "executable", "read-only"])
def test_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_file(path, b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", mode)


def test_new_file_follows_the_umask(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_file(tmp_path / "a", b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_link_goes_on_pointing(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_name_as_long_as_the_system_allows(tmp_path: Path) -> None:
    write_file(tmp_path / ("n" * 255), b"new")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"new"


def test_open_reader_keeps_the_old_text(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_file(path, b"new")
        assert reader.read() == b"old"


def test_nothing_changes_where_one_cannot_be_staged(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(JudgeError) as error:
        write_files({tmp_path / "a": b"new", tmp_path / "file" / "b": b"new"})
    assert str(error.value) == (
        f"{tmp_path}/file/b could not be written (File exists) and is as it was before:"
        " make room or set its permissions, then run the same command again"
    )
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="file size limits are a matter of POSIX")
def test_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    """The system itself refuses to write more than 100 bytes, in a process of its own."""
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").write_bytes(b"old")
    code = """
import resource, signal, sys
from pathlib import Path
from ratchet.atomic import write_files
from ratchet.errors import JudgeError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
folder = Path(sys.argv[1])
try:
    write_files({folder / "a": b"new", folder / "b": b"n" * 101})
except JudgeError as error:
    print(error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout == (
        f"{tmp_path}/b could not be written (File too large) and is as it was before:"
        " make room or set its permissions, then run the same command again\n"
    )
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a": b"old", "b": b"old"}
