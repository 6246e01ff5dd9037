"""Small engine trees out of one text: files behind `### path`, and sites marked where they are expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ratchet.frozen import replace
from ratchet.model import Site
from ratchet.session import Options, only_one, open_sessions
from ratchet.tally import Tally

_FILE = re.compile(r"^### (\S+)\n", re.MULTILINE)
_MARK = re.compile(r"#! ([a-z-]+(?: [a-z-]+)*)$")

Marks = set[tuple[str, int, str]]
"""Paths and lines with the rules that must count something there."""


def split(text: str) -> dict[str, str]:
    """The files of a tree, by their paths."""
    parts = _FILE.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def plant(root: Path, files: Mapping[str, str]) -> Path:
    """Write a tree under a folder."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return root


def marks(files: Mapping[str, str]) -> Marks:
    """What the marks in a tree expect."""
    return {
        (path, number, rule)
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (found := _MARK.search(line))
        for rule in found[1].split()
    }


def tally_of(
    root: Path, part: str | None = None, cache: Path | None = None, engine: str | None = None
) -> Tally:
    """What the flow rules of the shipped pack count in a tree, or in one file of it."""
    options = Options(
        root=root, packs=("sglang",), jobs=1, engine=engine, no_cache=cache is None, cache_dir=cache
    )
    with open_sessions(options, cwd=root) as sessions:
        session = only_one(sessions)
        rules = tuple(rule for rule in session.pack.rules if rule.kind == "flow")
        session = replace(session, rules=rules)
        if part is None:
            return session.count(session.tree(session.work_tree()))
        return session.count(session.part(session.work_tree([part])), session.work_tree)


def sites_of(tally: Tally) -> list[Site]:
    """All sites of a tally."""
    return [site for sites in tally.sites.values() for site in sites]


def found(tally: Tally) -> Marks:
    """What a tally counted, as marks say it."""
    return {(site.path, site.span.line, site.rule) for site in sites_of(tally)}
