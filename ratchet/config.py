"""The configuration: `ratchet.toml`, or `[tool.ratchet]` in `pyproject.toml`; its JSON Schema is published.

The keys at the top say how the tree is judged. Where `trees` names several roots, they serve each of these
that does not say otherwise; only `root`, `baselines` and `exclude` are then said in each tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from ratchet import __version__
from ratchet.errors import UsageError
from ratchet.frozen import dataclass, replace
from ratchet.pack.table import Document, Table, parse_document
from ratchet.source.git import repository_of

FILE, SHARED_FILE = "ratchet.toml", "pyproject.toml"
Stale = Literal["fail", "warn"]

_STALE: tuple[Stale, ...] = ("fail", "warn")
_TREE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OUTSIDE = re.compile(r"/|(?:.*/)?\.\.(?:/|$)")
_OWN_KEYS = ("root", "baselines", "exclude")


@dataclass(frozen=True, slots=True)
class Exclude:
    """A path, folder or glob below the source root that is left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Disable:
    """A rule of the pack that is not applied, and why."""

    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class TreeConfig:
    """How one tree is judged; paths are as written, relative to the configuration's folder.

    `name` is empty for the only tree. `rules` selects rules of the packs; empty selects all.
    """

    name: str = ""
    root: str | None = None
    baselines: str | None = None
    exclude: tuple[Exclude, ...] = ()
    packs: tuple[str, ...] = ()
    engine: str | None = None
    rules: tuple[str, ...] = ()
    disable: tuple[Disable, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration: `folder` is where its paths start, `file` None where none was found.

    `unused` is the configuration of the tree that was named, where that of the working directory serves.
    """

    folder: Path
    file: Path | None = None
    trees: tuple[TreeConfig, ...] = (TreeConfig(),)
    required_version: str | None = None
    stale: Stale = "fail"
    cache_dir: str | None = None
    owners: str | None = None
    migrate_format: tuple[str, ...] = ()
    unused: Path | None = None


def load_config(cwd: Path, file: Path | None = None, root: Path | None = None) -> Config:
    """Return the configuration in `file`, else the nearest from `cwd` up to the top of the repository.

    Where there is none, the nearest to `root`, the tree that was named, serves, and without that the default.
    Everything that is wrong with the file is told in one UsageError.
    """
    unused = None
    if file is None:
        file = find_config(cwd)
        beside = find_config((cwd / root).resolve()) if root is not None else None
        if file is None:
            file = beside
        elif beside is not None and beside.resolve() != file.resolve():
            unused = beside
        if file is None:
            return Config(cwd)
    elif not (cwd / file).is_file():
        raise UsageError(f"{file}: there is no such configuration file; pass another with --config")
    file = cwd / file
    shown = _shown(file, cwd)
    faults: list[str] = []
    document = parse_document(shown, _bytes_of(file, shown), faults)
    table = _table_of(document, faults) if document else None
    config = _config(table, file) if table else Config(file.parent)
    if table:
        table.close()
    if faults:
        raise UsageError("\n".join(faults))
    return replace(config, unused=unused)


def find_config(cwd: Path) -> Path | None:
    """Return the nearest configuration file from `cwd` up to the top of its repository, else of the disk."""
    top = repository_of(cwd)
    for folder in (cwd, *cwd.parents):
        own, shared = folder / FILE, folder / SHARED_FILE
        configures = _configures(shared)
        if own.is_file():
            if configures:
                place = _shown(folder, cwd)
                raise UsageError(
                    f"{place}: {FILE} and [tool.ratchet] in {SHARED_FILE} both configure it; keep one"
                )
            return own
        if configures:
            return shared
        if folder == top:
            break
    return None


def _configures(shared: Path) -> bool:
    """Whether a pyproject.toml has a table for us; one that names it and is no TOML counts, to be refused."""
    if not shared.is_file():
        return False
    data = _bytes_of(shared, str(shared))
    if b"ratchet" not in data:  # the parser need not be imported
        return False
    document = parse_document(str(shared), data, [])
    return document is None or _tool(document) is not None


def _tool(document: Document) -> object:
    tools = document.data.get("tool")
    return tools.get("ratchet") if isinstance(tools, dict) else None


def _table_of(document: Document, faults: list[str]) -> Table | None:
    if Path(document.name).name != SHARED_FILE:
        return Table(document, faults, document.data)
    found = _tool(document)
    if isinstance(found, dict):
        return Table(document, faults, found, ("tool", "ratchet"))
    faults.append(f"{document.name}: has no table [tool.ratchet]; add it, or run `ratchet init`")
    return None


def _config(table: Table, file: Path) -> Config:
    required = table.take_optional("required-version")
    if required is not None:
        _check_version(table, required)
    config = Config(
        folder=file.parent,
        file=file,
        trees=tuple(_trees(table)),
        required_version=required,
        stale=table.take_word("stale", _STALE, "fail"),
        cache_dir=table.take_optional("cache-dir"),
        owners=table.take_optional("owners"),
        migrate_format=_migrate_format(table),
    )
    _check_baselines(table, config.trees)
    return config


def _migrate_format(table: Table) -> tuple[str, ...]:
    migrate = table.take_table("migrate")
    command = migrate.take_texts("format")
    migrate.close()
    return command


def _trees(table: Table) -> Iterator[TreeConfig]:
    common = _tree(table, "")
    if not table.has("trees"):
        table.take_table("trees")
        yield common
        return
    for key in _OWN_KEYS:
        if table.has(key):
            table.fault(
                key, f"`{key}` is for a tree, and there are `trees`; move it to the one that is meant"
            )
    trees = table.take_table("trees")
    for name in trees.names():
        if not _TREE_NAME.fullmatch(name):
            trees.fault(name, f"a tree cannot be called `{name}`: use letters, digits, `.`, `_` and `-`")
        section = trees.take_table(name)
        section.require("root", "a tree of several says where it lies")
        own = _tree(section, name)
        section.close()
        yield _inherit(own, common)
    if not trees.names():
        table.fault("trees", "`trees` holds no tree; add one as [trees.NAME], or drop it")


def _tree(table: Table, name: str) -> TreeConfig:
    return TreeConfig(
        name=name,
        root=table.take_optional("root"),
        baselines=table.take_optional("baselines"),
        exclude=tuple(Exclude(path, reason) for path, reason in _reasoned(table, "exclude", "path")),
        packs=table.take_texts("packs"),
        engine=table.take_optional("engine"),
        rules=table.take_texts("rules"),
        disable=tuple(Disable(rule, reason) for rule, reason in _reasoned(table, "disable", "rule")),
    )


def _reasoned(table: Table, key: str, what: str) -> Iterator[tuple[str, str]]:
    for entry in table.take_tables(key):
        entry.require(what, f"the {what} that it is about")
        entry.require("reason", "why it is left out, for those who come after")
        value, reason = entry.take_text(what), entry.take_text("reason")
        if what == "path" and _OUTSIDE.match(value):
            entry.fault(what, f"`{value}` leads out of the source root; write the path below it")
        entry.close()
        yield value, reason


def _inherit(tree: TreeConfig, common: TreeConfig) -> TreeConfig:
    return replace(
        tree,
        packs=tree.packs or common.packs,
        engine=tree.engine or common.engine,
        rules=tree.rules or common.rules,
        disable=tree.disable or common.disable,
    )


def _check_version(table: Table, required: str) -> None:
    from packaging.specifiers import SpecifierSet

    try:
        satisfied = SpecifierSet(required).contains(__version__, prereleases=True)
    except ValueError:  # InvalidSpecifier is one, and so is a number with too many digits
        told = f"`required-version` must be a version specifier such as `>=0.1,<1`, and is `{required}`"
        table.fault("required-version", told)
        return
    if not satisfied:  # whatever else seems wrong may be right for that version
        told = f"requires ratchet {required}, and this is {__version__}"
        raise UsageError(f'{table.document.name}: {told}; run `pip install "ratchet-lint{required}"`')


def _check_baselines(table: Table, trees: Iterable[TreeConfig]) -> None:
    seen: dict[str, str] = {}
    for tree in trees:
        place = os.path.normpath(baselines_of(tree))
        if place in seen:
            table.fault("trees", f"the trees `{seen[place]}` and `{tree.name}` share the baselines {place}")
        seen[place] = tree.name


def baselines_of(tree: TreeConfig) -> str:
    """Return where the baselines of a tree lie, as the configuration says or by default."""
    return tree.baselines or ("baselines/" + tree.name if tree.name else "baselines")


def _bytes_of(file: Path, shown: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{shown}: cannot be read: {(error.strerror or 'error').lower()}") from error


def _shown(path: Path, cwd: Path) -> str:
    return path.relative_to(cwd).as_posix() if path.is_relative_to(cwd) else str(path)
