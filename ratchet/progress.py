"""A progress bar on the terminal of the standard error, for whatever takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 1.0
"""Seconds before a bar appears: a quick run shows none, and never imports rich."""

_INTERVAL = 0.1


class Progress:
    """A bar over `total` steps while the `with` block runs; nothing where `stream` is no terminal.

    The bar is drawn only from within `advance`, by the caller's own thread, so that a process can fork
    beside it.
    """

    def __init__(
        self,
        label: str,
        total: int,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label = label
        self._total = total
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._done = 0
        self._bar: Bar | None = None
        self._due = float("inf")

    def __enter__(self) -> Progress:
        if self._stream is not None and self._stream.isatty():
            self._due = self._clock() + PATIENCE
        return self

    def advance(self, steps: int = 1) -> None:
        """Say that so many further steps are done; draws at most ten times a second."""
        self._done += steps
        now = self._clock()
        if now >= self._due:
            self._due = now + _INTERVAL
            self._draw()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _draw(self) -> None:
        if self._bar is None:
            self._bar = _bar(self._stream)
            self._bar.add_task(self._label, total=self._total, completed=self._done)
            self._bar.start()
            return
        self._bar.update(self._bar.task_ids[0], completed=self._done, refresh=True)


def _bar(stream: TextIO) -> Bar:
    """A bar that vanishes when it stops, drawn without a thread of its own."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=stream),
        transient=True,
        auto_refresh=False,
    )
