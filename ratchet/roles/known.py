"""What roles may not read, for rules: made of a whole tree, remembered, and asked of a part of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from ratchet.cache import Cache
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.judge import deep_and_undisturbed
from ratchet.matching.engines import engine_applies
from ratchet.model import Access, Rule
from ratchet.reach import Narrow, Node, Root, Values, find_entries
from ratchet.roles.analysis import Analysis
from ratchet.roles.declared import declared_sets
from ratchet.roles.reading import Reading
from ratchet.roles.report import program_of
from ratchet.scan import Scan
from ratchet.tree import Tree

Found = Mapping[str, tuple[tuple[str, Access], ...]]
"""What contradicts a declared set in a file, by its path: the id of the rule, and the access."""


@dataclass(frozen=True, slots=True)
class Restricted:
    """A role that may not read everything: its set, and the scopes that its code surely reaches.

    Of the scopes in `parts` only some lines run once it has published.
    """

    role: str
    allowed: frozenset[str]
    scopes: frozenset[Node]
    parts: Mapping[Node, Root]

    def refuses(self, path: str, access: Access, namespace: str) -> bool:
        """Whether its code makes this read of a namespace, which its set leaves out."""
        node = Node(path, access.scope)
        part = self.parts.get(node)
        runs = node in self.scopes and (part is None or part.covers(access.span.line))
        return runs and namespace not in self.allowed


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The restricted roles of a tree, and what keeps rules from judging by them."""

    roles: tuple[Restricted, ...]
    faults: tuple[str, ...] = ()


NONE = Restrictions(())


def asking(rules: Iterable[Rule], engine: str | None) -> tuple[Rule, ...]:
    """The rules about roles that apply to an engine version."""
    return tuple(rule for rule in rules if rule.kind == "role" and engine_applies(rule.engines, engine))


def restrictions_of(tree: Tree, scan: Scan, cache: Cache, fingerprint: str) -> Restrictions:
    """The restricted roles of a tree that was scanned as a whole, remembered for its parts."""
    if not asking(tree.rules, tree.engine):
        return NONE
    accesses = {path: facts.accesses for path, facts in scan.facts.items()}
    with deep_and_undisturbed():
        result = restricted_roles(tree, accesses)
    cache.put_result(_key(tree, fingerprint), _encoded(result))
    return result


def restricted_roles(tree: Tree, accesses: Mapping[str, Sequence[Access]]) -> Restrictions:
    """The roles of a tree that may not read everything, with what their code reaches."""
    publishing = tree.pack.publishing
    if publishing is None:
        return NONE
    program = program_of(tree, publishing)
    values = Values(program)
    try:
        declared = declared_sets(program, publishing)
    except JudgeError as error:
        # A tree without publishing calls has no roles to declare.
        return (
            Restrictions((), (str(error),)) if find_entries(program, values, publishing).publishes else NONE
        )
    sets = declared.sets if declared else {}
    restricted = {role: allowed for role, allowed in sets.items() if allowed is not None}
    bounds = Narrow(program, values, publishing, sets.keys() - restricted.keys())
    analysis = Analysis(
        program, values, bounds, Reading(program, accesses, tree.pack, tree.schema, tree.engine)
    )
    roles = {item.role for item in bounds.publishes}
    found, faults = [], []
    for role, allowed in sorted(restricted.items()):
        if role in roles:
            code = analysis.code(role)
            scopes = frozenset(node for node, step in code.found.steps.items() if step.sure)
            found.append(Restricted(role, allowed, scopes, {root.node: root for root in code.frames}))
        else:
            faults.append(
                f"the table of roles restricts {role}, and no call was found that publishes under it, "
                "so that nothing is checked: correct [publishing] in the pack, or remove the entry"
            )
    if declared:
        faults += [
            f"{item.node.path}:{item.line} publishes under {item.role}, for which the table of roles "
            f"in {declared.path} has no entry: add one, all or a set"
            for item in bounds.publishes
            if item.role is not None and item.role not in sets
        ]
    if restricted:
        faults += [f"{item.path} is needed to judge roles and {item.message}" for item in program.problems()]
    return Restrictions(tuple(found), tuple(faults))


def restrictions_of_part(
    tree: Tree, scan: Scan, cache: Cache, fingerprint: str, whole: Callable[[], tuple[Tree, Scan]]
) -> Restrictions:
    """The restricted roles as the last whole run left them; where none is remembered, `whole` serves."""
    if not asking(tree.rules, tree.engine) or not any(facts.accesses for facts in scan.facts.values()):
        return NONE
    text = cache.get_result(_key(tree, fingerprint))
    try:
        if text is not None:
            return _decoded(text)
    except (ValueError, TypeError, KeyError):
        pass
    return restrictions_of(*whole(), cache, fingerprint)


def contradictions(tree: Tree, restrictions: Restrictions, accesses: Mapping[str, Sequence[Access]]) -> Found:
    """The reads that contradict a declared set, once for each rule that asks, by path."""
    rules = asking(tree.rules, tree.engine)
    if not restrictions.roles:
        return {}
    reading = Reading(None, accesses, tree.pack, tree.schema, tree.engine)
    found: dict[str, tuple[tuple[str, Access], ...]] = {}
    for path, here in accesses.items():
        refused = [
            access
            for access in here
            if (top := reading.namespace(access))
            and any(role.refuses(path, access, top) for role in restrictions.roles)
        ]
        if refused:
            found[path] = tuple((rule.id, access) for rule in rules for access in refused)
    return found


def _key(tree: Tree, fingerprint: str) -> str:
    return f"roles {fingerprint} {tree.root} {tree.pack.publishing}"


def _encoded(result: Restrictions) -> str:
    roles = [
        [
            item.role,
            sorted(item.allowed),
            sorted(item.scopes),
            [[*node, part.after, part.skipped] for node, part in sorted(item.parts.items())],
        ]
        for item in result.roles
    ]
    return json.dumps([roles, result.faults], separators=(",", ":"))


def _decoded(text: str) -> Restrictions:
    roles, faults = json.loads(text)
    found = []
    for role, allowed, scopes, parts in roles:
        made = {
            Node(path, scope): Root(Node(path, scope), after, 0, tuple((a, b) for a, b in skipped))
            for path, scope, after, skipped in parts
        }
        found.append(Restricted(role, frozenset(allowed), frozenset(Node(p, s) for p, s in scopes), made))
    return Restrictions(tuple(found), tuple(faults))
