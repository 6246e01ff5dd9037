"""The roles that may not read everything: what a rule asks of them, and how that is remembered.

A check of a part of a tree needs no more than this, so nothing here loads what follows calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ratchet.cache import Cache
from ratchet.frozen import dataclass
from ratchet.matching.sites import Joined
from ratchet.model import Access
from ratchet.roles.answers import Answers
from ratchet.tree import Tree

Scope = tuple[str, str]
"""A scope of a program: its path, and its name there."""


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of a scope from `after` on, but for the ranges that are skipped, both ends included."""

    after: int
    skipped: tuple[tuple[int, int], ...] = ()

    def covers(self, line: int) -> bool:
        """Whether a line is in it."""
        return line >= self.after and not any(first <= line <= last for first, last in self.skipped)


@dataclass(frozen=True, slots=True)
class Restricted:
    """A role that may not read everything: its set, and the scopes that its code surely reaches.

    Of the scopes in `parts` only some lines run once it has published.
    """

    role: str
    allowed: frozenset[str]
    scopes: frozenset[Scope]
    parts: Mapping[Scope, Part]

    def refuses(self, path: str, access: Access, namespace: str) -> bool:
        """Whether its code makes this read of a namespace, which its set leaves out."""
        scope = (path, access.scope)
        part = self.parts.get(scope)
        runs = scope in self.scopes and (part is None or part.covers(access.span.line))
        return runs and namespace not in self.allowed


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The restricted roles of a tree, and what keeps rules from judging by them."""

    roles: tuple[Restricted, ...]
    faults: tuple[str, ...] = ()


NONE = Restrictions(())


def contradictions(
    tree: Tree, restrictions: Restrictions, accesses: Mapping[str, Sequence[Access]]
) -> Joined:
    """The reads that contradict a declared set, once for each rule that asks, by path."""
    if not restrictions.roles:
        return {}
    rules = tree.asking("role")
    answers = Answers(tree.pack, tree.schema, tree.engine)
    found: dict[str, tuple[tuple[str, Access], ...]] = {}
    for path, here in accesses.items():
        refused = [
            access
            for access in here
            if (top := answers.namespace(access))
            and any(role.refuses(path, access, top) for role in restrictions.roles)
        ]
        if refused:
            found[path] = tuple((rule.id, access) for rule in rules for access in refused)
    return found


# What is remembered of a whole tree


def remember(restrictions: Restrictions, tree: Tree, cache: Cache, fingerprint: str) -> None:
    """Keep the restrictions of a whole tree for its parts."""
    cache.put_result(roles_key(tree, fingerprint), _encoded(restrictions))


def remembered(tree: Tree, cache: Cache, fingerprint: str) -> Restrictions | None:
    """The restrictions as the last whole run left them, None where there was none."""
    text = cache.get_result(roles_key(tree, fingerprint))
    try:
        return None if text is None else _decoded(text)
    except (ValueError, TypeError, KeyError):
        return None


def roles_key(tree: Tree, fingerprint: str) -> str:
    """The name of a tree's restricted roles in the cache."""
    return f"roles {fingerprint} {tree.root} {tree.pack.publishing}"


def _encoded(result: Restrictions) -> str:
    roles = [
        [
            item.role,
            sorted(item.allowed),
            sorted(item.scopes),
            [[*scope, part.after, part.skipped] for scope, part in sorted(item.parts.items())],
        ]
        for item in result.roles
    ]
    return json.dumps([roles, result.faults], separators=(",", ":"))


def _decoded(text: str) -> Restrictions:
    roles, faults = json.loads(text)
    found = []
    for role, allowed, scopes, parts in roles:
        made = {
            (path, scope): Part(after, tuple((first, last) for first, last in skipped))
            for path, scope, after, skipped in parts
        }
        reached = frozenset((path, scope) for path, scope in scopes)
        found.append(Restricted(role, frozenset(allowed), reached, made))
    return Restrictions(tuple(found), tuple(faults))
