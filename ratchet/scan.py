"""Scans a source: the facts of every file, joined across files, out of the cache where nothing changed."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TypeVar

from ratchet.analysis.encoding import decode_facts, encode_facts, export_rows, read_exports
from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.analysis.modules import module_name
from ratchet.cache import Cache
from ratchet.frozen import dataclass, field
from ratchet.index import Index, Learned, digest
from ratchet.judge import Plan, Task, judge_file
from ratchet.matching.paths import path_filter
from ratchet.model import Census, Problem
from ratchet.pool import judge_all
from ratchet.source.blob import blob_id
from ratchet.source.entries import Entry, Source

_MAX_ROUNDS = 100
_Told = TypeVar("_Told")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a run saw: the facts of the files that hold any, by path in order, and the census of all files.

    `blobs` are the ids of the contents that were judged.
    """

    facts: Mapping[str, FileFacts]
    census: Census
    index: Index
    blobs: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Memory:
    """What the scans of one run found out, for those that follow: trees that differ in a few files share it.

    `facts` are those of files, by their key in the cache. The others go by the ids of contents: what each was
    to be told of others, by which bases, with what it mentions of that; and those that hold nothing that
    `searched` looks for.
    """

    facts: dict[str, FileFacts] = field(default_factory=dict)
    told: dict[str, tuple[Exports, Mapping[str, tuple[str, ...]], Exports]] = field(default_factory=dict)
    searched: Learned = Learned((), frozenset())
    empty: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Progress:
    """Told how many files there are to judge, then of each batch that is done."""

    start: Callable[[int], None] = lambda total: None
    advance: Callable[[int], None] = lambda count: None


