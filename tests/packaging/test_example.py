"""The small engine tree: what `make run` shows, and that its committed baselines and picture are of today."""

from __future__ import annotations

import html
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "engine"

SHOWN = """\
A small engine tree, and the committed baselines of its old call sites.

$ ratchet check
borrowed-config-read   1 →  1
global-config-read     2 →  2
server-args-copy       1 →  1
server-args-override   3 →  3
server-args-write      1 →  1
supplied-config-read  10 → 10
53 files discovered, 10 analysed, 43 judged by their bytes, 0 not judged
check: clean (T s)
$ echo $?
0

Now sglang/srt/models/moe.py asks the old record for a value, as it should not any more:

    + if get_server_args().disable_overlap_schedule:

$ ratchet check
sglang/srt/models/moe.py:11:12: new global-config-read in MoeModel.forward
    if get_server_args().disable_overlap_schedule:
       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    instead: Read the field off its namespace: get_parallel().dp_size, get_exec().moe.moe_a2a_backend.
why global-config-read: get_server_args() hands the whole record of some 500 fields to anyone, so
    that nobody can say which process needs which of them, and a value that is overridden later is
    read or missed by luck.
rewrite: ratchet migrate --namespace exec.overlap

borrowed-config-read   1 →  1
global-config-read     2 →  3  +1
server-args-copy       1 →  1
server-args-override   3 →  3
server-args-write      1 →  1
supplied-config-read  10 → 10
53 files discovered, 11 analysed, 42 judged by their bytes, 0 not judged
check: failed: 1 new site (T s)
$ echo $?
1

As it should be: 0 before, 1 after. The scratch copy is removed.
"""


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder with their bytes, without what the interpreter leaves."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_what_make_run_shows(tmp_path: Path) -> None:
    before = contents(EXAMPLE)
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "demo.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.sub(r"\(\d+\.\d+ s\)", "(T s)", done.stdout) == SHOWN, done.stderr
    assert done.returncode == 0
    assert contents(EXAMPLE) == before
    assert list(tmp_path.iterdir()) == []


def words(svg: str) -> str:
    """The text of a picture, without its marks and with single spaces."""
    drawn = re.sub(r"<style>.*?</style>", "", svg, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", drawn)).split())


@pytest.fixture(scope="module")
def drawn() -> str:
    """The picture that the README shows, drawn again."""
    picture: str = runpy.run_path(str(ROOT / "docs" / "screenshot.py"))["example"]()
    return picture


def test_the_picture_is_of_today(drawn: str) -> None:
    assert words((ROOT / "docs" / "check.svg").read_text(encoding="utf-8")) == words(drawn)


def test_the_picture_names_the_added_site(drawn: str) -> None:
    assert "sglang/srt/models/moe.py:11:12: new global-config-read in MoeModel.forward" in words(drawn)
