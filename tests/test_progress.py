"""The progress bar: on a terminal, after a second, and otherwise not at all."""

from __future__ import annotations

import re
import subprocess
import sys
from io import StringIO
from itertools import groupby

import pytest

from ratchet.progress import Progress

ANSI = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def drawn(stream: StringIO, times: tuple[float, ...]) -> str:
    clock = Clock()
    with Progress("reading files", 20, stream, clock) as progress:
        for clock.now in times:
            progress.advance(5)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def counts(out: str) -> list[str]:
    """The numbers that a bar showed, one after the other."""
    return [count for count, _ in groupby(re.findall(r"(\d+/20)", ANSI.sub("", out)))]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        pytest.param((0.5, 1.5), ["10/20"], id="after a second, with what was done before"),
        pytest.param((1.5, 1.55, 1.7), ["5/20", "15/20"], id="at most ten times a second"),
    ],
)
def test_draws(times: tuple[float, ...], expected: list[str]) -> None:
    out = drawn(Terminal(), times)
    assert "reading files" in out
    assert counts(out) == expected


@pytest.mark.parametrize(
    ("stream", "times"),
    [
        pytest.param(Terminal(), (0.1, 0.5, 0.99), id="done within a second"),
        pytest.param(Terminal(), (), id="no step"),
        pytest.param(StringIO(), (0.5, 1.5, 99.0), id="no terminal"),
    ],
)
def test_stays_silent(stream: StringIO, times: tuple[float, ...]) -> None:
    assert drawn(stream, times) == ""


def test_the_bar_vanishes_and_the_cursor_comes_back_when_the_block_fails() -> None:
    stream = Terminal()
    clock = Clock()

    def interrupted() -> None:
        with Progress("x", 2, stream, clock) as progress:
            clock.now = 2.0
            progress.advance()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stream.getvalue().endswith("\x1b[2K")
    assert stream.getvalue().count("\x1b[?25l") == stream.getvalue().count("\x1b[?25h") == 1


def test_rich_is_not_imported_before_a_bar_is_drawn() -> None:
    code = (
        "import sys\nfrom ratchet.progress import Progress\n"
        "with Progress('x', 3) as progress:\n    progress.advance()\n"
        "sys.exit('rich' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
