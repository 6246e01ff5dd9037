"""The report on the roles of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.matching.engines import engine_applies
from ratchet.model import Access, Publishing
from ratchet.reach import Entries, Known, Program, Values, find_entries, keywords_of
from ratchet.roles.analysis import Analysis, Code
from ratchet.roles.declared import declared_sets
from ratchet.roles.model import Declared, Report, Role, Unsafe
from ratchet.roles.reading import Reading
from ratchet.tree import Tree


@dataclass(frozen=True, slots=True)
class Opened:
    """A tree made ready for questions about its roles."""

    program: Program
    entries: Entries
    reading: Reading
    analysis: Analysis
    declared: Declared | None


def paths_outside(tree: Tree, publishing: Publishing) -> tuple[str, ...]:
    """The files and folders that are another program: boundaries whose code no process of the tree runs."""
    return tuple(
        path
        for entry in tree.pack.boundaries
        if entry.outside and not (entry.scopes or entry.fields) and engine_applies(entry.engines, tree.engine)
        for path in entry.paths
        if not _publishes(path, publishing)
    )


def program_of(tree: Tree, publishing: Publishing) -> Program:
    """The files of a tree as a program, without boundaries that are another one."""
    outside = paths_outside(tree, publishing)
    return Program(tree.source, tree.pack.package, keywords_of(publishing), outside)


def open_roles(tree: Tree, accesses: Mapping[str, Sequence[Access]]) -> Opened:
    """The program of a tree, its entries and its declared sets.

    Raises JudgeError where the pack declares nothing of how processes publish, and for a table of sets that
    is missing or cannot be read.
    """
    publishing = tree.pack.publishing
    if publishing is None:
        raise JudgeError(
            f"the pack {tree.pack.name} does not say how processes publish: add [publishing] to its pack.toml"
        )
    program = program_of(tree, publishing)
    values = Values(program)
    entries = find_entries(program, values, publishing)
    reading = Reading(program, accesses, tree.pack, tree.schema, tree.engine)
    analysis = Analysis(program, values, Known(entries), reading, entries.processes)
    try:
        declared = declared_sets(program, publishing)
    except JudgeError:
        if entries.publishes:
            raise
        declared = None  # a tree without publishing calls has no roles to declare
    return Opened(program, entries, reading, analysis, declared)


def report_on(
    opened: Opened, observed: Mapping[str, frozenset[str]], names: Sequence[str], *, processes: bool = True
) -> Report:
    """What is known of these roles of a tree; `observed` is what record mode saw, by role.

    With `processes`, also the processes that publish nothing.
    """
    entries, declared = opened.entries, opened.declared
    sets = declared.sets if declared else {}
    # Where a role may read everything and does, the rest of its code says nothing more about its set.
    everything = opened.reading.namespaces()
    codes = [opened.analysis.code(name, everything if sets.get(name) is None else None) for name in names]
    roles = tuple(_role(opened.analysis, code, declared, observed.get(code.name)) for code in codes)
    unseen = sorted(set(observed) - set(entries.roles))
    return Report(
        roles=roles,
        unpublished=tuple(opened.analysis.unpublished()) if processes else (),
        unnamed=tuple(publish for publish in entries.publishes if publish.role is None),
        targets=entries.unknown,
        sets=(declared.path, declared.line) if declared else None,
        unused=tuple(sorted(set(declared.sets) - set(entries.roles))) if declared else (),
        problems=opened.program.problems(),
        notes=tuple(f"the audit saw the role {role}, under which no call here publishes" for role in unseen),
    )


def _role(analysis: Analysis, code: Code, declared: Declared | None, observed: frozenset[str] | None) -> Role:
    reads = analysis.reads(code)
    sure = frozenset(read.namespace for read in reads if read.evidence == "reached")
    proposed = sure | (observed or frozenset())
    return Role(
        name=code.name,
        publishes=code.publishes,
        own=analysis.own(code),
        reads=reads,
        is_declared=declared is not None and code.name in declared.sets,
        declared=declared.sets.get(code.name) if declared else None,
        observed=observed,
        early=analysis.early(code),
        complete=code.found.complete,
        unsafe=_once(analysis.unsafe(code, proposed)),
    )


def _once(found: Iterable[Unsafe]) -> tuple[Unsafe, ...]:
    items = dict.fromkeys(found)
    return tuple(sorted(items, key=lambda item: (item.risk, item.path, item.line, item.text)))


def _publishes(path: str, publishing: Publishing) -> bool:
    """Whether a path holds a function that publishes: then it is a part of the program all the same."""
    names = (*publishing.functions, *(name for name, _ in publishing.wrappers), *publishing.processes)
    modules = {"/".join(name.split(".")[1:-1]) for name in names}
    return any(module == path.removesuffix(".py") or module.startswith(f"{path}/") for module in modules)
