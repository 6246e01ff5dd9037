"""`scripts/surface.py` writes the surfaces of releases anew, all of them before any."""

from __future__ import annotations

import runpy
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
main: Callable[[list[str]], int] = runpy.run_path(str(SCRIPTS / "surface.py"), run_name="surface")["main"]
unpack: Callable[[Path, str, Path], None] = runpy.run_path(str(SCRIPTS / "sglang.py"), run_name="x")["unpack"]

# `Pool` is what `a` imports for itself, until `b` takes it from there; `seven` nobody takes from it.
OLD = {
    "sglang/__init__.py": "",
    "sglang/srt/a.py": "from sglang.srt.pool import Pool, seven\n\n\ndef old(x): ...\n",
    "sglang/srt/pool.py": "class Pool: ...\n\n\nseven = 7\n",
}
NEW = {
    **OLD,
    "sglang/srt/a.py": "from sglang.srt.pool import Pool, seven\n",
    "sglang/srt/b.py": "from .a import Pool\n",
}
HISTORY = """\
# ratchet surface 2
# packages sglang.srt
# engines 0.5.9 0.5.10
@fields\t*
.\t*
.a\t*
\tdef\t0.5.9\told
\tvia\t*\tPool
.b\t0.5.10
.pool\t*
\tdef\t*\tPool seven
"""


def wheel_of(folder: Path, version: str, files: dict[str, str]) -> Path:
    """A wheel of these files."""
    info = f"sglang-{version}.dist-info"
    metadata = f"Metadata-Version: 2.4\nName: sglang\nVersion: {version}\n"
    path = folder / f"sglang-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {
            f"{info}/WHEEL": "Wheel-Version: 1.0\n",
            f"{info}/METADATA": metadata,
            **files,
        }.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, text)
    return path


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    """A folder with the releases 0.5.9 and 0.5.10."""
    for version, files in (("0.5.9", OLD), ("0.5.10", NEW)):
        unpack(wheel_of(tmp_path, version, files), version, tmp_path / version)
    return tmp_path


def test_the_releases_are_read_together(trees: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = trees / "surface.tsv"
    assert main(["--file", str(file), str(trees), "0.5.10", "0.5.9"]) == 0
    assert file.read_text() == HISTORY
    assert capsys.readouterr().out == f"{file}: written, 2 releases from 0.5.9 to 0.5.10\n"
    assert main(["--file", str(file), str(trees)]) == 0
    assert capsys.readouterr().out == f"{file}: the same bytes, 2 releases from 0.5.9 to 0.5.10\n"


def test_a_check_writes_nothing(trees: Path) -> None:
    file = trees / "surface.tsv"
    file.write_text(HISTORY)
    assert main(["--check", "--file", str(file), str(trees)]) == 0
    (trees / "0.5.9" / "sglang" / "srt" / "pool.py").write_text("")
    assert main(["--check", "--file", str(file), str(trees)]) == 1
    assert file.read_text() == HISTORY


def test_what_is_missing_writes_nothing(trees: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = trees / "surface.tsv"
    assert main(["--file", str(file), str(trees), "no-version"]) == 1
    assert "there is no tree of no-version" in capfd.readouterr().err
    assert not file.exists()
