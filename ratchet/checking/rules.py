"""What can be said of a pack without a tree: whether its examples hold, and what is wrong with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ratchet.analysis import Tracked, analyse, compile_pack
from ratchet.errors import UsageError
from ratchet.examples import check_examples
from ratchet.frozen import dataclass
from ratchet.matching.local import compile_local
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Pack, Rule, Schema, Site
from ratchet.pack.lint import lint_pack
from ratchet.pack.table import nearest
from ratchet.schema import load_snapshot
from ratchet.session import Session
from ratchet.tree import NO_SCHEMA


@dataclass(frozen=True, slots=True)
class RuleTest:
    """A rule, and a sentence for each of its examples that does not hold."""

    rule: Rule
    failures: tuple[str, ...]


def run_examples(pack: Pack, ids: Iterable[str] = ()) -> tuple[RuleTest, ...]:
    """Try the examples of rules, of all where none is named; UsageError for an id that is no rule's."""
    wanted = tuple(ids)
    known = {rule.id for rule in pack.rules}
    for name in wanted:
        if name not in known:
            raise UsageError(f"no rule is called {name}{nearest(name, known)}; the packs are {pack.name}")
    count = _counting(pack)
    chosen = [rule for rule in pack.rules if not wanted or rule.id in wanted]
    return tuple(RuleTest(rule, check_examples(rule, count)) for rule in chosen)


def lint(pack: Pack, session: Session | None) -> tuple[str, ...]:
    """A sentence for each fault of a pack; with a tree, also for each entry that matches nothing there."""
    faults = lint_pack(pack)
    if session is None:
        return faults
    return (*faults, *session.count(session.tree(session.work_tree())).faults)


def _counting(pack: Pack) -> Callable[[str, str, str | None], Sequence[Site]]:
    """Counts the sites of a piece of code as one file of a tree that declares no schema of its own."""
    schema = _schema(pack)
    tracked: Tracked = compile_pack(pack, schema)

    def count(path: str, code: str, engine: str | None) -> Sequence[Site]:
        tree = ast.parse(code)
        facts = analyse(path, code, tree, tracked)
        local = compile_local(pack.rules, pack.package, engine)
        matches = local.match(path, code, local.wants(path, code.encode()), lambda: tree)
        matcher = SiteMatcher(pack.rules, schema, engine)
        return matcher.sites(path, facts.accesses, facts.copies, matches).sites

    return count


def _schema(pack: Pack) -> Schema:
    if pack.schema is None:
        return NO_SCHEMA
    return load_snapshot(Path(pack.folder) / pack.schema.snapshots, pack.schema.default)
