"""Which paths and which scopes an entry of a rule speaks of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

_MAGIC = re.compile(r"[*?\[]")


def path_filter(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a path is one of `patterns`: a file, a folder with all that it holds, or a glob of either.

    In a glob `*` stays inside a folder and `**` crosses them. Without patterns no path is.
    """
    exact = frozenset(pattern.rstrip("/") for pattern in patterns if not _MAGIC.search(pattern))
    folders = tuple(f"{pattern}/" for pattern in exact)
    globs = [_glob(pattern) for pattern in patterns if _MAGIC.search(pattern)]
    if not globs:
        return lambda path: path in exact or path.startswith(folders)
    glob = re.compile("|".join(globs))
    return lambda path: path in exact or path.startswith(folders) or glob.fullmatch(path) is not None


def scope_filter(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a scope is one of `patterns` or lies inside of one; a glob's `*` crosses dots."""
    exact = frozenset(pattern for pattern in patterns if not _MAGIC.search(pattern))
    outer = tuple(f"{pattern}." for pattern in exact)
    globs = [rf"{translate(pattern)[:-2]}(?:\..*)?" for pattern in patterns if _MAGIC.search(pattern)]
    glob = re.compile("|".join(globs)) if globs else None
    return lambda scope: (
        scope in exact or scope.startswith(outer) or (glob is not None and glob.fullmatch(scope) is not None)
    )


def name_filter(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name is one of `patterns`, which may be globs; a lone `*` is itself, the computed name."""
    exact = frozenset(pattern for pattern in patterns if pattern == "*" or not _MAGIC.search(pattern))
    globs = [translate(pattern) for pattern in patterns if pattern not in exact]
    if not globs:
        return exact.__contains__
    glob = re.compile("|".join(globs))
    return lambda name: name in exact or glob.fullmatch(name) is not None


def _glob(pattern: str) -> str:
    """A regular expression for a glob and for everything below what it matches."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[!?[^]]+\])", pattern.rstrip("/"))
    return "".join(_GLOB_PARTS.get(part) or _literal(part) for part in parts) + "(?:/.*)?"


_GLOB_PARTS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _literal(part: str) -> str:
    if len(part) > 2 and part[0] == "[":
        return f"[^/{part[2:]}" if part[1] == "!" else part
    return re.escape(part)
