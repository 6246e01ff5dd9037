"""What the rules about a whole tree find in a tree of git, kept up to date while its files change.

A flow rule judges a field by the ends of that field. So a commit asks anew about the fields of which an
access changed, and in the files that changed about what their own text tells. What the code of roles reaches
is looked for again where a file changed that was opened on the way, or of which a search of all files tells
something else now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ratchet.flow.matching import findings_of
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.matching.sites import Joined
from ratchet.model import Access, FlowMatch
from ratchet.roles.known import follow_roles
from ratchet.roles.restricted import contradictions
from ratchet.tree import Tree

_LOCAL = frozenset({"split-function", "unpublished-read"})
"""Shapes that one file alone tells."""

Accesses = Mapping[str, tuple[Access, ...]]
"""The accesses of files, by path; of a file that is no more, none."""


class JoinedSites:
    """The accesses that the rules of the kinds `flow` and `role` count in a tree."""

    def __init__(self, tree: Tree, accesses: Accesses) -> None:
        self._kinds: tuple[_FlowSites | _RoleSites, ...] = (
            *([_FlowSites(tree, accesses)] if tree.asking("flow") else []),
            *([_RoleSites(tree, accesses)] if tree.asking("role") else []),
        )

    def follow(self, tree: Tree, changed: Accesses) -> frozenset[str]:
        """Go on to a tree in which some files changed, those that `changed` gives the accesses of.

        Gives back the files in which something else may be counted now.
        """
        return frozenset().union(*(kind.follow(tree, changed) for kind in self._kinds))

    def of(self, path: str) -> tuple[tuple[str, Access], ...]:
        """What is counted in a file, each access behind its rule."""
        return tuple(item for kind in self._kinds for item in kind.of(path))

    @property
    def paths(self) -> frozenset[str]:
        """The files in which something is counted."""
        return frozenset(path for kind in self._kinds for path in kind.found)

    @property
    def unjudged(self) -> frozenset[str]:
        """The rules that cannot be judged, because what they need is not in the tree."""
        return frozenset().union(*(kind.unjudged for kind in self._kinds))


class _FlowSites:
    unjudged: frozenset[str] = frozenset()

    def __init__(self, tree: Tree, accesses: Accesses) -> None:
        self._tree = tree
        self._rules = tree.asking("flow")
        self._sources = Sources(lambda path: self._tree.source.read(path))
        self._fields = {path: _by_field(found) for path, found in accesses.items() if found}
        self.found: dict[str, list[tuple[str, Access]]] = {}
        self._judge(None, self._fields)

    def of(self, path: str) -> Iterable[tuple[str, Access]]:
        """What is counted in a file."""
        return self.found.get(path, ())

    def follow(self, tree: Tree, changed: Accesses) -> Collection[str]:
        """Go on to another tree; gives back where something else may be counted."""
        fields = set(self._sources.handed_on(changed))
        self._tree = tree
        self._sources.forget(changed)
        fields |= self._sources.handed_on(changed)
        everything = False
        for path, accesses in changed.items():
            before, now = self._fields.pop(path, {}), _by_field(accesses)
            if now:
                self._fields[path] = now
            for field in before.keys() | now.keys():
                here, there = before.get(field, ()), now.get(field, ())
                written = any(access.operation == "write" for access in (*here, *there))
                if here != there or written:  # what a write gives stands in the text
                    fields.add(field)
                if field not in tree.schema.fields and _uses(here) != _uses(there):
                    everything = True  # other methods of the record may be called now
        return self._judge(None if everything else fields, changed)

    def _judge(self, fields: Collection[str] | None, changed: Collection[str]) -> Collection[str]:
        """Judge some fields again, or all, and what is told by the changed files alone."""
        tree = self._tree
        flows = Flows(self._concerned(fields, changed), tree.pack, tree.schema, tree.engine)
        ends = tuple(flows.all_ends())
        touched = set(changed)
        for rule in self._rules:
            assert isinstance(rule.match, FlowMatch)
            is_local = rule.match.shape in _LOCAL

            def asked(path: str, field: str | None, is_local: bool = is_local) -> bool:
                return path in changed if is_local else fields is None or field in fields

            for path, found in list(self.found.items()):
                kept = [item for item in found if item[0] != rule.id or not asked(path, item[1].field)]
                if len(kept) < len(found):
                    touched.add(path)
                    self.found[path] = kept
            looked_at = [end for end in ends if asked(end.path, end.access.field)]
            for finding in findings_of(rule, flows, looked_at, self._sources):
                touched.add(finding.end.path)
                self.found.setdefault(finding.end.path, []).append((rule.id, finding.end.access))
        return touched

    def _concerned(self, fields: Collection[str] | None, changed: Collection[str]) -> Accesses:
        """The accesses that the ends of some fields are judged by, and all of the changed files."""
        schema = self._tree.schema.fields
        return {
            path: tuple(
                access
                for field, accesses in found.items()
                if fields is None or field in fields or field not in schema or path in changed
                for access in accesses
            )
            for path, found in self._fields.items()
        }


def _by_field(accesses: Iterable[Access]) -> dict[str, tuple[Access, ...]]:
    found: dict[str, list[Access]] = {}
    for access in accesses:
        found.setdefault(access.field or "", []).append(access)
    return {field: tuple(there) for field, there in found.items()}


def _uses(accesses: Iterable[Access]) -> frozenset[tuple[str, str, str | None]]:
    """What matters of accesses to a name that is no field, wherever their lines are."""
    return frozenset((access.scope, access.operation, access.object) for access in accesses)


class _RoleSites:
    def __init__(self, tree: Tree, accesses: Accesses) -> None:
        self._accesses = dict(accesses)
        self._rules = frozenset(rule.id for rule in tree.asking("role"))
        self._roles, self._program = follow_roles(tree)
        self.found: Joined = contradictions(tree, self._roles, self._accesses)

    @property
    def unjudged(self) -> frozenset[str]:
        """The rules, where something keeps them from judging."""
        return self._rules if self._roles.faults else frozenset()

    def of(self, path: str) -> Iterable[tuple[str, Access]]:
        """What is counted in a file."""
        return self.found.get(path, ())

    def follow(self, tree: Tree, changed: Accesses) -> Collection[str]:
        """Go on to another tree; gives back where something else may be counted."""
        self._accesses.update(changed)
        concerned = changed
        if self._program is not None and not self._program.follow(tree.source, changed.keys()):
            before = self._roles
            self._roles, _ = follow_roles(tree, self._program)
            if self._roles != before:
                concerned = self._accesses
        others = {path: found for path, found in self.found.items() if path not in concerned}
        touched = {*self.found.keys() - others.keys()}
        self.found = {**others, **contradictions(tree, self._roles, concerned)}
        return touched | (self.found.keys() - others.keys())
