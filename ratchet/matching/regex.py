"""Facts about regular expressions: whether they compile, which words they need, whether they can run away."""

from __future__ import annotations

import re


def regex_fault(regex: str) -> str | None:
    """Why a regular expression does not compile, None where it does."""
    try:
        compiled = re.compile(regex, re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return "it matches the empty string, which is everywhere" if compiled.search("") else None
