"""One release of an engine, as far as code outside of it can see."""

from __future__ import annotations

from collections.abc import Mapping

from ratchet.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Module:
    """The names of a module.

    `defined` are its classes, functions and assigned names, `passed` those that it imports from its own
    package, stars resolved: all of a package's, of another module's those that are imported from it in turn.
    `private` are the others, which it imports for itself; the history holds them only where it held the name
    in another release. `refusing` are functions that do nothing but raise. `open` is a module whose
    other names only show when it runs (`__getattr__`); `texts` are then the identifiers in its strings.
    `signatures` are there for detailed modules: of a function its parameters, of a class how it is made, of
    `Class.method` its parameters, of `Class.attribute` nothing.
    """

    defined: frozenset[str] = frozenset()
    passed: frozenset[str] = frozenset()
    refusing: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    signatures: Mapping[str, str] = field(default_factory=dict)
    open: bool = False
    private: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Whether the module surely answers to a name."""
        return name in self.defined or name in self.passed or name in self.texts or name in self.private


@dataclass(frozen=True, slots=True)
class Release:
    """The modules of one engine version by dotted name, and the record's fields with their namespaces.

    `tops` are the dotted packages that were read: of what lies elsewhere nothing is known.
    """

    engine: str
    tops: tuple[str, ...]
    modules: Mapping[str, Module]
    fields: Mapping[str, str]