class Scanner:
    """Judges the files of one source by one plan."""

    def __init__(
        self,
        plan: Plan,
        source: Source,
        cache: Cache,
        jobs: int,
        root: str,
        progress: Progress | None = None,
        exempt: Sequence[str] = (),
        memory: Memory | None = None,
    ) -> None:
        """`exempt` are files and folders whose accesses no rule counts; `memory` serves several scans."""
        self._plan = plan
        self._source = source
        self._cache = cache
        self._jobs = jobs
        self._root = root
        self._progress = progress or Progress()
        self._memory = memory if memory is not None else Memory()
        self._entries = {entry.path: entry for entry in source.entries()}
        self._sizes = {
            path: entry.signature[0] if entry.signature else 4096 for path, entry in self._entries.items()
        }
        self._blobs: dict[str, str] = {}
        self._searched = Learned((), frozenset())
        self._empty: frozenset[str] = frozenset()
        # The files whose accesses nobody counts, by module, as long as no other file imports from them.
        package = plan.tracked.package
        self._is_exempt = path_filter(exempt)
        inside = filter(self._is_exempt, self._entries)
        modules = {module_name(package, path)[0]: path for path in inside}
        # Whoever is counted imports from the modules of the tracked names: they are judged with the first.
        self._exempt = {name: path for name, path in modules.items() if name not in plan.tracked.modules}

    def known_contents(self) -> Mapping[str, str]:
        """The blob ids of the files that did not change since the cache saw them."""
        self._blobs = self._known_blobs()
        return self._blobs

    def scan(self, meanwhile: Iterator[object] | None = None) -> Scan:
        """The whole source: every file, then again those that the exports of others matter to.

        `meanwhile` is what else there is to do, bit by bit: as much of it is done here as there is time for
        while other processes judge files, if any do.
        """
        facts, index = self._settle(lambda facts: Index.of(facts.values()), meanwhile)
        self._remember_index(index)
        return self._finished(facts, index, complete=True)

    def scan_part(self, index: Index | None = None) -> Scan:
        """A part of a tree, judged with the exports of the whole tree as an earlier run left them."""
        known = index or self.known_index()
        facts, current = self._settle(lambda facts: self._overlaid(known, facts))
        return self._finished(facts, current, complete=False)

    def scan_changed(self, index: Index) -> Scan:
        """Files that changed in a tree while nothing changed in what it exports, which is `index`."""
        facts, _ = self._settle(lambda _facts: index)
        return self._finished(facts, index, complete=False)

    def _settle(
        self,
        index_of: Callable[[Mapping[str, FileFacts]], Index],
        meanwhile: Iterator[object] | None = None,
    ) -> tuple[dict[str, FileFacts], Index]:
        """Judge every file, and again as long as what it is told of others changes."""
        self.known_contents()
        facts = self._judge(self._first_tasks(), meanwhile)
        index = index_of(facts)
        applied: dict[str, str] = {}
        for _ in range(_MAX_ROUNDS):
            tasks = self._affected(facts, index, applied)
            if not tasks:
                break
            facts.update(self._judge(tasks, meanwhile))
            applied.update((task.path, digest(task.outside)) for task in tasks)
            index = index_of(facts)
        self._memory.searched, self._memory.empty = self._searched, self._empty
        return facts, index

    def _overlaid(self, known: Index | None, facts: Mapping[str, FileFacts]) -> Index:
        """What an earlier run learned of the other files, and what the files at hand say now."""
        now = Index.of(facts.values()).exports
        before = known.exports if known is not None else NO_EXPORTS
        modules = tuple(f"{module_name(self._plan.tracked.package, path)[0]}." for path in facts)
        joined = Exports(
            {**_without(before.names, modules), **now.names},
            {**_without(before.returns, modules), **now.returns},
            {**_without(before.bases, modules), **now.bases},
        )
        return known if known is not None and joined == known.exports else Index.over(joined)

    def known_index(self) -> Index | None:
        """The joined exports of the last whole run, None where there was none."""
        text = self._cache.get_result(self._index_key())
        if text is None:
            return None
        try:
            return Index.over(read_exports(json.loads(text)))
        except (ValueError, TypeError, KeyError):
            return None

    # Rounds

    def _first_tasks(self) -> list[Task]:
        exempt = set(self._exempt.values())
        return [Task(path, exempt=path in exempt) for path in self._entries]

    def _woken(self, facts: Mapping[str, FileFacts]) -> list[Task]:
        """The exempt files that a counted one imports from: what they export counts."""
        if not self._exempt:
            return []
        names = {name for path, found in facts.items() if not self._is_exempt(path) for name in found.imports}
        modules = {name.rpartition(".")[0] for name in names} | names
        return [Task(self._exempt.pop(module)) for module in sorted(modules & self._exempt.keys())]

    def _affected(
        self, facts: Mapping[str, FileFacts], index: Index, applied: Mapping[str, str]
    ) -> list[Task]:
        """The files that the exports of others matter to, as long as those differ from the last round's."""
        woken = self._woken(facts)
        if woken or not index.exports:
            return woken
        tasks = []
        for path, found in facts.items():
            outside = self._outside(path, found.imports, index) if found.imports else NO_EXPORTS
            if digest(outside) != applied.get(path, ""):
                tasks.append(Task(path, outside))
        tasks += self._newly_interesting(facts, index, {task.path for task in tasks} | set(applied))
        return tasks

    def _outside(self, path: str, imports: Iterable[str], index: Index) -> Exports:
        """What a file is to be told of others: nothing where it names none of it."""
        outside = index.relevant(imports, module_name(self._plan.tracked.package, path)[0])
        if not outside:
            return NO_EXPORTS
        blob, bases = self._blobs.get(path, ""), index.exports.bases
        known = self._memory.told.get(blob)
        if known is not None and known[0] == outside and known[1] == bases:
            return known[2]
        data = self._source.read(path)
        mentioned = not isinstance(data, bytes) or index.is_mentioned(outside, data)
        found = outside if mentioned else NO_EXPORTS
        if blob:
            self._memory.told[blob] = (outside, bases, found)
        return found

    def _newly_interesting(self, facts: Mapping[str, FileFacts], index: Index, seen: set[str]) -> list[Task]:
        """The files judged by their bytes so far that hold a name which another file taught."""
        taught = index.learned(self._plan.tracked.words, self._plan.prefilter.needles)
        learned = taught.beyond(self._searched)
        if not learned:
            return []
        first, self._searched = not self._searched, taught
        fewer = learned.beyond(self._memory.searched)
        exempt = set(self._exempt.values())
        tasks, empty = [], set()
        for path in self._entries:
            found = facts.get(path)
            known = found is not None and (found.imports or found.problem is not None)
            if known or path in exempt or path in seen:
                continue
            blob = self._blobs.get(path, "")
            if self._holds(path, fewer if blob in self._memory.empty else learned):
                tasks.append(Task(path, forced=True))
            elif blob:
                empty.add(blob)
        self._empty = frozenset(empty) if first else self._empty & empty
        return tasks

    def _holds(self, path: str, learned: Learned) -> bool:
        data = self._source.read(path) if learned else b""
        return isinstance(data, bytes) and learned.hits(data)

    # Facts

    def _judge(
        self, tasks: Sequence[Task], meanwhile: Iterator[object] | None = None
    ) -> dict[str, FileFacts]:
        """The facts of files, out of the cache where they are known."""
        keys = {task.path: key for task in tasks if (key := self._key(task))}
        known = self._memory.facts
        texts = self._cache.get_facts([key for key in keys.values() if key not in known]) if keys else {}
        found: dict[str, FileFacts] = {}
        for path, key in keys.items():
            facts = known.get(key) or _decoded(texts.get(key))
            if facts is not None:
                found[path] = known[key] = facts
        missing = [task for task in tasks if task.path not in found]
        if missing:
            found.update(self._judge_missing(missing, meanwhile))
        return {task.path: found[task.path] for task in tasks}

    def _judge_missing(
        self, tasks: Sequence[Task], meanwhile: Iterator[object] | None
    ) -> dict[str, FileFacts]:
        self._progress.start(len(tasks))
        by_path = {task.path: task for task in tasks}
        found: dict[str, FileFacts] = {}
        texts: dict[str, str] = {}
        read: list[tuple[Entry, str]] = []
        outcomes = judge_all(
            self._plan,
            self._source,
            tasks,
            self._sizes.__getitem__,
            self._jobs,
            self._progress.advance,
            meanwhile,
        )
        with closing(outcomes):
            for judged in outcomes:
                found[judged.path] = decode_facts(judged.facts)
                if judged.blob:
                    self._blobs[judged.path] = judged.blob
                    read.append((self._entries[judged.path], judged.blob))
                    texts[self._key(by_path[judged.path]) or ""] = judged.facts
        self._cache.put_facts(texts)
        self._cache.remember_blobs(self._root, read, self._source.listing.taken_ns)
        return found

    def _key(self, task: Task) -> str | None:
        """The name of a file's facts in the cache, None where its content is not known yet."""
        blob = self._blobs.get(task.path)
        if blob is None:
            return None
        return _facts_key(self._plan, blob, task)

    def _known_blobs(self) -> dict[str, str]:
        entries = list(self._entries.values())
        blobs = {entry.path: entry.blob for entry in entries if entry.blob}
        unknown = [entry for entry in entries if entry.blob is None]
        return {**self._cache.known_blobs(self._root, unknown), **blobs} if unknown else blobs

    def _index_key(self) -> str:
        return index_key(self._plan.fingerprint, self._root)

    def _remember_index(self, index: Index) -> None:
        text = json.dumps(export_rows(index.exports))
        if self._cache.get_result(self._index_key()) != text:
            self._cache.put_result(self._index_key(), text)

    # Outcome

    def _finished(self, facts: Mapping[str, FileFacts], index: Index, complete: bool) -> Scan:
        problems = {*self._source.listing.problems}
        problems.update(found.problem for found in facts.values() if found.problem is not None)
        analysed = sum(found.parsed for found in facts.values())
        judged = frozenset(path for path, found in facts.items() if found.problem is None)
        census = Census(
            discovered=len(self._entries) + len(self._source.listing.problems),
            analysed=analysed,
            judged_by_bytes=len(judged) - analysed,
            judged=judged,
            complete=complete,
            problems=tuple(sorted(problems, key=_problem_order)),
        )
        return Scan(dict(sorted(facts.items())), census, index, dict(self._blobs), self._source.listing.notes)


