"""The sites in a tree of git, kept up to date while its files change.

What a file holds depends on its own text and on what other files export. So while no export changes, only the
changed files are judged; where one does, the tree has to be scanned whole again, and `step` says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.analysis.modules import module_name
from ratchet.baseline.rows import Key
from ratchet.frozen import dataclass, replace
from ratchet.matching.engines import engine_applies
from ratchet.matching.paths import path_filter
from ratchet.matching.places import common_exemptions
from ratchet.matching.sites import SiteMatcher
from ratchet.scan import Scanner
from ratchet.session import Session
from ratchet.source.entries import Entry, Listing
from ratchet.source.log import Changed
from ratchet.source.objects import GitFiles
from ratchet.source.part import is_within
from ratchet.tree import Tree, plan_of

Sites = Mapping[str, Counter[Key]]
"""The sites of each rule that applies, by identity."""


@dataclass(frozen=True, slots=True)
class _File:
    """What is remembered of a file: its sites, what it exports, which exempt modules it imports from."""

    sites: tuple[tuple[str, Key], ...] = ()
    exports: Exports = NO_EXPORTS
    imported: frozenset[str] = frozenset()
    unjudged: bool = False


_NOTHING = _File()


class CountedTree:
    """A tree as it was counted last; `source` are its files."""

    def __init__(self, session: Session, tree: Tree, source: GitFiles) -> None:
        """Scan the tree whole."""
        self.source = source
        self._session = session
        self._tree = tree
        self._plan = plan_of(tree)
        self._exempt = common_exemptions(tree.rules, tree.engine)
        self._is_exempt = path_filter(self._exempt)
        self._exempt_modules = frozenset(self._module(path) for path in source.blobs if self._is_exempt(path))
        self._matcher = SiteMatcher(tree.rules, tree.schema, tree.engine)
        self._files: dict[str, _File] = {}
        self._sites: dict[str, Counter[Key]] = {
            rule.id: Counter() for rule in tree.rules if engine_applies(rule.engines, tree.engine)
        }
        scan = self._scanner(source).scan()
        self._index = scan.index
        self._put({path: self._file(path, facts) for path, facts in scan.facts.items()})
        self._unlisted = len(source.listing.problems)

    @property
    def sites(self) -> Sites:
        """The sites of now; what is given out does not change later."""
        return self._sites

    @property
    def unjudged(self) -> int:
        """How many files could not be judged."""
        return self._unlisted + sum(file.unjudged for file in self._files.values())

    def step(self, changed: Iterable[Changed]) -> bool:
        """Follow the changes of a commit; False, and nothing done, where the tree has to be scanned whole."""
        listed = [(each.path, each.modes, each.blob) for each in changed]
        source = self.source.after(listed)
        if source is None:
            return False
        before, now = self.source.blobs, source.blobs
        paths = {path for path, _ in before.items() ^ now.items()}
        if not self._may_step(paths):
            return False
        entries = [Entry(path, None, now[path]) for path in paths if path in now]
        part = replace(source, listing=Listing.of(entries))
        scan = self._scanner(part).scan_changed(self._index)
        files = {path: self._file(path, facts) for path, facts in scan.facts.items()}
        for path in paths:
            old, new = self._files.get(path, _NOTHING), files.get(path, _NOTHING)
            if (old.exports, old.imported) != (new.exports, new.imported):
                return False
        self._put({path: files.get(path) for path in paths})
        self.source = source
        return True

    def _may_step(self, paths: Iterable[str]) -> bool:
        """Whether none of the files says how the tree is judged, or is exempt and yet looked into."""
        declaring = frozenset(self._session.declaring())
        exempt = [self._module(path) for path in paths if self._is_exempt(path)]
        imported = frozenset().union(*(file.imported for file in self._files.values())) if exempt else ()
        new = any(module not in self._exempt_modules for module in exempt)
        return not (new or any(is_within(path, declaring) for path in paths) or {*exempt} & {*imported})

    def _scanner(self, source: GitFiles) -> Scanner:
        place, progress = self._session.place, None
        root = f"{self._tree.root}"
        return Scanner(self._plan, source, self._session.cache, place.jobs, root, progress, self._exempt)

    def _module(self, path: str) -> str:
        return module_name(self._plan.tracked.package, path)[0]

    def _file(self, path: str, facts: FileFacts) -> _File:
        found = self._matcher.sites(path, facts.accesses, facts.copies, facts.matches).sites
        imported: frozenset[str] = frozenset()
        if not self._is_exempt(path):
            names = {*facts.imports, *(name.rpartition(".")[0] for name in facts.imports)}
            imported = self._exempt_modules & names
        sites = tuple((site.rule, site.key) for site in found)
        return _File(sites, facts.exports, imported, facts.problem is not None)

    def _put(self, files: Mapping[str, _File | None]) -> None:
        """Let files stand for what was known under their paths; None for one that is no more."""
        changes: dict[str, Counter[Key]] = {}
        for path, new in files.items():
            for sign, file in ((-1, self._files.get(path)), (1, new)):
                for rule, key in file.sites if file else ():
                    changes.setdefault(rule, Counter())[key] += sign
            if new is None:
                self._files.pop(path, None)
            else:
                self._files[path] = new
        self._sites = dict(self._sites)
        for rule, change in changes.items():
            if any(change.values()):
                merged = Counter(self._sites[rule])
                merged.update(change)
                self._sites[rule] = +merged
