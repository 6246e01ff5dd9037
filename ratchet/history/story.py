"""The burn-down of rules: what commits recorded, what their trees held, and where that leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ratchet.baseline.rows import Key, counts_of
from ratchet.checking.check import require_repository
from ratchet.errors import JudgeError, UsageError
from ratchet.escape import display_path
from ratchet.frozen import dataclass, replace
from ratchet.history.committed import Committed, Record, records
from ratchet.history.model import History, Series, Step
from ratchet.history.projection import project
from ratchet.history.recount import Counted, recount
from ratchet.model import Baseline, Mode
from ratchet.session import Session
from ratchet.source import git
from ratchet.source.log import Commit, first_parents, log, require_whole

RECOUNTED = 200
"""How many commits that changed the tree are counted where the request does not say."""


@dataclass(frozen=True, slots=True)
class Request:
    """Whose story is told. `rules` are ids, all where there are none, those without a rule of today too.

    `recount` counts the trees of commits by today's rules. `since` names a commit to begin with, `last` how
    many commits are looked at, back from the newest one.
    """

    rules: tuple[str, ...] = ()
    recount: bool = False
    since: str | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class _Subject:
    """A rule of today, or the baseline of one that is no more."""

    id: str
    title: str
    mode: Mode | None
    files: tuple[str, ...]
    fingerprint: str | None


def tell(session: Session, request: Request) -> History:
    """The story of rules along the first parents of HEAD, out of git.

    Raises UsageError for what is no rule or no commit of the branch, and JudgeError for a shallow clone, a
    repository without a commit, and baselines outside of it.
    """
    repository = require_repository(session, "the history of rules")
    require_whole(repository)
    head = git.head_of(repository)
    if head is None:
        raise JudgeError(f"{display_path(str(repository))} has no commit yet: run `git commit`, then again")
    order = first_parents(repository, head)
    wanted = _range(repository, order, request)
    recorded = records(repository, head, _folder(session, repository))
    counted = _counted(session, repository, order[:wanted], request) if request.recount else ()
    newest = log(repository, head, limit=1)[0].commit
    ages = {id: len(order) - at for at, id in enumerate(order)}
    series = []
    for subject in _subjects(session, request.rules, recorded):
        steps = tuple(_steps(subject, recorded, counted, ages))
        steps = _cut(steps, ages, wanted)
        series.append(Series(subject.id, subject.title, subject.mode, steps, project(steps, newest.date)))
    return History(newest, tuple(series), len(counted), tuple(_notes(series)))


def _folder(session: Session, repository: Path) -> str:
    folder = session.place.baselines
    if not folder.resolve().is_relative_to(repository):
        raise JudgeError(
            f"the baselines {display_path(str(folder))} lie outside of the repository, which then knows no"
            " history of them: move them into it, or name others with --baselines"
        )
    return git.relative_prefix(repository, folder)


def _range(repository: Path, order: Sequence[str], request: Request) -> int:
    """How many commits of the branch are told of, back from the newest."""
    wanted = min(request.last or len(order), len(order))
    if request.since is None:
        return wanted
    start = git.require_commit(repository, request.since)
    if start not in order:
        start = git.merge_base(repository, start)
    if start not in order:
        raise UsageError(
            f"`{request.since}` is not on the line of HEAD's first parents: name a commit that"
            " `git log --first-parent` lists"
        )
    return min(wanted, order.index(start) + 1)


def _counted(
    session: Session, repository: Path, order: Sequence[str], request: Request
) -> tuple[Counted, ...]:
    """The trees of the commits that changed them, and that of the commit with which the story begins."""
    prefix = session.place.prefix
    below = [prefix] if prefix else []
    if request.since is None and request.last is None:
        newest = log(repository, order[0], below, limit=RECOUNTED)
        begin = newest[-1].commit if newest else log(repository, order[-1], limit=1)[0].commit
    else:
        begin = log(repository, order[-1], limit=1)[0].commit
    later = log(repository, f"{begin.id}..{order[0]}", below)
    asked = {rule.id for rule in session.choose(request.rules)}
    return recount(session, repository, begin, later[::-1], asked=asked)


def _subjects(session: Session, ids: tuple[str, ...], recorded: Sequence[Record]) -> Iterator[_Subject]:
    """The rules asked for; where none is, also those that only old baselines know."""
    for rule in session.choose(ids):
        yield _Subject(rule.id, rule.title, rule.mode, (rule.id, *rule.formerly), rule.fingerprint)
    if ids:
        return
    known = {name for rule in session.pack.rules for name in (rule.id, *rule.formerly)}
    for name in sorted({name for record in recorded for name in record.baselines} - known):
        yield _Subject(name, "a rule that is no more", None, (name,), None)


# Steps


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of a rule after a commit."""

    committed: Committed | None = None
    counted: Counter[Key] | None = None
    unjudged: int = 0
    fault: str = ""


def _steps(
    subject: _Subject, recorded: Iterable[Record], counted: Iterable[Counted], ages: Mapping[str, int]
) -> Iterator[Step]:
    """The commits after which something about a rule differs, oldest first."""
    events: dict[int, list[Record | Counted]] = {}
    happenings: list[Record | Counted] = [*recorded, *counted]
    for event in happenings:
        if event.commit.id in ages:
            events.setdefault(ages[event.commit.id], []).append(event)
    state, before, fingerprint = _State(), None, None
    for _, happened in sorted(events.items()):
        for event in happened:
            state = _after(state, subject, event)
        adopted = False
        if isinstance(state.committed, Baseline):
            adopted = fingerprint is not None and state.committed.fingerprint != fingerprint
            fingerprint = state.committed.fingerprint
        step = _step(subject, happened[0].commit, state, adopted)
        told = (step.committed, step.counted, step.unjudged, step.unrecorded, step.stale, step.fault)
        if adopted or told != (before or (None, None, 0, 0, 0, "")):
            yield step
            before = told


def _after(state: _State, subject: _Subject, event: Record | Counted) -> _State:
    if isinstance(event, Counted):
        return replace(state, counted=event.sites.get(subject.id), unjudged=event.unjudged, fault=event.fault)
    name = next((name for name in subject.files if name in event.baselines), None)
    return replace(state, committed=event.baselines[name] if name else None)


def _step(subject: _Subject, commit: Commit, state: _State, adopted: bool) -> Step:
    baseline = state.committed if isinstance(state.committed, Baseline) else None
    fault = state.committed if isinstance(state.committed, str) else state.fault
    unrecorded = stale = 0
    if state.counted is not None and baseline and baseline.fingerprint == subject.fingerprint:
        recorded = counts_of(baseline)
        unrecorded = (state.counted - recorded).total()
        # What a file that could not be judged holds is not known to be gone.
        stale = 0 if state.unjudged else (recorded - state.counted).total()
    return Step(
        commit,
        baseline.total if baseline else None,
        state.counted.total() if state.counted is not None else None,
        state.unjudged if state.counted is not None else 0,
        adopted,
        unrecorded,
        stale,
        fault,
    )


def _cut(steps: Sequence[Step], ages: Mapping[str, int], wanted: int) -> tuple[Step, ...]:
    """The steps of the newest commits, and the one before, which says what the first of them started from."""
    oldest = len(ages) - wanted + 1
    start = max((at for at, step in enumerate(steps) if ages[step.commit.id] <= oldest), default=0)
    return tuple(steps[start:])


def _notes(series: Iterable[Series]) -> Iterator[str]:
    for each in series:
        for step in each.steps:
            if step.fault:
                yield f"{step.commit.id[:12]}: {step.fault}"
