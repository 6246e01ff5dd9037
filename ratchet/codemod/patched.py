"""Names that texts spell out: `patch("package.module.name")` replaces them when the code runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ratchet.model import Problem, ReadFile

Texts = Mapping[str, str]
"""By a dotted name: the first place in which a text names it, as `path:line`."""


def names_in_texts(package: str, paths: Iterable[str], read: ReadFile) -> Texts:
    """What the texts in some files name of a package: whole strings that are a dotted path.

    Files that cannot be read name nothing here: who reads them for other reasons says so.
    """
    path_in_text = re.compile(rb"""["'](%s(?:\.\w+){2,})["']""" % re.escape(package.encode()))
    found: dict[str, str] = {}
    for path in paths:
        data = read(path)
        if isinstance(data, Problem):
            continue
        for match in path_in_text.finditer(data):
            line = data.count(b"\n", 0, match.start()) + 1
            found.setdefault(match[1].decode(), f"{path}:{line}")
    return found
