"""From the accesses and matches of a file to the sites that rules count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import name_filter, path_filter, scope_filter
from ratchet.matching.places import files_of, spans_files
from ratchet.model import (
    COMPUTED,
    Access,
    AccessMatch,
    AnyMatch,
    Exemption,
    FlowMatch,
    Match,
    RoleMatch,
    Rule,
    Schema,
    Site,
)

Used = frozenset[tuple[str, int]]
"""Exemptions of scopes or fields that kept something from counting: a rule's id, and their number in it."""

Joined = Mapping[str, tuple[tuple[str, Access], ...]]
"""What rules about the whole tree find, by path: the id of a rule, and an access that it may count there."""

_Exempts = Callable[[str, str | None], bool]
_Conditions = tuple[tuple[int, _Exempts], ...]
_Traits = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class FileSites:
    """The sites of one file in order of position, and the exemptions of scopes and fields that were met."""

    sites: tuple[Site, ...]
    used: Used


class SiteMatcher:
    """Rules made ready to judge the files of one tree, whose engine version and schema are known."""

    def __init__(self, rules: Sequence[Rule], schema: Schema | None, engine: str | None) -> None:
        applying = [rule for rule in rules if engine_applies(rule.engines, engine)]
        self._guards = tuple(_Guard(rule, engine) for rule in applying)
        self._access = tuple(
            _AccessRule(rule.id, rule.match, schema)
            for rule in applying
            if isinstance(rule.match, AccessMatch)
        )
        self._joined = {
            rule.id: _AccessRule(rule.id, rule.match.access, schema)
            for rule in applying
            if isinstance(rule.match, FlowMatch | RoleMatch)
        }
        self._copy = tuple(rule for rule in applying if rule.kind == "copy")
        self._by_traits: dict[_Traits, tuple[_AccessRule, ...]] = {}

    def sites(
        self,
        path: str,
        accesses: Sequence[Access],
        copies: Sequence[Match] = (),
        matches: Sequence[Match] = (),
        joined: Sequence[tuple[str, Access]] = (),
    ) -> FileSites:
        """What the rules count in the file at `path`, and which of their exemptions applied there.

        `copies` carry the id of the copied object behind a colon in `rule`; `matches` are those of the local
        plan; `joined` is what rules about the whole tree found in the file, each access behind its rule. A
        rule that is outside of its engine versions counts nothing.
        """
        if not (accesses or copies or matches or joined):
            return FileSites((), frozenset())
        here = _Here({guard.id: guard.conditions(path) for guard in self._guards if guard.looks_at(path)})
        counted = [(rule, access) for access in accesses for rule in self._admitting(access)]
        counted += [
            (rule, access)
            for name, access in joined
            if (rule := self._joined.get(name)) and rule.admits(*_traits(access))
        ]
        found = list(_access_sites(path, counted, here))
        for copy in copies:
            object_id = copy.rule.partition(":")[2]
            ids = [rule.id for rule in self._copy if _copies(rule, object_id)]
            found += [_match_site(rule, path, copy) for rule in ids if here.counts(rule, copy.scope, None)]
        found += [
            _match_site(match.rule, path, match)
            for match in matches
            if here.counts(match.rule, match.scope, None)
        ]
        found.sort(key=_position)
        return FileSites(tuple(found), frozenset(here.used))

    def _admitting(self, access: Access) -> tuple[_AccessRule, ...]:
        traits = _traits(access)
        rules = self._by_traits.get(traits)
        if rules is None:
            rules = tuple(rule for rule in self._access if rule.admits(*traits))
            self._by_traits[traits] = rules
        return rules


def _access_sites(path: str, counted: Iterable[tuple[_AccessRule, Access]], here: _Here) -> Iterator[Site]:
    """The sites among accesses that rules may count; of a path and field the first one is the site."""
    pairs: dict[tuple[str, str | None], Site] = {}
    for rule, access in counted:
        if not (rule.passes(access) and here.counts(rule.id, access.scope, access.field)):
            continue
        if not rule.paired:
            yield _access_site(rule.id, path, access, access.scope, _code(access))
            continue
        site = _access_site(rule.id, path, access, "", access.field or access.code)
        first = pairs.setdefault((rule.id, access.field), site)
        if _position(site) < _position(first):
            pairs[rule.id, access.field] = site
    yield from pairs.values()


