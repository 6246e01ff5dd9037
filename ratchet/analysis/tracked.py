"""What the analysis looks for, compiled from a pack: dotted names, conventions, and words of the text."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from functools import lru_cache

from ratchet.analysis.values import Getter, Value, only
from ratchet.frozen import dataclass
from ratchet.model import ContextObject, Pack, Schema, TrackedObject


@dataclass(frozen=True, slots=True)
class Tracked:
    """The compiled form of a pack's objects, contexts and namespaces.

    `getters` maps a dotted name to what it yields, `modules` are the modules and packages on the way to one,
    `groups` the dotted paths of nested namespaces. `words` are the identifiers that make a line interesting,
    `stems` the plain parts of the conventional ones that are patterns.
    """

    package: str
    objects: Mapping[str, TrackedObject]
    contexts: Mapping[str, ContextObject]
    getters: Mapping[str, Value]
    modules: frozenset[str]
    bags: Mapping[str, str | None]
    class_names: Mapping[str, str]
    name_patterns: tuple[tuple[str, re.Pattern[str]], ...]
    attribute_patterns: tuple[tuple[str, re.Pattern[str]], ...]
    words: frozenset[str]
    stems: frozenset[str]
    schema: Schema

    def conventional_name(self, name: str) -> str | None:
        """The object that a variable of this name is by convention, or None."""
        return _first(self.name_patterns, name)

    def conventional_attribute(self, name: str) -> str | None:
        """The object that an attribute of this name is by convention, or None."""
        return _first(self.attribute_patterns, name)

    def live(self, path: str, name: str) -> bool:
        """Whether the namespace holds a bag of this name (and not a leaf)."""
        return f"{path}.{name}" in self.bags


def compile_pack(pack: Pack, schema: Schema) -> Tracked:
    """Everything the analysis asks of a pack, ready to look up."""
    getters = _getters(pack)
    names = tuple((item.id, _pattern(item.names)) for item in pack.objects)
    attributes = tuple((item.id, _pattern(item.attributes)) for item in pack.objects)
    conventions = [name for item in pack.objects for name in (*item.names, *item.attributes)]
    plain = {name for name in conventions if not _is_glob(name)}
    return Tracked(
        package=pack.package,
        objects={item.id: item for item in pack.objects},
        contexts={item.accessor: item for item in pack.contexts},
        getters=getters,
        modules=frozenset(prefix for name in getters for prefix in _prefixes(name)),
        bags=_bags(pack),
        class_names={item.class_name.rpartition(".")[2]: item.id for item in pack.objects},
        name_patterns=names,
        attribute_patterns=attributes,
        words=frozenset(plain | {part for name in getters for part in name.split(".")[-2:]}),
        stems=frozenset(max(re.split(r"[*?]", name), key=len) for name in conventions if _is_glob(name)),
        schema=schema,
    )


def _getters(pack: Pack) -> dict[str, Value]:
    getters: dict[str, Value] = {}
    for item in pack.objects:
        getters[item.class_name] = only(Getter("class", item.id))
        getters.update({name: only(Getter("record", item.id)) for name in item.accessors})
        constructors = [name for name in item.constructors if not name.startswith(".")]
        getters.update({name: only(Getter("constructor", item.id)) for name in constructors})
    getters.update({item.accessor: only(Getter("context", item.accessor)) for item in pack.contexts})
    getters.update({item.accessor: only(Getter("bag", item.path)) for item in pack.namespaces})
    return getters


def _bags(pack: Pack) -> dict[str, str | None]:
    """Each bag's dotted path, with the method that overrides it for a block."""
    bags: dict[str, str | None] = {}
    for item in pack.namespaces:
        bags[item.path] = item.scoped
        bags.update({f"{item.path}.{group}": item.scoped for group in item.groups})
    return bags


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _is_glob(name: str) -> bool:
    return any(sign in name for sign in "*?[")


def _pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(glob) for glob in globs) or r"(?!)")


@lru_cache(maxsize=1 << 16)
def _first(patterns: tuple[tuple[str, re.Pattern[str]], ...], name: str) -> str | None:
    for object_id, pattern in patterns:
        if pattern.match(name):
            return object_id
    return None
