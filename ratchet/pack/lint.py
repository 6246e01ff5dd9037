"""What is wrong with a pack that loads: what it would do to a run, or never do."""

from __future__ import annotations

from collections.abc import Iterator

from ratchet.matching.paths import path_filter
from ratchet.matching.places import spans_files
from ratchet.matching.regex import can_run_away
from ratchet.model import Pack, PatternMatch, Rule, TextMatch


def lint_pack(pack: Pack) -> tuple[str, ...]:
    """A sentence for each fault of a loaded pack; a pack that does not load tells its faults by itself."""
    return tuple(f"{rule.file}: {fault}" for rule in pack.rules for fault in _faults(rule))


def _faults(rule: Rule) -> Iterator[str]:
    for name, regex in _regexes(rule):
        if can_run_away(regex):
            yield f"{name} can run away on some texts: it repeats a repetition, as (a+)+ does"
    inside = path_filter(rule.paths)
    outside = path_filter([path for entry in rule.exempt if spans_files(entry) for path in entry.paths])
    for number, example in enumerate(rule.examples, 1):
        left_out = outside(example.path) or bool(rule.paths and not inside(example.path))
        if example.bad is not None and left_out:
            yield f"the bad example {number} is at {example.path}, where the rule does not look"


def _regexes(rule: Rule) -> Iterator[tuple[str, str]]:
    if isinstance(rule.match, TextMatch):
        yield "`regex`", rule.match.regex
    elif isinstance(rule.match, PatternMatch):
        yield from ((f"the test of ${hole}", regex) for hole, regex in rule.match.where)
