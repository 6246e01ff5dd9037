"""Which files a rule looks at: inside of its paths, outside of exemptions that take in whole files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.model import Exemption, Rule


def files_of(rule: Rule, engine: str | None) -> Callable[[str], bool]:
    """Whether the rule counts anything in the file at a path, in a tree of this engine version."""
    entries = [entry for entry in rule.exempt if spans_files(entry) and engine_applies(entry.engines, engine)]
    inside = path_filter(rule.paths) if rule.paths else None
    outside = path_filter([path for entry in entries for path in entry.paths])
    return lambda path: (inside is None or inside(path)) and not outside(path)


def spans_files(entry: Exemption) -> bool:
    """Whether an entry takes in whole files, rather than scopes or fields."""
    return not entry.scopes and not entry.fields


def counted_files(rules: Iterable[Rule], engine: str | None) -> Callable[[str], bool]:
    """Whether any rule counts accesses, or what is made of them, in the file at a path."""
    looking = [
        files_of(rule, engine)
        for rule in rules
        if rule.kind in ("access", "copy", "flow") and engine_applies(rule.engines, engine)
    ]
    return lambda path: any(looks_at(path) for looks_at in looking)
