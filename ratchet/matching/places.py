"""Which files a rule looks at: inside of its paths, outside of exemptions that take in whole files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.model import Exemption, Rule

_MAGIC = frozenset("*?[")


def files_of(rule: Rule, engine: str | None) -> Callable[[str], bool]:
    """Whether the rule counts anything in the file at a path, in a tree of this engine version."""
    entries = [entry for entry in rule.exempt if _applies(entry, engine)]
    inside = path_filter(rule.paths) if rule.paths else None
    outside = path_filter([path for entry in entries for path in entry.paths])
    return lambda path: (inside is None or inside(path)) and not outside(path)


def spans_files(entry: Exemption) -> bool:
    """Whether an entry takes in whole files, rather than scopes or fields."""
    return not entry.scopes and not entry.fields


def common_exemptions(rules: Iterable[Rule], engine: str | None) -> tuple[str, ...]:
    """The files and folders whose accesses no rule counts: each rule exempts them, or looks elsewhere."""
    looking = [
        rule
        for rule in rules
        if rule.kind in ("access", "copy", "flow", "role") and engine_applies(rule.engines, engine)
    ]
    exempt = [_exempt_paths(rule, engine) for rule in looking]
    shared = {
        path
        for path in set().union(*exempt)
        if all(path in own or _looks_elsewhere(rule, path) for rule, own in zip(looking, exempt, strict=True))
    }
    return tuple(sorted(shared))


def _exempt_paths(rule: Rule, engine: str | None) -> set[str]:
    entries = (entry for entry in rule.exempt if _applies(entry, engine))
    return {path for entry in entries for path in entry.paths if _MAGIC.isdisjoint(path)}


def _looks_elsewhere(rule: Rule, path: str) -> bool:
    """Whether a rule's own paths, all without wildcards, neither hold a path nor lie below it."""
    return bool(rule.paths) and all(
        _MAGIC.isdisjoint(own) and not _is_within(path, own) and not _is_within(own, path)
        for own in rule.paths
    )


def _is_within(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")


def _applies(entry: Exemption, engine: str | None) -> bool:
    return spans_files(entry) and engine_applies(entry.engines, engine)
