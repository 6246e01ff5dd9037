"""How many examples generated tests try: what finds faults fast, or with RATCHET_EXAMPLES more."""

from __future__ import annotations

import os


def times(number: int) -> int:
    """So many examples, times what the environment variable RATCHET_EXAMPLES says."""
    return number * int(os.environ.get("RATCHET_EXAMPLES", "1"))
