"""Where a run works: each tree's root, baselines, packs and cache, out of the options and the configuration.

An option wins over the configuration, and that over what is found. Paths of options are relative to the
working directory, those of the configuration to its folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ratchet.cache import default_folder
from ratchet.config import Config, Disable, Exclude, Stale, TreeConfig, baselines_of
from ratchet.errors import JudgeError, UsageError
from ratchet.escape import display_path
from ratchet.frozen import dataclass
from ratchet.model import Problem
from ratchet.pack.table import nearest
from ratchet.source.entries import Source
from ratchet.source.git import relative_prefix, repository_of

PLACES = (".", "src", "python")
"""Where, below a folder, a package usually lies."""

_INIT = "__init__.py"


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says of the workspace; None or empty where it says nothing."""

    root: Path | None = None
    packs: tuple[str, ...] = ()
    engine: str | None = None
    baselines: Path | None = None
    cache_dir: Path | None = None
    no_cache: bool = False
    jobs: int | None = None
    stale: Stale | None = None
    trees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """One tree with everything that is settled before its files are looked at; paths are absolute.

    `prefix` is the root's place in the repository. `packs` are names or paths relative to `pack_base`.
    `engine` is None where only the tree itself can say it. `cache_dir` is None for no cache.
    """

    name: str
    root: Path
    repository: Path | None
    prefix: str
    packs: tuple[str, ...]
    pack_base: Path
    engine: str | None
    rules: tuple[str, ...]
    disable: tuple[Disable, ...]
    baselines: Path
    exclude: tuple[Exclude, ...]
    cache_dir: Path | None
    jobs: int
    stale: Stale
    owners: Path | None
    migrate_format: tuple[str, ...]

    @property
    def excludes(self) -> tuple[str, ...]:
        """The paths that are left out, without their reasons."""
        return tuple(exclude.path for exclude in self.exclude)


def choose_trees(config: Config, options: Options, cwd: Path) -> tuple[TreeConfig, ...]:
    """Return the trees of the configuration that the options choose, in its order; all by default."""
    names = [tree.name for tree in config.trees if tree.name]
    for name in options.trees:
        if name not in names:
            known = f"the trees are {', '.join(names)}" if names else "the configuration names none"
            raise UsageError(f"there is no tree `{name}`{nearest(name, names)}; {known}: see [trees] there")
    chosen = tuple(tree for tree in config.trees if not options.trees or tree.name in options.trees)
    if options.root is not None and len(chosen) > 1:
        named = (cwd / options.root).resolve()
        lying = tuple(tree for tree in chosen if (config.folder / (tree.root or "")).resolve() == named)
        chosen = lying or chosen
    for option, given in (("--root", options.root), ("--baselines", options.baselines)):
        if given is not None and len(chosen) > 1:
            listed = ", ".join(tree.name for tree in chosen)
            raise UsageError(f"{option} is for one tree, and there are {listed}; choose one with --tree")
    return chosen


def packs_of(tree: TreeConfig, config: Config, options: Options, cwd: Path) -> tuple[tuple[str, ...], Path]:
    """Return the packs that a tree is judged by, and the folder that their paths are relative to."""
    return (options.packs, cwd) if options.packs else (tree.packs, config.folder)


def resolve(tree: TreeConfig, config: Config, options: Options, cwd: Path, package: str) -> Workspace:
    """Return the workspace of a tree whose pack speaks of `package`."""
    root = _root(tree, config, options, cwd, package)
    repository = repository_of(root)
    packs, pack_base = packs_of(tree, config, options, cwd)
    return Workspace(
        name=tree.name,
        root=root,
        repository=repository,
        prefix=relative_prefix(repository, root) if repository else "",
        packs=packs,
        pack_base=pack_base,
        engine=options.engine or tree.engine,
        rules=tree.rules,
        disable=tree.disable,
        baselines=_baselines(tree, config, options, cwd),
        exclude=tree.exclude,
        cache_dir=cache_folder(config, options, cwd),
        jobs=_jobs(options.jobs),
        stale=options.stale or config.stale,
        owners=config.folder / config.owners if config.owners else None,
        migrate_format=config.migrate_format,
    )


