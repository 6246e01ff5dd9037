"""Fields of the record and leaves of the namespaces that a newer release does not have."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping

from ratchet.analysis import Tracked, analyse, compile_pack
from ratchet.codemod.spelling import Speller
from ratchet.frozen import replace
from ratchet.model import COMPUTED, Access, Field, Pack, Schema
from ratchet.surface import Release
from ratchet.surface.signatures import parameters_of
from ratchet.syntax.document import Document
from ratchet.upgrade.fate import Judge, nearest
from ratchet.upgrade.model import Change, Finding, Kind

OUTSIDE = "downstream"
"""The folder that downstream files seem to lie in, so that none is taken for a module of the engine."""


class Records:
    """Judges accesses to the record and its namespaces between the releases of a judge."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.pack: Pack = judge.pack
        self.tracked: Tracked = compile_pack(self.pack, _schema(judge.releases))
        self.speller = Speller(self.pack, judge.new.engine)
        self.members = {release.engine: self._members(release) for release in judge.releases}
        self.leaves = {release.engine: _leaves(release) for release in judge.releases}
        homes = {item.accessor.rpartition(".")[0] for item in self.pack.namespaces}
        self.bags = {release.engine: _members_in(release, homes) for release in judge.releases}

    def accesses(self, document: Document) -> tuple[Access, ...]:
        """What a file does with records and namespaces."""
        text, tree = document.text, document.tree
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
            tree = ast.parse(text)
        return analyse(f"{OUTSIDE}/{document.path}", text, tree, self.tracked).accesses

    def findings(
        self, path: str, accesses: Iterable[Access], own: Callable[[str], bool]
    ) -> Iterator[Finding]:
        """What of some accesses the newer release breaks; `own` tells what the code defines itself."""
        accesses = tuple(accesses)
        asked = {(access.scope, access.field) for access in accesses if _is_asked_for(access)}
        mine = {item.id for item in self.pack.objects if own(item.class_name)}
        bags = any(own(item.accessor) for item in self.pack.namespaces)
        for access in accesses:
            if access.field is None or access.field == COMPUTED or access.field.startswith("__"):
                continue
            if bags if access.origin == "namespace" else access.object in mine:
                continue
            if access.origin == "namespace":
                found = self._leaf(path, access, access.field)
            else:
                found = self._field(path, access, access.field)
            if found is not None:
                bare = access.code.partition("(")[0].isidentifier()  # a method that has a name of its own
                handed = bare and (access.scope, access.field) in asked
                yield replace(found, guarded=True, sure=False) if handed else found

    def _leaf(self, path: str, access: Access, name: str) -> Finding | None:
        space = access.namespace or ""
        if self._has_leaf(self.judge.new, space, name) or self._is_overridden(access, name):
            return None
        since = self.judge.since(lambda release: self._has_leaf(release, space, name))
        home = self.judge.new.fields.get(name)
        what = f"{space}.{name}"
        if home:
            spelled = self.speller.read(home, name)
            instead = spelled.code if spelled else ""
            return _made(path, access, "leaf", what, "moved", since, instead, f"write {instead}")
        names = [field for field, held in self.judge.new.fields.items() if held == space]
        advice = nearest(name, names, f"{space} has {{}}")
        return _made(path, access, "leaf", what, "gone" if since else "absent", since, "", advice)

    def _is_overridden(self, access: Access, name: str) -> bool:
        """Whether a field is given to the context by its name alone, in whichever namespace it lies."""
        return access.via == "override" and name in self.judge.new.fields

    def _has_leaf(self, release: Release, space: str, name: str) -> bool:
        held = release.fields.get(name)
        if held and held != space:
            return name in self.bags[release.engine]
        return held == space or self.has_leaf(release, name)

    def has_leaf(self, release: Release, name: str) -> bool:
        """Whether a namespace may answer to a name that is no field of the record."""
        return name in self.leaves[release.engine]

    def _field(self, path: str, access: Access, name: str) -> Finding | None:
        if self._has_field(self.judge.new, name):
            return self._keyword(path, access, name) if access.operation == "call" else None
        since = self.judge.since(lambda release: self._has_field(release, name))
        if since is None:
            return None  # what no release has is a field of another object that is called alike
        method = name not in self._last_with(name).fields
        kind: Kind = "method" if method else "field"
        fresh = self.judge.new.fields.keys() - self.judge.old.fields.keys()
        advice = nearest(name, fresh, "perhaps it is {} now") if not method else self._instead(name)
        return _made(path, access, kind, f"{self._class_of(access)}.{name}", "gone", since, "", advice)

    def _keyword(self, path: str, access: Access, name: str) -> Finding | None:
        """A keyword in a call of a method that does not take it any more."""
        now, anything = self._parameters(self.judge.new, access, name)
        before, _ = self._parameters(self.judge.old, access, name)
        lost = [word for word in _keywords(access.code) if word in before and word not in now]
        if anything or not lost:
            return None
        since = self.judge.since(lambda release: lost[0] in self._parameters(release, access, name)[0])
        advice = nearest(lost[0], now - before, "it takes {}") or "leave it out"
        what = f"{self._class_of(access)}.{name}({lost[0]}=)"
        return _made(path, access, "keyword", what, "gone", since, "", advice)

    def _parameters(self, release: Release, access: Access, name: str) -> tuple[frozenset[str], bool]:
        dotted = next(item.class_name for item in self.pack.objects if item.id == access.object)
        module, _, owner = dotted.rpartition(".")
        held = release.modules.get(module)
        return parameters_of(held.signatures.get(f"{owner}.{name}", "") if held else "")

    def _instead(self, name: str) -> str:
        """What the context offers in the place of a method of the record."""
        for context in self.pack.contexts:
            offered = {item.override for item in self.pack.objects} & {name}
            if offered and context.override:
                return f"write {context.accessor}().{context.override}"
        return ""

    def _has_field(self, release: Release, name: str) -> bool:
        return name in release.fields or name in self.members[release.engine]

    def _last_with(self, name: str) -> Release:
        return next(one for one in reversed(self.judge.releases) if self._has_field(one, name))

    def _class_of(self, access: Access) -> str:
        names = {item.id: item.class_name for item in self.pack.objects}
        return names.get(access.object, access.object).rpartition(".")[2]

    def _members(self, release: Release) -> frozenset[str]:
        """The methods and attributes of the records' classes."""
        found: set[str] = set()
        for item in self.pack.objects:
            module, _, name = item.class_name.rpartition(".")
            held = release.modules.get(module)
            signs: Mapping[str, str] = held.signatures if held else {}
            found |= {sign.partition(".")[2] for sign in signs if sign.startswith(f"{name}.")}
        return frozenset(found)


