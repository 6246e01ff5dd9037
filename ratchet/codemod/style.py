"""What rewriting a file needs to know of its project: how imports are written, what modules share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from ratchet.frozen import dataclass

DEFAULT_LENGTH = 88
_INI = re.compile(r"^\s*(?:line_length|line-length|max-line-length)\s*[=:]\s*(\d+)", re.MULTILINE)
_TOML_KEYS = (
    ("ruff", "line-length"),
    ("black", "line-length"),
    ("black", "line_length"),
    ("isort", "line_length"),
)


def never(_first: str, _second: str) -> bool:
    """The answer where nothing is known of other modules."""
    return False


@dataclass(frozen=True, slots=True)
class Style:
    """How a project writes its code, and what its tree says.

    `package` is the name of the package that the source root is. `accessors` are dotted names of functions
    whose call does nothing but give an object. `would_cycle` says whether a module (the first, dotted) that
    imports another at its top would close a circle; `exported` whether a module's (the first) name (the
    second) is used by other files.
    """

    package: str
    accessors: frozenset[str] = frozenset()
    line_length: int = DEFAULT_LENGTH
    would_cycle: Callable[[str, str], bool] = never
    exported: Callable[[str, str], bool] = never


def line_length(folder: Path) -> int:
    """Return the line length that the project of a folder sets, for ruff, black or isort; 88 by default.

    The nearest file that says one counts, up to the top of the repository.
    """
    for place in (folder, *folder.parents):
        found = next(_lengths(place), None)
        if found is not None:
            return found
        if (place / ".git").exists():
            break
    return DEFAULT_LENGTH


def _lengths(folder: Path) -> Iterator[int]:
    for name in ("ruff.toml", ".ruff.toml"):
        yield from _length_in(_toml(folder / name), "line-length")
    tools = _toml(folder / "pyproject.toml").get("tool")
    for tool, key in _TOML_KEYS:
        yield from _length_in(tools.get(tool) if isinstance(tools, dict) else None, key)
    for name in (".isort.cfg", "setup.cfg", "tox.ini", ".flake8"):
        found = _INI.search(_text(folder / name))
        if found:
            yield int(found.group(1))


def _length_in(table: object, key: str) -> Iterator[int]:
    value = table.get(key) if isinstance(table, dict) else None
    if isinstance(value, int):
        yield value


def _toml(file: Path) -> dict[str, object]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError:
        return {}  # whoever it configures will complain


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
