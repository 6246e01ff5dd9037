"""`scripts/sglang.py` unpacks the package of the right wheel, and nothing that an archive smuggles in."""

from __future__ import annotations

import runpy
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "sglang.py"
NAMES = runpy.run_path(str(SCRIPT), run_name="sglang_script")
unpack: Callable[[Path, str, Path], None] = NAMES["unpack"]
main: Callable[[list[str]], int] = NAMES["main"]

INFO = "sglang-0.5.17.dist-info"
WHEEL = {
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\n",
    f"{INFO}/METADATA": "Metadata-Version: 2.4\nName: sglang\nVersion: 0.5.17\n",
    "sglang/__init__.py": "",
    "sglang/srt/engine.py": "x = 1\n",
}


def wheel_with(folder: Path, files: dict[str, str], mode: int = 0) -> Path:
    """An archive of these files; `mode` is the kind and permissions of the last one."""
    path = folder / "sglang-0.5.17-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (mode if name == list(files)[-1] else stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, text)
    return path


def files_below(folder: Path) -> list[str]:
    """The files of a folder, sorted."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("more", "unpacked"),
    [
        pytest.param({}, ["sglang/__init__.py", "sglang/srt/engine.py"], id="the-package"),
        pytest.param(
            {"sglang/data/x.json": "{}"},
            ["sglang/__init__.py", "sglang/data/x.json", "sglang/srt/engine.py"],
            id="its-data",
        ),
        pytest.param(
            {"tools/run.py": "", "sglang-0.5.17.data/scripts/x": ""},
            ["sglang/__init__.py", "sglang/srt/engine.py"],
            id="nothing-beside-it",
        ),
    ],
)
def test_unpacks(tmp_path: Path, more: dict[str, str], unpacked: list[str]) -> None:
    unpack(wheel_with(tmp_path, WHEEL | more), "0.5.17", tmp_path / "tree")
    assert files_below(tmp_path / "tree") == unpacked


@pytest.mark.parametrize(
    ("files", "mode", "told"),
    [
        pytest.param({"sglang/../../evil.py": ""}, 0, "unsafe name", id="parent-folder"),
        pytest.param({"sglang//etc/evil.py": ""}, 0, "unsafe name", id="empty-part"),
        pytest.param({"sglang/./evil.py": ""}, 0, "unsafe name", id="dot"),
        pytest.param({"sglang/C:evil.py": ""}, 0, "unsafe name", id="drive"),
        pytest.param({"sglang/link.py": "/etc/passwd"}, stat.S_IFLNK | 0o777, "no regular file", id="link"),
        pytest.param({"sglang/pipe.py": ""}, stat.S_IFIFO | 0o644, "no regular file", id="pipe"),
        pytest.param({f"{INFO}/METADATA": "Name: sglang\nVersion: 0.5.16\n"}, 0, "not the wheel", id="other"),
        pytest.param({f"{INFO}/WHEEL": "a text\n"}, 0, "not the wheel", id="no-wheel"),
    ],
)
def test_refuses(tmp_path: Path, files: dict[str, str], mode: int, told: str) -> None:
    kept = {name: text for name, text in WHEEL.items() if name not in files}
    with pytest.raises(ValueError, match=told):
        unpack(wheel_with(tmp_path, kept | files, mode), "0.5.17", tmp_path / "tree")


def test_refuses_what_is_no_archive(tmp_path: Path) -> None:
    page = tmp_path / "page.whl"
    page.write_text("<html>")
    with pytest.raises(zipfile.BadZipFile):
        unpack(page, "0.5.17", tmp_path / "tree")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param([], id="none"),
        pytest.param(["0.5.17"], id="no-folder"),
    ],
)
def test_refuses_arguments(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: ")


AGAIN = "look at the version and the network, then run `make sglang VERSION=0.5.17`"


@pytest.mark.parametrize(
    "version",
    [
        pytest.param("bad", id="a-word"),
        pytest.param("", id="nothing"),
        pytest.param("../0.5.17", id="a-path"),
        pytest.param("--index-url=http://x", id="an-option"),
    ],
)
def test_refuses_what_is_no_version(version: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([version, "x"]) == 2
    assert capsys.readouterr().err == f"{version!r} is no version of SGLang: {AGAIN}\n"


@pytest.mark.parametrize(
    ("pip", "told"),
    [
        pytest.param(
            "import sys; sys.stderr.write('ERROR: one\\nERROR: no such release\\n'); sys.exit(1)",
            "pip says 'no such release'",
            id="refused",
        ),
        pytest.param("import sys; sys.exit(7)", "pip says 'exit code 7'", id="silent"),
        pytest.param("pass", "pip left 0 wheels, not one", id="nothing-left"),
    ],
)
def test_a_release_that_cannot_be_fetched_is_one_sentence(
    pip: str, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(main.__globals__, "PIP", ("-c", pip))
    assert main(["9.9.9", str(tmp_path)]) == 1
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", f"SGLang 9.9.9 could not be fetched, {told}: {AGAIN}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = tmp_path / "0.5.17" / "sglang"
    tree.mkdir(parents=True)
    assert main(["0.5.17", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tree}\n"
