"""Module variables that functions declare with `global`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ratchet.analysis.lines import Hits, Lines
from ratchet.frozen import dataclass
from ratchet.matching.needs import Needs, has_identifier
from ratchet.matching.visit import span_of, visit
from ratchet.model import Match


@dataclass(frozen=True, slots=True)
class GlobalRule:
    """A rule of kind `global`: it looks for nothing in particular."""

    id: str

    @property
    def alternatives(self) -> tuple[Needs, ...]:
        """What a text must have."""
        return ((("global",),),)

    def may_be_in(self, text: str) -> bool:
        """Whether a text may declare a global name."""
        return has_identifier(text, "global")


def find_globals(rule: GlobalRule, tree: ast.Module, lines: Lines) -> Iterator[Match]:
    """Each name once in each function that declares it."""
    seen: set[tuple[str, str]] = set()
    for found in visit(tree, Hits(lines, ("global",))):
        if isinstance(found.node, ast.Global) and found.place.name:
            for name in found.node.names:
                if (found.place.name, name) not in seen:
                    seen.add((found.place.name, name))
                    yield Match(rule.id, span_of(found.node, lines), found.place.name, f"global {name}")
