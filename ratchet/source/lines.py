"""The lines of files, for what shows code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from ratchet.model import Problem
from ratchet.source.entries import Source
from ratchet.source.text import decode


def line_reader(source: Source) -> Callable[[str], Sequence[str]]:
    """A function that gives the lines of a file, none for one that cannot be read; each is read once."""

    @cache
    def read(path: str) -> Sequence[str]:
        data = source.read(path)
        text = data if isinstance(data, Problem) else decode(data, path)
        if isinstance(text, Problem):
            return ()
        # As the analysis counts them: only what Python takes for the end of a line ends one.
        return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    return read
