"""What is wrong with a pack that loads: what it would do to a run, or never do."""

from __future__ import annotations

from collections.abc import Iterator

from ratchet.matching.paths import path_filter
from ratchet.matching.places import spans_files
from ratchet.model import Pack, Rule


def lint_pack(pack: Pack) -> tuple[str, ...]:
    """A sentence for each fault of a loaded pack; a pack that does not load tells its faults by itself."""
    return tuple(f"{rule.file}: {fault}" for rule in pack.rules for fault in _faults(rule))


def _faults(rule: Rule) -> Iterator[str]:
    inside = path_filter(rule.paths)
    outside = path_filter([path for entry in rule.exempt if spans_files(entry) for path in entry.paths])
    for number, example in enumerate(rule.examples, 1):
        left_out = outside(example.path) or bool(rule.paths and not inside(example.path))
        if example.bad is not None and left_out:
            yield f"the bad example {number} is at {example.path}, where the rule does not look"
