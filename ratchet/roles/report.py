"""The report on the roles of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from ratchet.errors import JudgeError
from ratchet.matching.engines import engine_applies
from ratchet.model import Access, Publishing
from ratchet.reach import Entries, Known, Node, Program, Values, find_entries, keywords_of
from ratchet.roles.analysis import Analysis
from ratchet.roles.declared import declared_sets
from ratchet.roles.model import Declared, Report, Role, Unsafe
from ratchet.roles.reading import Reading
from ratchet.roles.walks import Code, Walks
from ratchet.tree import Tree


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


class Opened:
    """A tree made ready for questions about its roles: what is needed for them is found out when it is."""

    def __init__(self, tree: Tree) -> None:
        """Raises JudgeError where the pack declares nothing of how processes publish."""
        publishing = tree.pack.publishing
        if publishing is None:
            raise JudgeError(
                f"the pack {tree.pack.name} does not say how processes publish: "
                "add [publishing] to its pack.toml"
            )
        self._tree = tree
        self._publishing = publishing
        self.program = program_of(tree, publishing)
        self._values = Values(self.program)

    @cached_property
    def entries(self) -> Entries:
        """The publishing calls, and where processes begin; JudgeError where nothing publishes."""
        found = find_entries(self.program, self._values, self._publishing)
        if not found.publishes:
            raise JudgeError(
                "no call of this tree publishes, so that no role can be told: "
                "correct `functions` under [publishing] in the pack, or the root"
            )
        return found

    @cached_property
    def declared(self) -> Declared | None:
        """The declared sets; JudgeError for a table of them that is missing or cannot be read."""
        return declared_sets(self.program, self._publishing)

    @cached_property
    def sets(self) -> Mapping[str, frozenset[str] | None]:
        """The declared set of each role, None where it may read everything."""
        return self.declared.sets if self.declared else {}

    @cached_property
    def walks(self) -> Walks:
        """The walks through the processes of the tree."""
        return Walks(self.program, self._values, Known(self.entries), self.entries.processes)

    def walk_ahead(self, names: Sequence[str]) -> Iterator[None]:
        """Make the walks for these roles or for a whole report, one by one: what is read is not known yet.

        Where a walk may end once it has seen a read of every namespace, it goes as far as all accessors.
        """
        accessors = self._accessors()
        for name in names or self.entries.roles:
            self.walks.walk_ahead(name, accessors if self.sets.get(name) is None else ())
            yield
            self.walks.early(name)
            yield
        if not names:
            self.walks.silent()

    def _accessors(self) -> tuple[Node, ...]:
        """The functions of the tree that give namespaces."""
        names = (space.accessor.rpartition(".") for space in self._tree.pack.namespaces)
        nodes = (Node(self.program.modules.get(module, ""), name) for module, _, name in names)
        return tuple(node for node in nodes if self.program.calls(node.path).kind(node.scope))

    def analysis(self, accesses: Mapping[str, Sequence[Access]]) -> Analysis:
        """Tells what is read on the walks, given the accesses of each file."""
        tree = self._tree
        reading = Reading(self.program, accesses, tree.pack, tree.schema, tree.engine)
        return Analysis(self.program, self._values, self.walks, reading)


def report_on(
    opened: Opened, analysis: Analysis, observed: Mapping[str, frozenset[str]], only: Sequence[str] = ()
) -> Report:
    """What is known of some roles of a tree; `observed` is what record mode saw, by role.

    Without names, of all roles, and of the processes that publish nothing.
    """
    for _ in opened.walk_ahead(only):
        pass
    entries, declared = opened.entries, opened.declared
    codes = [
        analysis.code(name, unrestricted=opened.sets.get(name) is None) for name in only or entries.roles
    ]
    roles = tuple(_role(analysis, code, declared, observed.get(code.name)) for code in codes)
    unseen = sorted(set(observed) - set(entries.roles))
    return Report(
        roles=roles,
        unpublished=() if only else tuple(analysis.unpublished()),
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
        early=analysis.early(code.name),
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
