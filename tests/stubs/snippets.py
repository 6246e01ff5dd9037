"""The table of programs that use the stubs, `snippets.toml`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.shipped import PACK

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKERS = ("mypy", "ty", "pyrefly", "basedpyright")
VENDOR = Path(__file__).parents[2] / "ratchet" / "vendor"
ACCESSORS = tuple(namespace.accessor for namespace in PACK.namespaces)
_NAMES = ", ".join(sorted(accessor.rpartition(".")[2] for accessor in ACCESSORS))
_PRELUDE = f"from sglang.srt.runtime_context import get_context, publish, {_NAMES}\n"

Reports = Mapping[str, tuple[str, ...]]
"""By the snippet: what a checker says of it, as `line rule`, sorted; a snippet it accepts is not in it."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A program, the lines of it that are wrong, and what each checker says of them."""

    id: str
    code: str
    wrong: tuple[int, ...]
    expected: Mapping[str, tuple[str, ...]]

    @property
    def text(self) -> str:
        """The program with an import of all accessors on a line above it."""
        return f"{_PRELUDE}{self.code.strip()}\n"


def read_snippets() -> tuple[Snippet, ...]:
    """All snippets, in the order of the table."""
    table = tomllib.loads(Path(__file__).with_name("snippets.toml").read_text(encoding="utf-8"))
    return tuple(
        Snippet(
            entry["id"],
            entry["code"],
            tuple(entry.get("wrong", ())),
            {checker: tuple(entry.get(checker, ())) for checker in CHECKERS},
        )
        for entry in table["snippet"]
    )


SNIPPETS = read_snippets()


def place_snippets(folder: Path) -> None:
    """Write each snippet to a file of its own in `folder`."""
    for snippet in SNIPPETS:
        (folder / f"{snippet.id.replace('-', '_')}.py").write_text(snippet.text, encoding="utf-8")


def reports(found: Iterable[tuple[str, int, str]]) -> Reports:
    """The reports of a checker, out of file, line (from 1, in the file) and rule of each of its errors."""
    collected: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for file, line, rule in found:
        collected[Path(file).stem.replace("_", "-")].add((line - 1, rule))
    return {name: tuple(f"{line} {rule}" for line, rule in sorted(rows)) for name, rows in collected.items()}


def expected_of(checker: str) -> Reports:
    """What the table says that a checker reports."""
    return {snippet.id: snippet.expected[checker] for snippet in SNIPPETS if snippet.expected[checker]}
