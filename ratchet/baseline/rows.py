"""Rows as a multiset of site identities, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ratchet.model import Baseline, Row

Key = tuple[str, str, str]


def counts_of(baseline: Baseline | None) -> Counter[Key]:
    """How many sites of each identity a baseline holds; no baseline holds none."""
    return Counter({row.key: row.count for row in baseline.rows} if baseline else {})


def sorted_rows(counts: Mapping[Key, int], reasons: Mapping[Key, str]) -> tuple[Row, ...]:
    """The rows of these counts, all of 1 or more, each with its reason where it has one."""
    return tuple(sorted(Row(*key, count, reasons.get(key, "")) for key, count in counts.items()))


def joined_reasons(first: str, second: str) -> str:
    """Two reasons as one, each part said once; either may be empty."""
    return "; ".join(filter(None, dict.fromkeys([*first.split("; "), *second.split("; ")])))