class _Guard:
    """A rule's paths and exemptions. `looks_at` says whether it counts anything in a file."""

    def __init__(self, rule: Rule, engine: str | None) -> None:
        self.id = rule.id
        self.looks_at = files_of(rule, engine)
        self._partial = tuple(
            (number, path_filter(entry.paths) if entry.paths else None, _condition(entry))
            for number, entry in enumerate(rule.exempt)
            if engine_applies(entry.engines, engine) and not spans_files(entry)
        )

    def conditions(self, path: str) -> _Conditions:
        """The exemptions of scopes and fields that this file may meet."""
        return tuple((n, exempts) for n, paths, exempts in self._partial if paths is None or paths(path))


class _Here:
    """What the rules that look at one file exempt there, and which of that was met."""

    def __init__(self, conditions: Mapping[str, _Conditions]) -> None:
        self._conditions = conditions
        self.used: set[tuple[str, int]] = set()

    def counts(self, rule: str, scope: str, field: str | None) -> bool:
        """Whether a rule looks at the file and counts what it finds in this scope, of this field."""
        conditions = self._conditions.get(rule)
        if conditions is None:
            return False
        for number, exempts in conditions:
            if exempts(scope, field):
                self.used.add((rule, number))
                return False
        return True


class _AccessRule:
    """A rule's filters of accesses: those that few differ in are asked once for all that are alike."""

    def __init__(self, rule_id: str, match: AccessMatch, schema: Schema | None) -> None:
        self.id = rule_id
        self.paired = match.unit == "path-field"
        self._match = match
        self._objects = frozenset(match.objects)
        self._fields = name_filter(match.fields) if match.fields else None
        self._not_fields = name_filter(match.not_fields) if match.not_fields else None
        self._namespaces = frozenset(match.namespaces)
        self._known = None if schema is None or match.members is None else schema.fields

    def admits(self, operation: str, origin: str, form: str, root: str, via: str) -> bool:
        """Whether accesses with these traits can be the rule's."""
        match = self._match
        filters = (match.operations, match.origins, match.forms, match.roots, match.vias)
        traits = (operation, origin, form, root, via)
        return all(not allowed or trait in allowed for allowed, trait in zip(filters, traits, strict=True))

    def passes(self, access: Access) -> bool:
        """Whether an access with admitted traits is the rule's."""
        field = access.field
        if self._objects and access.object not in self._objects:
            return False
        if self._fields is not None and (field is None or not self._fields(field)):
            return False
        if self._not_fields is not None and field is not None and self._not_fields(field):
            return False
        if self._namespaces and not self._within(access.namespace):
            return False
        # A computed name may be a field as well as a member.
        if self._known is None or field == COMPUTED:
            return True
        return field is not None and (field not in self._known) == self._match.members

    def _within(self, namespace: str | None) -> bool:
        while namespace:
            if namespace in self._namespaces:
                return True
            namespace = namespace.rpartition(".")[0]
        return False


def _traits(access: Access) -> _Traits:
    return (access.operation, access.origin, access.form, access.root, access.via)


def _condition(entry: Exemption) -> _Exempts:
    scopes = scope_filter(entry.scopes) if entry.scopes else None
    fields = name_filter(entry.fields) if entry.fields else None

    def exempts(scope: str, field: str | None) -> bool:
        if scopes is not None and not scopes(scope):
            return False
        return fields is None or (field is not None and fields(field))

    return exempts


def _copies(rule: Rule, object_id: str) -> bool:
    objects = rule.match.objects if isinstance(rule.match, AnyMatch) else ()
    return not objects or object_id in objects


def _code(access: Access) -> str:
    """The access's code, with the field where the code does not show it as a word of its own."""
    field, code = access.field, access.code
    if field is None or field == COMPUTED or code.endswith(f".{field}"):
        return code
    shown = field in code and re.search(rf"(?<!\w){re.escape(field)}(?!\w)", code)
    return code if shown else f"{code} [{field}]"


def _access_site(rule: str, path: str, access: Access, scope: str, code: str) -> Site:
    return Site(
        rule,
        path,
        access.span,
        scope,
        code,
        access.operation,
        access.origin,
        access.form,
        access.field,
        access.namespace,
    )


def _match_site(rule: str, path: str, match: Match) -> Site:
    return Site(rule, path, match.span, match.scope, match.code)


def _position(site: Site) -> tuple[int, int]:
    return (site.span.line, site.span.column)
