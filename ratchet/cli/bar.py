"""The progress bar of a run: what the scan tells, shown on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ratchet.progress import Progress as Shown
    from ratchet.scan import Progress


class Bar:
    """Shows the files that are judged, once for every round of judging; nothing where no terminal is."""

    def __init__(self) -> None:
        self._shown: Shown | None = None

    def progress(self) -> Progress | None:
        """What the scan is to tell."""
        if not sys.stderr.isatty():
            return None
        from ratchet.scan import Progress

        return Progress(self._start, self._advance)

    def stop(self) -> None:
        """Take the bar away."""
        shown, self._shown = self._shown, None
        if shown is not None:
            shown.__exit__(None, None, None)

    def _start(self, total: int) -> None:
        from ratchet.progress import Progress as Shown

        self.stop()
        self._shown = Shown("judging files", total).__enter__()

    def _advance(self, steps: int) -> None:
        if self._shown is not None:
            self._shown.advance(steps)
