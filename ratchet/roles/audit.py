"""What record mode wrote down: which namespaces the processes of each role were seen to read.

One JSON object a line, as the vendored runtime writes it: `role` and `namespace`, null where the role
published. Lines of two words, `ROLE NAMESPACE` with `-` for a publish, are read as well. Files are merged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from ratchet.errors import UsageError

_PUBLISHED = "-"


def read_audits(files: Iterable[Path]) -> Mapping[str, frozenset[str]]:
    """The namespaces that each role was seen to read; one that only published has none.

    Raises UsageError for a file that cannot be read, that holds nothing, or a line that is none of an audit.
    """
    seen: dict[str, set[str]] = {}
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"the audit {file} cannot be read: {error}; name a file of record mode"
            ) from None
        told = [_line(file, number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if not told:
            raise UsageError(f"the audit {file} is empty: no process in record mode has written to it")
        for role, namespace in told:
            seen.setdefault(role, set()).update([namespace.partition(".")[0]] if namespace else [])
    return {role: frozenset(names) for role, names in seen.items()}


def _line(file: Path, number: int, line: str) -> tuple[str, str | None]:
    words = line.split()
    if len(words) == 2 and not line.lstrip().startswith("{"):
        return words[0], None if words[1] == _PUBLISHED else words[1]
    try:
        told = json.loads(line)
        role, namespace = told["role"], told["namespace"]
    except (ValueError, KeyError, TypeError, RecursionError):
        role, namespace = None, None
    if not isinstance(role, str) or not isinstance(namespace, str | None):
        raise UsageError(
            f"{file}:{number} is no line of an audit: record mode writes objects with `role` and `namespace`"
        )
    return role, namespace
