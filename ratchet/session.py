"""The set-up that all verbs share: configuration, pack, cache, tree; and how a tree is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ratchet import __version__
from ratchet.analysis import VERSION
from ratchet.cache import Cache
from ratchet.config import Config, TreeConfig, load_config
from ratchet.errors import UsageError
from ratchet.escape import display_path
from ratchet.frozen import dataclass, replace
from ratchet.model import Pack, Rule, Schema
from ratchet.pack import Memo, load_packs
from ratchet.pack.table import nearest
from ratchet.source.worktree import WorkTree
from ratchet.tally import Tally, tally
from ratchet.tree import Tree, open_tree
from ratchet.workspace import (
    Options,
    Workspace,
    cache_folder,
    choose_trees,
    engine_of,
    packs_of,
    resolve,
)

if TYPE_CHECKING:
    from ratchet.scan import Memory, Progress
    from ratchet.source.entries import Source

__all__ = ["Options", "Session", "Setup", "configured_pack", "only_one", "open_sessions", "set_up"]


@dataclass(frozen=True, slots=True)
class Session:
    """One tree of a run, with its pack and the cache. `rules` are those that the configuration selects.

    `notes` are about how the run was set up. `memory` is for a run that scans nearly the same tree several
    times.
    """

    cwd: Path
    place: Workspace
    pack: Pack
    rules: tuple[Rule, ...]
    cache: Cache
    progress: Progress | None = None
    notes: tuple[str, ...] = ()
    memory: Memory | None = None

    def choose(self, ids: Iterable[str]) -> tuple[Rule, ...]:
        """The rules of these ids, all where none is named. Raises UsageError for an id that is no rule's."""
        wanted = {self.rule(rule_id).id for rule_id in ids}
        return tuple(rule for rule in self.rules if not wanted or rule.id in wanted)

    @property
    def root_name(self) -> str:
        """The source root as reports name it: from the working directory where it lies below."""
        root = self.place.root
        return root.relative_to(self.cwd).as_posix() if root.is_relative_to(self.cwd) else str(root)

    def rule(self, rule_id: str) -> Rule:
        """The rule of this id, or formerly of this id. Raises UsageError where there is none."""
        for rule in self.rules:
            if rule_id in (rule.id, *rule.formerly):
                return rule
        hint = nearest(rule_id, [rule.id for rule in self.rules])
        raise UsageError(f"no rule is called {rule_id}{hint}; `ratchet count` lists them all")

    def work_tree(self, only: Iterable[str] | None = None) -> WorkTree:
        """The files on disk, or of those only the files and folders named, relative to the root."""
        return WorkTree.open(self.place.root, self.place.excludes, only)

    def tree(self, source: Source, label: str = "", engine: str | None = None) -> Tree:
        """A whole source with what it is judged by; `label` tells a source that is not the disk's apart."""
        known = engine or self.place.engine or self._declared_engine(source)
        root = f"{self.place.root}{label}"
        return open_tree(source, root, self.pack, self.rules, known, self.cache)

    def part(self, source: Source, whole: Source | None = None, label: str = "") -> Tree:
        """A part of a tree with what the whole is judged by.

        What declares schema and engine is read from `whole`, or where that is None from the disk.
        """
        return replace(self.tree(whole or self.work_tree(self.declaring()), label), source=source)

    def count(self, tree: Tree, whole: Callable[[], Source] | None = None) -> Tally:
        """Count every rule's sites in a tree; `whole` opens all of it where the tree is a part."""
        jobs = self.place.jobs
        return tally(tree, self.cache, jobs, whole=whole, progress=self.progress, memory=self.memory)

    def schema(self) -> Schema:
        """The schema that serves the tree on disk."""
        return self.tree(self.work_tree(self.declaring())).schema

    def declaring(self) -> list[str]:
        """The files and folders that say which schema and which engine version a tree has."""
        shapes = self.pack.schema.shapes if self.pack.schema else ()
        return [*(shape.path for shape in shapes), *(self.pack.engine.files if self.pack.engine else ())]

    def _declared_engine(self, source: Source) -> str | None:
        said = self.pack.engine
        return engine_of(source, said.files, said.names) if said else None


