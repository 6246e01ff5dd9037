"""Since when each site of a rule is there, and by whom; and which commit let more in than was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ratchet.baseline.operations import from_sites
from ratchet.baseline.rows import counts_of
from ratchet.baseline.scopes import scope_lookup
from ratchet.checking.check import count, require_repository
from ratchet.comparison import DefinesScope, compare, position
from ratchet.errors import JudgeError
from ratchet.frozen import dataclass, replace
from ratchet.history.committed import Record, records
from ratchet.history.recount import Counted, recount
from ratchet.model import Baseline, Census, Problem, Rule, Site
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.blame import Blamed, blame_lines
from ratchet.source.entries import Listing
from ratchet.source.log import Commit, first_parents, log, require_whole
from ratchet.source.objects import BlobReader
from ratchet.source.overlay import Overlay
from ratchet.source.worktree import WorkTree

_HOPS = 60
_WINDOW = 16

Place = tuple[str, str]
"""A commit and a path from the source root."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A site of now, and the commit that brought it (None: it is not committed), where it stood there."""

    site: Site
    commit: Commit | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Red:
    """The commit after which the tree held sites that its baseline lacked, and how many it lacks of HEAD's.

    `since_start` says that no earlier commit could be compared, so that it may have been so before.
    """

    commit: Commit
    unrecorded: int
    since_start: bool = False


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the sites of a rule come from, the oldest first, and what turned the branch red (None: green)."""

    rule: Rule
    origins: tuple[Origin, ...]
    red: Red | None
    problems: tuple[Problem, ...] = ()
    found_nothing: bool = False

    @property
    def exit_code(self) -> int:
        """0, or 3 where a file could not be judged, or none was found."""
        return 3 if self.problems or self.found_nothing else 0


def origins(session: Session, rule_id: str) -> Origins:
    """Where the sites of a rule in the tree on disk come from.

    A line that was only reworded or moved does not begin a site: the commit that git names for it is compared
    with the one before as `check` compares a tree with its baseline, and where the site was there already, it
    is followed further. Old files are judged by the rules and the schema of today, and by what the other
    files export today.

    Raises JudgeError for a tree outside of git and for a shallow clone.
    """
    repository = require_repository(session, "the origin of sites")
    require_whole(repository)
    rule = session.rule(rule_id)
    head = git.head_of(repository)
    if head is None:
        raise JudgeError(f"{repository} has no commit yet: run `git commit`, then again")
    verdict = count(session, [rule.id]).verdict
    sites = verdict.rules[0].sites
    found = _Search(session, repository, rule).run(sites)
    ordered = sorted(found, key=_age)
    red = turned_red(session, repository, head, rule)
    census = verdict.census
    return Origins(rule, tuple(ordered), red, census.problems, census.found_nothing)


def _age(origin: Origin) -> tuple[bool, float, str, int, int]:
    from ratchet.history.projection import moment

    site, commit = origin.site, origin.commit
    time = moment(commit.date).timestamp() if commit else 0.0
    return (commit is None, time, site.path, site.span.line, site.span.column)


@dataclass(frozen=True, slots=True)
class _Trail:
    """A site of now, and the site that it was in a file of a commit (None: on disk)."""

    site: Site
    rev: str | None
    then: Site


class _Search:
    """Follows sites back, all of them one step at a time, so that old files are judged together."""

    def __init__(self, session: Session, repository: Path, rule: Rule) -> None:
        self._session = session
        self._repository = repository
        self._rule = rule
        self._prefix = f"{session.place.prefix}/" if session.place.prefix else ""
        self._known: dict[Place, tuple[Site, ...]] = {}
        self._tracked = {item.path for item in git.tree_items(repository, "HEAD", session.place.prefix)}

    def run(self, sites: Iterable[Site]) -> Iterator[Origin]:
        trails = [_Trail(site, None, site) for site in sites]
        now: dict[str, list[Site]] = {}
        for trail in trails:
            now.setdefault(trail.site.path, []).append(trail.site)
        self._now = {path: tuple(found) for path, found in now.items()}
        for _ in range(_HOPS):
            blamed = self._blame(trails)
            self._judge(self._wanted(blamed))
            trails = []
            for trail, line, further in self._step(blamed):
                if further is None:
                    yield self._origin(trail, line)
                else:
                    trails.append(further)
            if not trails:
                return
        for trail, line in self._blame(trails):
            yield self._origin(trail, line)

    def _origin(self, trail: _Trail, line: Blamed | None) -> Origin:
        if line is None or line.commit is None:
            return Origin(trail.site, None, trail.site.path, trail.site.span.line)
        return Origin(trail.site, line.commit, self._inside(line.path) or line.path, line.line)

    def _blame(self, trails: Iterable[_Trail]) -> list[tuple[_Trail, Blamed | None]]:
        """Each trail with what git says of its line; None for a file that git does not know."""
        groups: dict[tuple[str | None, str], list[_Trail]] = {}
        for trail in trails:
            groups.setdefault((trail.rev, trail.then.path), []).append(trail)
        found: list[tuple[_Trail, Blamed | None]] = []
        for (rev, path), members in groups.items():
            full = f"{self._prefix}{path}"
            lines = {member.then.span.line for member in members}
            known = rev is not None or full in self._tracked
            blamed = blame_lines(self._repository, rev, full, lines) if known else {}
            found += [(member, blamed.get(member.then.span.line)) for member in members]
        return found

    def _wanted(self, blamed: Iterable[tuple[_Trail, Blamed | None]]) -> set[Place]:
        """The files whose sites have to be known: those of the commits, and those before them."""
        wanted: set[Place] = set()
        for _, line in blamed:
            if line is None:
                continue
            places = [(line.commit.id, line.path)] if line.commit else []
            places += [line.previous] if line.previous else []
            for rev, path in places:
                inside = self._inside(path)
                if inside is not None and (rev, inside) not in self._known:
                    wanted.add((rev, inside))
        return wanted

    def _inside(self, path: str) -> str | None:
        return path[len(self._prefix) :] if path.startswith(self._prefix) else None

    def _step(
        self, blamed: Iterable[tuple[_Trail, Blamed | None]]
    ) -> Iterator[tuple[_Trail, Blamed | None, _Trail | None]]:
        """Each trail one commit further back, or None where its site began with the commit of its line."""
        groups: dict[tuple[str, str], list[tuple[_Trail, Blamed]]] = {}
        for trail, line in blamed:
            path = self._inside(line.path) if line else None
            previous = self._inside(line.previous[1]) if line and line.previous else None
            if line is None or path is None or previous is None:
                yield trail, line, None
            else:
                groups.setdefault((line.commit.id if line.commit else "", path), []).append((trail, line))
        for (rev, path), members in groups.items():
            here = self._known.get((rev, path), ()) if rev else self._now.get(members[0][0].then.path, ())
            defines = scope_lookup(self._reader((rev, path) if rev else None))
            yield from self._followed(here, members, defines)

    def _reader(self, place: Place | None) -> Callable[[str], bytes]:
        """A function that reads a file of a commit, whatever the path; without one, a file of now."""

        def read(path: str) -> bytes:
            if place is None:
                return (self._session.place.root / path).read_bytes()
            data = next(iter(self._contents([place]).values()), None)
            if data is None:
                raise OSError(f"{place[0]} has no such file")
            return data

        return read

    def _followed(
        self, here: Sequence[Site], members: Sequence[tuple[_Trail, Blamed]], defines: DefinesScope
    ) -> Iterator[tuple[_Trail, Blamed, _Trail | None]]:
        """The trails of one file of a commit, whose sites are `here`, in the commit before."""
        previous = members[0][1].previous
        assert previous is not None
        old = self._known.get((previous[0], self._inside(previous[1]) or ""), ())
        sites = [_at(here, trail.then, line.line) for trail, line in members]
        was = _earlier(self._rule, here, old, [site for site in sites if site is not None], defines)
        for (trail, line), site in zip(members, sites, strict=True):
            then = was.get(site) if site is not None else None
            yield trail, line, None if then is None else _Trail(trail.site, previous[0], then)

    def _judge(self, wanted: set[Place]) -> None:
        """Judge files of commits; those of different paths in one go."""
        while wanted:
            batch: dict[str, Place] = {}
            for place in sorted(wanted):
                batch.setdefault(place[1], place)
            wanted = wanted - set(batch.values())
            self._judge_batch(batch)

    def _judge_batch(self, batch: Mapping[str, Place]) -> None:
        session = self._session
        tree = session.part(Overlay(WorkTree("", Listing.of(())), self._contents(batch.values())))
        sites = session.count(tree, session.work_tree).sites.get(self._rule.id, ())
        for path, place in batch.items():
            self._known[place] = tuple(site for site in sites if site.path == path)

    def _contents(self, places: Iterable[Place]) -> dict[str, bytes]:
        """The bytes of files of commits, as far as they are there, by path."""
        contents: dict[str, bytes] = {}
        reader = BlobReader(self._repository)
        try:
            for rev, path in places:
                blob = git.blob_of(self._repository, rev, f"{self._prefix}{path}")
                data = reader.read(blob) if blob else None
                if data is not None:
                    contents[path] = data
        finally:
            reader.close()
        return contents


def _at(sites: Iterable[Site], like: Site, line: int) -> Site | None:
    """The site that stands in a line of a commit, as far as that can be told: by its code there."""
    there = [site for site in sites if site.span.line == line]
    return next((site for site in there if site.code == like.code), there[0] if len(there) == 1 else None)


def _earlier(
    rule: Rule, here: Sequence[Site], then: Sequence[Site], changed: Sequence[Site], defines: DefinesScope
) -> dict[Site, Site]:
    """Of the sites of a file whose lines a commit changed, those that were there before, with what they were.

    Of identical ones the last are new, among those whose lines changed. `defines` tells of scopes that the
    file has after the commit.
    """
    if not here:
        return {}
    path = here[0].path
    before = [replace(site, path=path) for site in then]
    census = Census(1, 1, 0, frozenset({path}), complete=False)
    verdict = compare(rule, here, from_sites(rule, before), census, defines=defines)
    fresh = Counter(site.key for site in verdict.new)
    rows = {move.site.key: move.row.key for move in verdict.moved}
    found: dict[Site, Site] = {}
    for key in {site.key for site in changed}:
        twins = sorted((site for site in changed if site.key == key), key=position)
        old = [was for was, moved in zip(then, before, strict=True) if moved.key == rows.get(key, key)]
        all_here = [site for site in here if site.key == key]
        for site in twins[: max(0, len(twins) - fresh[key])]:
            if old:
                found[site] = old[min(all_here.index(site), len(old) - 1)]
    return found


# The commit that turned the branch red


def turned_red(session: Session, repository: Path, head: str, rule: Rule) -> Red | None:
    """The first commit of the present stretch of first parents whose trees hold what their baselines lack.

    None where the tree of `head` holds no such site, or nothing was recorded for the rule of today.
    """
    if not session.place.baselines.resolve().is_relative_to(repository):
        return None
    recorded = records(repository, head, git.relative_prefix(repository, session.place.baselines))
    order = first_parents(repository, head)
    ages = {id: at for at, id in enumerate(order)}
    prefix = session.place.prefix
    window = 1
    while True:
        start = order[min(window, len(order)) - 1]
        begin = log(repository, start, limit=1)[0].commit
        later = log(repository, f"{start}..{head}", [prefix] if prefix else [])
        counted = recount(session, repository, begin, later[::-1], asked={rule.id})
        states = list(_states(rule, counted, recorded, ages))
        green = max((at for at, (_, missing) in enumerate(states) if not missing), default=-1)
        if green == len(states) - 1:
            return None
        if green >= 0 or window >= len(order):
            return Red(states[green + 1][0], states[-1][1], since_start=green < 0)
        window *= _WINDOW


def _states(
    rule: Rule, counted: Iterable[Counted], recorded: Iterable[Record], ages: Mapping[str, int]
) -> Iterator[tuple[Commit, int]]:
    """After each commit, how many sites of its tree its baseline lacks; 0 where they cannot be compared."""
    events: dict[int, list[Counted | Record]] = {}
    every: list[Counted | Record] = [*recorded, *counted]
    oldest = max((ages[each.commit.id] for each in counted), default=0)
    for event in every:
        if event.commit.id in ages:
            events.setdefault(ages[event.commit.id], []).append(event)
    baseline: Baseline | None = Baseline(rule.id, rule.fingerprint, ()) if rule.mode == "ban" else None
    sites: Counter[tuple[str, str, str]] | None = None
    for age, happened in sorted(events.items(), reverse=True):
        for event in happened:
            if isinstance(event, Counted):
                sites = event.sites.get(rule.id)
            elif rule.mode != "ban":
                named = (event.baselines.get(name) for name in (rule.id, *rule.formerly))
                baseline = next((each for each in named if isinstance(each, Baseline)), None)
        if age > oldest:
            continue
        known = baseline is not None and baseline.fingerprint == rule.fingerprint and sites is not None
        missing = (sites - counts_of(baseline)).total() if known and sites is not None else 0
        yield happened[0].commit, missing
