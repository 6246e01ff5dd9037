"""The table of cases: a piece of code, and the accesses that the analysis must report for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ratchet.analysis import accesses_of
from ratchet.model import Access
from ratchet.schema import load_snapshot
from tests.shipped import PACK

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
EXAMPLE = "srt/example.py"

_SCHEMA = load_snapshot(PROJECT / "rules" / "sglang" / "schema", "0.5.17")


@dataclass(frozen=True, slots=True)
class Case:
    """One entry of a case file.

    `silent` are expressions of the code that must give nothing; `why` is there where the contract leaves more
    than one sensible reading. `python` is the oldest version that parses the code.
    """

    file: str
    name: str
    code: str
    accesses: tuple[str, ...]
    path: str = EXAMPLE
    python: tuple[int, ...] = (3, 10)
    silent: tuple[str, ...] = ()
    why: str = ""

    @property
    def id(self) -> str:
        """What pytest shows: the file and the name."""
        return f"{self.file}: {self.name}"


def load(path: Path) -> Iterator[Case]:
    """The cases of one file, in its order. KeyError or TypeError where an entry is not a case."""
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
        yield _case(path.stem, entry)


def _case(file: str, entry: Mapping[str, object]) -> Case:
    known: dict[str, object] = dict(entry)
    known["python"] = tuple(int(part) for part in str(known.get("python", "3.10")).split("."))
    for key in ("accesses", "silent"):
        value = known.get(key, [])
        assert isinstance(value, list)
        known[key] = tuple(value)
    return Case(file, **known)  # type: ignore[arg-type]  # an unknown or missing key is a TypeError here


def accesses(code: str, path: str = EXAMPLE) -> tuple[Access, ...]:
    """The accesses of `code` under the SGLang pack and its default schema snapshot."""
    return accesses_of(code, PACK, _SCHEMA, path)


def render(access: Access) -> str:
    """An access as the contract writes it: operation, origin, field, with the namespace's path before it."""
    bag = access.namespace if access.origin == "namespace" else None
    name = ".".join(part for part in (bag, access.field) if part)
    return " ".join(part for part in (access.operation, access.origin, name) if part)
