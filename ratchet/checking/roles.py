"""`ratchet roles`: the roles of a tree, and why one of them reads a namespace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ratchet.errors import UsageError
from ratchet.frozen import dataclass
from ratchet.judge import deep_and_undisturbed
from ratchet.matching.places import common_exemptions
from ratchet.model import Access, Census
from ratchet.pack.table import nearest
from ratchet.roles.audit import read_audits
from ratchet.roles.model import Read, Report
from ratchet.roles.report import Opened, paths_outside, report_on
from ratchet.scan import Scanner
from ratchet.session import Session
from ratchet.tally import content_key
from ratchet.tree import Tree, plan_of

Accesses = Mapping[str, Sequence[Access]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The report on a tree, or the reads of one namespace by one role, and what the run saw of the files."""

    report: Report | None
    reads: tuple[Read, ...]
    census: Census

    @property
    def exit_code(self) -> int:
        """0; 1 where a declared set is contradicted; 3 where a file could not be judged."""
        report = self.report
        if self.census.problems or (report and report.problems):
            return 3
        return int(report is not None and any(role.undeclared for role in report.roles))


def remembered(session: Session, question: Sequence[object], answer: Callable[[], str]) -> str:
    """The answer to a question about the roles of a tree as text, out of the cache where no file has changed.

    The question names all that the answer depends on beside the tree, the rules and the pack.
    """
    tree = session.tree(session.work_tree())
    plan = plan_of(tree, namespaces=True)
    kind = f"answer {list(map(str, question))} {tree.root} {tree.pack.publishing}"

    def known_key() -> str | None:
        scanner = Scanner(plan, tree.source, session.cache, 1, tree.root)
        return content_key(kind, tree, plan.fingerprint, scanner.known_contents())

    key = known_key()
    known = session.cache.get_result(key) if key else None
    if known is not None:
        return known
    made = answer()
    key = known_key()
    if key:
        session.cache.put_result(key, made)
    return made


def show_roles(session: Session, audits: Sequence[Path], only: Iterable[str] = ()) -> Shown:
    """The report on the roles of a whole tree, on those named or on all.

    Raises UsageError for an audit that cannot be read and for a role that nothing publishes under, and
    JudgeError where no call of the tree publishes.
    """
    observed = read_audits(audits)
    with deep_and_undisturbed():
        return _report(session, observed, tuple(only))


def why(session: Session, role: str, namespace: str) -> Shown:
    """The reads of a namespace, or of a group in it, that the code of a role can reach, the nearest first."""
    with deep_and_undisturbed():
        return _reads(session, role, namespace)


# The collector stays off until what was followed is gone: to look at all of that takes it a second.


def _report(session: Session, observed: Mapping[str, frozenset[str]], only: Sequence[str]) -> Shown:
    tree = session.tree(session.work_tree())
    opened = Opened(tree)
    accesses, census = _scanned(session, tree, opened.walk_ahead(only))
    names = [_known(opened, name) for name in only]
    return Shown(report_on(opened, opened.analysis(accesses), observed, names), (), census)


def _reads(session: Session, role: str, namespace: str) -> Shown:
    tree = session.tree(session.work_tree())
    opened = Opened(tree)
    accesses, census = _scanned(session, tree, map(opened.walks.code, [role]))
    code = opened.walks.code(_known(opened, role))
    found = opened.analysis(accesses).every_read(code, _named(session, namespace))
    return Shown(None, found, census)


def _scanned(session: Session, tree: Tree, meanwhile: Iterator[object]) -> tuple[Accesses, Census]:
    """The accesses of a tree; of what there is to do `meanwhile`, as much is done as there is time for."""
    place, publishing = session.place, tree.pack.publishing
    outside = paths_outside(tree, publishing) if publishing else ()
    # No more than a check leaves out: what is learned here of the files is what it goes by.
    exempt = [path for path in common_exemptions(tree.rules, tree.engine) if path in outside]

    def scanner(local: bool) -> Scanner:
        plan = plan_of(tree, namespaces=True, local=local)
        return Scanner(
            plan, tree.source, session.cache, place.jobs, tree.root, session.progress, exempt=exempt
        )

    checked = scanner(local=True)
    scan = checked.scan() if checked.known_index() else None
    # Without a check before, no other rule is judged; a problem may be of a file that only such a rule reads.
    if scan is None or scan.census.problems:
        scan = scanner(local=False).scan(meanwhile)
    return {path: facts.accesses for path, facts in scan.facts.items()}, scan.census


def _known(opened: Opened, role: str) -> str:
    roles = opened.entries.roles
    if role not in roles:
        raise UsageError(
            f"nothing publishes under the role {role}{nearest(role, roles)}; the roles are {', '.join(roles)}"
        )
    return role


def _named(session: Session, namespace: str) -> str:
    known = {space.path for space in session.pack.namespaces}
    known |= {f"{space.path}.{group}" for space in session.pack.namespaces for group in space.groups}
    if namespace not in known:
        raise UsageError(
            f"no namespace is called {namespace}{nearest(namespace, known)}; "
            f"the pack's are {', '.join(sorted(space.path for space in session.pack.namespaces))}"
        )
    return namespace