def _leaves(release: Release) -> frozenset[str]:
    """Whatever a bag may answer to beside its fields: members of classes and texts of detailed modules."""
    found: set[str] = set()
    for module in release.modules.values():
        if module.signatures:
            found |= {sign.partition(".")[2] for sign in module.signatures if "." in sign}
            found |= module.texts
    return frozenset(found)


def _members_in(release: Release, modules: Iterable[str]) -> frozenset[str]:
    """The members of the classes in some modules."""
    held = (release.modules[name] for name in modules if name in release.modules)
    return frozenset(sign.partition(".")[2] for one in held for sign in one.signatures if "." in sign)


def _schema(releases: Iterable[Release]) -> Schema:
    """The fields of all releases; where they disagree on a namespace, the oldest that has one counts."""
    fields: dict[str, Field] = {}
    for release in releases:
        for name, space in release.fields.items():
            if name not in fields or not fields[name].namespace:
                fields[name] = Field(name, "object", None, space or None)
    return Schema("the releases", fields)


def _made(
    path: str,
    access: Access,
    kind: Kind,
    what: str,
    change: Change,
    since: str | None,
    instead: str,
    advice: str,
) -> Finding:
    guarded = _is_asked_for(access)
    sure = change == "moved" and bool(instead) and access.operation == "read" and not guarded
    return Finding(path, access.span, kind, what, change, since, instead, advice, guarded, sure)


def _keywords(code: str) -> list[str]:
    """The keyword names of a call, as the code of an access lists them: `f(a, b, **)`, which is no Python."""
    listed = code[code.rfind("(") + 1 : -1] if code.endswith(")") else ""
    return [word for word in listed.split(", ") if word.isidentifier()]


def _is_asked_for(access: Access) -> bool:
    """Whether an access names a default, or asks only whether the field is there."""
    return access.via == "builtin" and _has_default(access.code)


def _has_default(code: str) -> bool:
    try:
        node = ast.parse(code, mode="eval").body
    except SyntaxError:
        return False
    name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
    return name == "hasattr" or (name == "getattr" and isinstance(node, ast.Call) and len(node.args) > 2)
