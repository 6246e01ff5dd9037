"""What can be said of a pack without a tree: whether its examples hold, and what is wrong with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from ratchet.analysis import FileFacts, Tracked, analyse, compile_pack
from ratchet.analysis.modules import module_name
from ratchet.errors import UsageError
from ratchet.examples import Fix, check_examples
from ratchet.flow.matching import out_of_step
from ratchet.flow.sources import Sources
from ratchet.flow.table import Flows
from ratchet.frozen import dataclass
from ratchet.index import Index
from ratchet.matching.local import compile_local
from ratchet.matching.sites import Joined, SiteMatcher
from ratchet.model import Access, Example, Pack, Rule, Schema, Site
from ratchet.pack.lint import lint_pack
from ratchet.pack.table import nearest
from ratchet.roles.known import restricted_roles
from ratchet.roles.restricted import contradictions
from ratchet.schema import load_snapshot
from ratchet.session import Session
from ratchet.source.overlay import Empty, Overlay
from ratchet.syntax.document import Document, read_document
from ratchet.tree import NO_SCHEMA, Tree


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
    count, fix = counting(pack), fixing(pack)
    chosen = [rule for rule in pack.rules if not wanted or rule.id in wanted]
    return tuple(RuleTest(rule, check_examples(rule, count, fix)) for rule in chosen)


def lint(pack: Pack, session: Session | None) -> tuple[str, ...]:
    """A sentence for each fault of a pack; with a tree, also for each entry that matches nothing there."""
    faults = lint_pack(pack)
    if session is None:
        return faults
    return (*faults, *session.count(session.tree(session.work_tree())).faults)


def counting(pack: Pack, engine: str | None = None) -> Callable[[Example, str], Sequence[Site]]:
    """Counts the sites of a piece of code as one file of a tree that declares no schema of its own.

    `engine` is the version of the tree where an example pins none.
    """
    schema = _schema(pack)
    tracked: Tracked = compile_pack(pack, schema)

    def count(example: Example, code: str) -> Sequence[Site]:
        path, version = example.path, example.engine or engine
        tree = ast.parse(code)
        texts = {**dict(example.files), path: code}
        facts = _joined(texts, tracked)
        local = compile_local(pack.rules, pack.package, version)
        matches = local.match(path, code, local.wants(path, code.encode()), lambda: tree)
        accesses = {place: found.accesses for place, found in facts.items()}
        flows = Flows(accesses, pack, schema, version)
        sources = Sources(lambda place: texts[place].encode())
        parted = out_of_step(pack.rules, flows, sources, version, [path]).get(path, ())
        parted = (*parted, *_refused(pack, schema, version, example, code, accesses).get(path, ()))
        matcher = SiteMatcher(pack.rules, schema, version)
        return matcher.sites(path, facts[path].accesses, facts[path].copies, matches, parted).sites

    return count


def _refused(
    pack: Pack,
    schema: Schema,
    engine: str | None,
    example: Example,
    code: str,
    accesses: Mapping[str, Sequence[Access]],
) -> Joined:
    """What contradicts the sets that an example's files declare; only an example of several files has any."""
    if not example.files:
        return {}
    texts = {**dict(example.files), example.path: code}
    source = Overlay(Empty(), {path: text.encode() for path, text in texts.items()})
    tree = Tree(source, "", pack, pack.rules, engine, schema)
    roles = restricted_roles(tree)
    return contradictions(tree, roles, accesses)


def _joined(texts: Mapping[str, str], tracked: Tracked) -> dict[str, FileFacts]:
    """The facts of a few files, each told what the others export."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    facts = {path: analyse(path, texts[path], tree, tracked) for path, tree in trees.items()}
    if len(texts) == 1:
        return facts
    index = Index.of(facts.values())
    outside = {
        path: index.relevant(found.imports, module_name(tracked.package, path)[0])
        for path, found in facts.items()
    }
    return {path: analyse(path, texts[path], trees[path], tracked, outside[path]) for path in texts}


def fixing(pack: Pack) -> Fix:
    """What the codemod of a rule makes of a piece of code, as of one file of a tree."""
    count = counting(pack)

    def fix(rule: Rule, example: Example, code: str) -> str:
        from ratchet.checking.replacing import boundaries, replace_sites
        from ratchet.codemod.rule_plan import RulePlanner
        from ratchet.codemod.style import Style

        sites = [site for site in count(example, code) if site.rule == rule.id]
        document = read_document(example.path, code.encode())
        assert isinstance(document, Document), "it was parsed to be counted"
        planner = RulePlanner(rule, pack.package, boundaries(pack, example.engine), example.engine)
        accessors = frozenset(name for item in pack.objects for name in item.accessors)
        done = replace_sites(planner, document, code.encode(), sites, Style(pack.package, accessors))
        return code if done.file is None else done.file.new.decode()

    return fix


def _schema(pack: Pack) -> Schema:
    if pack.schema is None:
        return NO_SCHEMA
    return load_snapshot(Path(pack.folder) / pack.schema.snapshots, pack.schema.default)
