"""What the analysis of one file yields, and what it may be told about other files."""

from __future__ import annotations

from collections.abc import Mapping

from ratchet.analysis.values import Value
from ratchet.frozen import dataclass, field
from ratchet.model import Access, Match, Problem


@dataclass(frozen=True, slots=True)
class Exports:
    """What a file's names stand for in other files, by dotted name, tracked values only.

    `names` are module-level names, parked attributes and properties; `returns` what functions and methods
    give back; `bases` the bases of classes that park, or inherit, something tracked.
    """

    names: Mapping[str, Value] = field(default_factory=dict)
    returns: Mapping[str, Value] = field(default_factory=dict)
    bases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.names or self.returns or self.bases)


NO_EXPORTS = Exports()


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything that one parse and one walk of a file gave.

    `matches` are those of rules that need one file only; `imports` the dotted names that it imports (a star
    ends in `.*`); `parsed` says whether a parser saw the file, or its bytes were enough; `problem` why it
    could not be judged.
    """

    accesses: tuple[Access, ...] = ()
    copies: tuple[Match, ...] = ()
    matches: tuple[Match, ...] = ()
    imports: tuple[str, ...] = ()
    exports: Exports = NO_EXPORTS
    problem: Problem | None = None
    parsed: bool = False