def find_root(package: str, cwd: Path) -> Path | None:
    """Return the nearest source root of `package`, or None.

    That is a folder of this name with an `__init__.py`, and not itself inside of a package: a folder that
    holds `cwd`, or one in the usual places below `cwd` or a folder above it, up to the repository's top.
    """
    top = repository_of(cwd)
    for folder in (cwd, *cwd.parents):
        if _is_package(folder, package):
            return folder
        if top is not None or folder == cwd:
            below = find_below(package, folder)
            if below is not None:
                return below
        if folder == top:
            break
    return None


def find_below(package: str, folder: Path) -> Path | None:
    """Return the package's folder in the usual places below `folder`, or None."""
    return next((found for place in PLACES if _is_package(found := folder / place / package, package)), None)


def root_of(folder: Path, package: str) -> Path:
    """Return the package's folder in the usual places below `folder`, else that folder itself.

    For a tree that somebody names, and that need not be whole: where no place has an `__init__.py`, a folder
    of that name serves.
    """
    folders = (folder / place / package for place in reversed(PLACES))
    return find_below(package, folder) or next((found for found in folders if found.is_dir()), folder)


def engine_of(source: Source, files: Sequence[str], names: Sequence[str]) -> str | None:
    """Return the engine version that a tree says it is: the text that the first of `files` assigns to a name.

    Only literals assigned at the module's own level count: what else a file does with its version is not run.
    """
    for file in files:
        data = source.read(file)
        if isinstance(data, Problem):
            continue
        assigned = _literals(data)
        found = next((assigned[name] for name in names if name in assigned), None)
        if found is not None:
            return found
    return None


def _root(tree: TreeConfig, config: Config, options: Options, cwd: Path, package: str) -> Path:
    if options.root is not None:
        given = (cwd / options.root).resolve()
        # An unpacked wheel or a checkout: the folder around the package. A package is taken as it is.
        around = not (given / _INIT).exists()
        below = find_below(package, given) if around else None
        if around and below is None:
            _refuse_several(given, package)
        return below or given
    if tree.root is not None:
        return (config.folder / tree.root).resolve()
    found = find_root(package, cwd.resolve())
    if found is None:
        place = display_path(str(cwd))
        raise JudgeError(
            f"no package `{package}` was found from {place} upwards; say where it is with --root"
            + (", or run `ratchet init` for a configuration of your own" if config.file is None else "")
        )
    return found


def _refuse_several(given: Path, package: str) -> None:
    """A folder of several copies of the package is a root of none of them."""
    inside = sorted(place.parent for place in given.glob(f"*/{package}/{_INIT}"))
    if inside:
        shown = ", ".join(display_path(str(place)) for place in inside)
        raise UsageError(
            f"--root {display_path(str(given))} is no package; it holds {shown}: name one of them"
        )


def _is_package(folder: Path, package: str) -> bool:
    return folder.name == package and (folder / _INIT).is_file() and not (folder.parent / _INIT).exists()


def _baselines(tree: TreeConfig, config: Config, options: Options, cwd: Path) -> Path:
    if options.baselines is not None:
        return _absolute(cwd / options.baselines)
    base = config.folder if config.file else repository_of(cwd) or cwd
    return _absolute(base / baselines_of(tree))


def cache_folder(config: Config, options: Options, cwd: Path) -> Path | None:
    """Return where the cache lies, None for no cache; it is one for all trees, and needs no pack."""
    if options.no_cache:
        return None
    if options.cache_dir is not None:
        return _absolute(cwd / options.cache_dir)
    return _absolute(config.folder / config.cache_dir) if config.cache_dir else default_folder()


def _jobs(wanted: int | None) -> int:
    if wanted is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    if wanted < 1:
        raise UsageError(f"--jobs must be 1 or more, and is {wanted}")
    return wanted


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def _literals(data: bytes) -> dict[str, str]:
    """The names to which a module itself assigns texts."""
    import ast

    try:
        body = ast.parse(data).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found = {}
    for node in body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if isinstance(node.value.value, str):
                found.update({name.id: node.value.value for name in targets if isinstance(name, ast.Name)})
    return found
