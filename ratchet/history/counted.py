"""The sites in a tree, kept up to date while its files change: from commit to commit, or from batch to batch.

What a file holds depends on its own text and on what other files export. So the changed files are judged,
and where that changes what they export, the files that this says something else to, until nothing changes.
Where that cannot be told (the schema changed, an exempt file is imported), `step` asks for a whole scan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.analysis.modules import module_name
from ratchet.baseline.rows import Key
from ratchet.frozen import dataclass, replace
from ratchet.history.joined import JoinedSites
from ratchet.index import Index, Learned
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.places import common_exemptions
from ratchet.matching.sites import SiteMatcher
from ratchet.model import Access, FlowMatch, RoleMatch, Rule
from ratchet.scan import Scanner
from ratchet.session import Session
from ratchet.source.entries import Source
from ratchet.source.part import Part, is_within
from ratchet.tree import Tree, plan_of

Sites = Mapping[str, Counter[Key]]
"""The sites of each rule that applies, by identity."""


NO_FACTS = FileFacts()


@dataclass(frozen=True, slots=True)
class _File:
    """What is remembered of a file: its sites, its facts without accesses, what others told it, and which
    exempt modules it imports from."""

    sites: tuple[tuple[str, Key], ...] = ()
    facts: FileFacts = NO_FACTS
    outside: Exports = NO_EXPORTS
    imported: frozenset[str] = frozenset()


_NOTHING = _File()
_MAX_ROUNDS = 100


class CountedTree:
    """A tree as it was counted last. Its source says which content each file has."""

    def __init__(self, session: Session, tree: Tree, asked: Collection[str] | None = None) -> None:
        """Scan the tree whole. Of rules about the whole tree, only those of the `asked` ids are judged."""
        self._session = session
        self._tree = tree
        self._blobs = _blobs(tree.source)
        self._plan = plan_of(tree)
        self._exempt = common_exemptions(tree.rules, tree.engine)
        self._is_exempt = path_filter(self._exempt)
        self._exempt_modules = frozenset(self._module(path) for path in self._blobs if self._is_exempt(path))
        judged = replace(tree, rules=tuple(rule for rule in tree.rules if _is_judged(rule, asked)))
        self._matcher = SiteMatcher(judged.rules, tree.schema, tree.engine)
        self._files: dict[str, _File] = {}
        self._sites: dict[str, Counter[Key]] = {
            rule.id: Counter() for rule in judged.rules if engine_applies(rule.engines, tree.engine)
        }
        scan = self._scanner(tree.source).scan()
        self._index = scan.index
        self._put({path: self._file(path, facts) for path, facts in scan.facts.items()})
        self._touched: dict[str, tuple[Access, ...]] = {}
        self._parted: dict[str, tuple[tuple[str, Key], ...]] = {}
        self._joined = JoinedSites(judged, {path: facts.accesses for path, facts in scan.facts.items()})
        self._put_joined(self._joined.paths)
        self._unlisted = len(tree.source.listing.problems)
        self._woken = self._imported()
        self._known = self._learned(self._index)
        self._texts: dict[str, bytes] = {}

    @property
    def sites(self) -> Sites:
        """The sites of now; what is given out does not change later."""
        unjudged = self._joined.unjudged
        return {rule: sites for rule, sites in self._sites.items() if rule not in unjudged}

    @property
    def unjudged(self) -> int:
        """How many files could not be judged."""
        return self._unlisted + sum(file.facts.problem is not None for file in self._files.values())

    def step(self, source: Source) -> bool:
        """Go on to a tree of which some files are others; False where it has to be scanned whole: then drop
        this one."""
        blobs = _blobs(source)
        paths = {path for path, _ in self._blobs.items() ^ blobs.items()}
        if not self._may_step(paths):
            return False
        self._tree, self._blobs = replace(self._tree, source=source), blobs
        self._touched = {}
        for _ in range(_MAX_ROUNDS):
            if not self._judge(paths):
                break
            index = Index.of(file.facts for file in self._files.values() if file.facts.exports)
            affected = self._affected(index)
            if affected is None:
                return False
            self._index, paths = index, affected
            if not paths:
                break
        else:
            return False
        self._put_joined(self._joined.follow(self._tree, self._touched))
        return True

    def _judge(self, paths: set[str]) -> bool:
        """Judge files again; says whether that may matter to others."""
        part = Part(self._tree.source, frozenset(paths))
        scan = self._scanner(part).scan_changed(self._index)
        files = {path: self._file(path, facts) for path, facts in scan.facts.items()}
        self._touched.update(dict.fromkeys(paths, ()))
        self._touched.update((path, facts.accesses) for path, facts in scan.facts.items())
        before = [self._files.get(path, _NOTHING) for path in paths]
        self._put({path: files.get(path) for path in paths})
        after = [self._files.get(path, _NOTHING) for path in paths]
        return any(
            (old.facts.exports, old.imported) != (new.facts.exports, new.imported)
            for old, new in zip(before, after, strict=True)
        )

    def _affected(self, index: Index) -> set[str] | None:
        """The files to which what is exported now says something else; None where that has to be found out
        by a scan: other exempt files are imported, or a name is learned no more."""
        if self._imported() != self._woken:
            return None
        found = {
            path
            for path, file in self._files.items()
            if file.facts.imports and self._outside(path, file.facts, index) != file.outside
        }
        learned = self._learned(index)
        if learned == self._known:
            return found
        if not (self._known.classes <= learned.classes and {*self._known.pairs} <= {*learned.pairs}):
            return None
        fresh = Learned(
            tuple(pair for pair in learned.pairs if pair not in self._known.pairs),
            learned.classes - self._known.classes,
        )
        self._known = learned
        return found | {path for path in self._files if self._may_use(path, fresh)}

    def _may_use(self, path: str, learned: Learned) -> bool:
        """Whether a file that was judged by its bytes holds a name that is learned just now."""
        file = self._files[path]
        if file.facts.imports or file.facts.problem is not None or self._is_exempt(path):
            return False
        blob = self._blobs[path]
        data = self._texts.get(blob)
        if data is None:
            read = self._tree.source.read(path)
            data = self._texts[blob] = read if isinstance(read, bytes) else b""
        return learned.hits(data)

    def _learned(self, index: Index) -> Learned:
        return index.learned(self._plan.tracked.words, self._plan.prefilter.needles)

    def _imported(self) -> frozenset[str]:
        """The exempt modules that counted files import from."""
        return frozenset().union(*(file.imported for file in self._files.values()))

    def _outside(self, path: str, facts: FileFacts, index: Index) -> Exports:
        return index.relevant(facts.imports, self._module(path)) if index.exports else NO_EXPORTS

    def _may_step(self, paths: Iterable[str]) -> bool:
        """Whether none of the files says how the tree is judged, or is exempt and yet looked into."""
        declaring = frozenset(self._session.declaring())
        exempt = {self._module(path) for path in paths if self._is_exempt(path)}
        if exempt - self._exempt_modules or exempt & self._woken:
            return False
        return not any(is_within(path, declaring) for path in paths)

    def _scanner(self, source: Source) -> Scanner:
        session, root = self._session, self._tree.root
        jobs, progress = session.place.jobs, session.progress
        return Scanner(self._plan, source, session.cache, jobs, root, progress, self._exempt, session.memory)

    def _module(self, path: str) -> str:
        return module_name(self._plan.tracked.package, path)[0]

    def _file(self, path: str, facts: FileFacts) -> _File:
        found = self._matcher.sites(path, facts.accesses, facts.copies, facts.matches).sites
        imported: frozenset[str] = frozenset()
        if not self._is_exempt(path):
            names = {*facts.imports, *(name.rpartition(".")[0] for name in facts.imports)}
            imported = self._exempt_modules & names
        sites = tuple((site.rule, site.key) for site in found)
        outside = self._outside(path, facts, self._index) if facts.imports else NO_EXPORTS
        kept = FileFacts(imports=facts.imports, exports=facts.exports, problem=facts.problem)
        return _File(sites, kept, outside, imported)

    def _put(self, files: Mapping[str, _File | None]) -> None:
        """Let files stand for what was known under their paths; None for one that is no more."""
        changes = _Changes()
        for path, new in files.items():
            old = self._files.get(path)
            changes.add(old.sites if old else (), new.sites if new else ())
            if new is None:
                self._files.pop(path, None)
            else:
                self._files[path] = new
        self._sites = changes.made(self._sites)

    def _put_joined(self, paths: Iterable[str]) -> None:
        """Take over what rules about the whole tree find in some files."""
        changes = _Changes()
        for path in paths:
            found = self._matcher.sites(path, (), joined=self._joined.of(path)).sites
            now = tuple((site.rule, site.key) for site in found)
            changes.add(self._parted.pop(path, ()), now)
            if now:
                self._parted[path] = now
        self._sites = changes.made(self._sites)


def _blobs(source: Source) -> dict[str, str]:
    return {entry.path: entry.blob or "" for entry in source.entries()}


def _is_judged(rule: Rule, asked: Collection[str] | None) -> bool:
    """Whether a rule is judged; one about single files always is, by facts that are made for all of those."""
    return asked is None or rule.id in asked or not isinstance(rule.match, FlowMatch | RoleMatch)


class _Changes:
    """By how much the number of each site of each rule changes."""

    def __init__(self) -> None:
        self._by_rule: dict[str, Counter[Key]] = {}

    def add(self, old: Iterable[tuple[str, Key]], new: Iterable[tuple[str, Key]]) -> None:
        """Some sites take the place of others."""
        for sign, sites in ((-1, old), (1, new)):
            for rule, key in sites:
                self._by_rule.setdefault(rule, Counter())[key] += sign

    def made(self, sites: Mapping[str, Counter[Key]]) -> dict[str, Counter[Key]]:
        """The sites after the changes; those before stay as they are."""
        found = dict(sites)
        for rule, change in self._by_rule.items():
            if any(change.values()):
                merged = Counter(found[rule])
                merged.update(change)
                found[rule] = +merged
        return found