def judge_ahead(plan: Plan, path: str, data: bytes, tree: ast.Module) -> tuple[str, str]:
    """What a file is to become, judged by itself: its facts and their key, as a cache has them.

    `tree` is the syntax tree of `data`. Scans find these facts; where the exports of other files matter to
    the file, they judge it again with them.
    """
    return _facts_key(plan, blob_id(data), Task(path)), encode_facts(judge_file(plan, path, data, tree=tree))


def index_key(fingerprint: str, root: str) -> str:
    """The name of a tree's joined exports in the cache."""
    return f"index {fingerprint} {root}"


def _facts_key(plan: Plan, blob: str, task: Task) -> str:
    forced = "forced" if task.forced else "exempt" if task.exempt else ""
    return f"{plan.fingerprint} {blob} {digest(task.outside)} {forced} {task.path}"


def _without(table: Mapping[str, _Told], modules: tuple[str, ...]) -> dict[str, _Told]:
    """The part of a table of dotted names that these modules did not tell."""
    return {name: told for name, told in table.items() if not name.startswith(modules)}


def _decoded(text: str | None) -> FileFacts | None:
    if text is None:
        return None
    try:
        return decode_facts(text)
    except (ValueError, TypeError, KeyError):
        return None


def _problem_order(problem: Problem) -> tuple[str, int, str]:
    return (problem.path, problem.line, problem.message)
