"""How far a migration is: by rule, namespace and owner, and the files to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from ratchet.checking.owning import owners_of
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass
from ratchet.history.committed import Record, records
from ratchet.history.left import Left, Leftover, leftover
from ratchet.model import Baseline, Problem, Rule
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.log import Commit, require_whole

NONE = "(none)"
"""The name of what has no namespace, or no owner."""

FILES = 10


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a rule, a namespace or an owner stands.

    `now` is the number of sites in the tree, `first` that in the rule's first committed baseline, None where
    none is known. Of the sites of now, `moves` can be rewritten by a codemod today, `stays` are refused, by
    reason, the commonest first, and the others are in no plan by themselves.
    """

    name: str
    now: int
    first: int | None
    moves: int
    stays: tuple[tuple[str, int], ...]

    @property
    def refused(self) -> int:
        """How many sites a codemod refuses."""
        return sum(number for _, number in self.stays)

    @property
    def others(self) -> int:
        """How many sites no codemod plans by themselves; a hand-over may go with its parameter."""
        return self.now - self.moves - self.refused


@dataclass(frozen=True, slots=True)
class RuleStanding:
    """Where a rule stands, and the commit of its first baseline. `skipped` says why it does not apply."""

    rule: Rule
    standing: Standing
    since: Commit | None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class FileStanding:
    """A file to do next: how many of its sites a codemod can move, and how many it leaves."""

    path: str
    owner: str
    moves: int
    leaves: int


@dataclass(frozen=True, slots=True)
class Status:
    """How far a migration is.

    A place that several rules count is a site of each: namespaces, owners and files add the rules up.
    """

    rules: tuple[RuleStanding, ...]
    namespaces: tuple[Standing, ...]
    owners: tuple[Standing, ...]
    files: tuple[FileStanding, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    found_nothing: bool = False

    @property
    def exit_code(self) -> int:
        """0, or 3 where a file could not be judged, or none was found."""
        return 3 if self.problems or self.found_nothing else 0


def status(session: Session, ids: Iterable[str] = (), files: int = FILES) -> Status:
    """How far the rules of these ids are, all where none is named; `files` is how many to do next.

    What can move is what the planner says, asked for everything that moves on request, less what the rewriter
    refuses when it sees the text.
    """
    return status_of(session, leftover(session, ids), files)


def status_of(session: Session, left: Leftover, files: int = FILES) -> Status:
    """How far the rules are of which this is left; `files` is how many to do next."""
    firsts, notes = _firsts(session, [entry.rule for entry, _ in left.rules])
    everything = [each for _, sites in left.rules for each in sites]
    return Status(
        rules=tuple(_rules(left, firsts)),
        namespaces=_grouped(everything, lambda each: each.site.namespace or NONE, None),
        owners=_grouped(everything, lambda each: each.owner or NONE, _owned(session, firsts) or None),
        files=_next(everything, files),
        problems=left.census.problems,
        found_nothing=left.census.found_nothing,
        notes=(*left.migration.notes, *notes),
    )


First = tuple[Commit, Baseline]


def _rules(left: Leftover, firsts: Mapping[str, First]) -> Iterator[RuleStanding]:
    for entry, sites in left.rules:
        first = firsts.get(entry.rule.id)
        standing = _standing(entry.rule.id, sites, first[1].total if first else None)
        yield RuleStanding(entry.rule, standing, first[0] if first else None, entry.skipped)


def _standing(name: str, sites: Iterable[Left], first: int | None) -> Standing:
    listed = list(sites)
    reasons = Counter(each.reason for each in listed if each.reason is not None)
    stays = tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    return Standing(name, len(listed), first, sum(each.moves for each in listed), stays)


def _grouped(
    sites: Iterable[Left], name_of: Callable[[Left], str], firsts: Mapping[str, int] | None
) -> tuple[Standing, ...]:
    """Standings by name, the largest first; a name that has no site any more is there for its first ones."""
    groups: dict[str, list[Left]] = {name: [] for name in firsts or {}}
    for each in sites:
        groups.setdefault(name_of(each), []).append(each)
    made = [
        _standing(name, found, None if firsts is None else firsts.get(name, 0))
        for name, found in groups.items()
    ]
    return tuple(sorted(made, key=lambda each: (-each.now, each.name)))


def _next(sites: Iterable[Left], count: int) -> tuple[FileStanding, ...]:
    """The files in which most sites can move; of equal ones first those in which fewest are left."""
    groups: dict[str, list[Left]] = {}
    for each in sites:
        groups.setdefault(each.site.path, []).append(each)
    files = [
        FileStanding(path, found[0].owner, moves, len(found) - moves)
        for path, found in groups.items()
        if (moves := sum(each.moves for each in found))
    ]
    return tuple(sorted(files, key=lambda file: (-file.moves, file.leaves, file.path))[:count])


# The first baselines


def _firsts(session: Session, rules: Iterable[Rule]) -> tuple[dict[str, First], tuple[str, ...]]:
    """The first baseline of each rule with its commit, and why there is none known."""
    try:
        recorded = _recorded(session)
    except JudgeError as error:
        return {}, (f"the first baselines are not known: {error}",)
    found = ((rule.id, _first(rule, recorded)) for rule in rules)
    return {id: first for id, first in found if first is not None}, ()


def _recorded(session: Session) -> tuple[Record, ...]:
    repository, folder = session.place.repository, session.place.baselines
    if repository is None or not folder.resolve().is_relative_to(repository):
        raise JudgeError(f"{_shown(session, folder)} lies in no git repository together with the tree")
    require_whole(repository)
    head = git.head_of(repository)
    if head is None:
        raise JudgeError("the repository has no commit yet")
    return records(repository, head, git.relative_prefix(repository, folder))


def _shown(session: Session, folder: Path) -> str:
    inside = folder.is_relative_to(session.cwd)
    return folder.relative_to(session.cwd).as_posix() if inside else str(folder)


def _first(rule: Rule, recorded: Iterable[Record]) -> First | None:
    """The first baseline for the rule as it is today, else the first one at all."""
    known = [
        (record.commit, baseline)
        for record in recorded
        for name in (rule.id, *rule.formerly)
        if isinstance(baseline := record.baselines.get(name), Baseline)
    ]
    same = [each for each in known if each[1].fingerprint == rule.fingerprint]
    return next(iter(same or known), None)


def _owned(session: Session, firsts: Mapping[str, First]) -> dict[str, int]:
    """The sites of the first baselines by who owns their files today."""
    owner_of = owners_of(session)
    counts: Counter[str] = Counter()
    for _, baseline in firsts.values():
        for row in baseline.rows:
            counts[owner_of(row.path) or NONE] += row.count
    return dict(counts)