@dataclass(frozen=True, slots=True)
class Setup:
    """A run before its trees are looked for: configuration, the trees that are chosen, the open cache.

    `memo` is what packs are parsed through, each once.
    """

    cwd: Path
    options: Options
    config: Config
    trees: tuple[TreeConfig, ...]
    cache: Cache
    memo: Memo

    def pack(self, tree: TreeConfig) -> Pack:
        """The packs of a tree as one."""
        names, base = packs_of(tree, self.config, self.options, self.cwd)
        return load_packs(names, base, analysis=str(VERSION), memo=self.memo)

    def session(self, tree: TreeConfig, progress: Progress | None = None) -> Session:
        """A tree ready to work on. Raises JudgeError where it is not found."""
        pack = self.pack(tree)
        place = resolve(tree, self.config, self.options, self.cwd, pack.package)
        rules = _selected(pack, place)
        return Session(self.cwd, place, pack, rules, self.cache, progress, _notes(self.config))


def configured_pack(packs: Sequence[str] = (), root: Path | None = None, cwd: Path | None = None) -> Pack:
    """The packs of these names or folders as one, else those of the configuration, else the only one shipped.

    For verbs that look at a pack, and at most read the schema of the tree in `root`; without a configuration
    for `cwd` that tree's own serves. Raises UsageError where the configuration's trees differ.
    """
    cwd = cwd or Path.cwd()
    if packs:
        return load_packs(packs, cwd)
    config = load_config(cwd, root=root)
    choices = {tree.packs: tree.name for tree in config.trees}
    if len(choices) > 1:
        trees = " and ".join(choices.values())
        raise UsageError(f"the trees {trees} of {config.file} have different packs: choose one with --pack")
    return load_packs(next(iter(choices)), config.folder)


@contextmanager
def set_up(options: Options, config_file: Path | None = None, cwd: Path | None = None) -> Iterator[Setup]:
    """Read the configuration and open the cache, which is closed at the end.

    `cwd` is the folder that relative paths start at, by default the process's.
    """
    cwd = cwd or Path.cwd()
    config = load_config(cwd, config_file, options.root)
    trees = choose_trees(config, options, cwd)
    cache = Cache.open(cache_folder(config, options, cwd))
    try:
        yield Setup(cwd, options, config, trees, cache, _memo(cache))
    finally:
        cache.close()


@contextmanager
def open_sessions(
    options: Options,
    config_file: Path | None = None,
    cwd: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[tuple[Session, ...]]:
    """The chosen trees of the configuration, each ready to work on; arguments as in `set_up`.

    Raises UsageError and JudgeError for what is wrong with options, configuration, packs or places.
    """
    with set_up(options, config_file, cwd) as setup:
        yield tuple(setup.session(tree, progress) for tree in setup.trees)


def only_one(sessions: Sequence[Session]) -> Session:
    """The session of what works on one tree; UsageError where several are chosen."""
    if len(sessions) > 1:
        names = ", ".join(session.place.name for session in sessions)
        raise UsageError(f"this works on one tree, and there are {names}; choose one with --tree")
    return sessions[0]


def _notes(config: Config) -> tuple[str, ...]:
    if config.unused is None:
        return ()
    used, unused = (display_path(str(path)) for path in (config.file, config.unused))
    return (f"{used} serves, being nearest; --config {unused} takes the one of the tree in --root",)


def _memo(cache: Cache) -> Memo:
    """A memory for parsed packs, so that TOML is read once for all runs that see the same bytes.

    Without a cache it is once for this run.
    """
    known: dict[str, str] = {}

    def recall(key: str, make: Callable[[], str]) -> str:
        key = f"{key} {__version__}"
        text = known.get(key) or cache.get_result(key)
        if text is None:
            text = make()
            cache.put_result(key, text)
        known[key] = text
        return text

    return recall


def _selected(pack: Pack, place: Workspace) -> tuple[Rule, ...]:
    """The rules that the configuration leaves; one that it names and the packs lack is a UsageError."""
    known = {rule.id for rule in pack.rules}
    disabled = {entry.rule for entry in place.disable}
    for name in (*place.rules, *sorted(disabled)):
        if name not in known:
            raise UsageError(
                f"the configuration names the rule {name}, which no pack has{nearest(name, known)}"
            )
    wanted = set(place.rules) or known
    return tuple(rule for rule in pack.rules if rule.id in wanted - disabled)
