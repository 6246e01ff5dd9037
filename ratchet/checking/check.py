"""The verdict of a tree: `ratchet check` and `ratchet count`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from ratchet.baseline.operations import without_lapsed
from ratchet.baseline.store import Baselines, read_baselines
from ratchet.comparison import NO_RENAMES, Renames
from ratchet.config import Stale
from ratchet.errors import JudgeError, UsageError
from ratchet.frozen import dataclass, replace
from ratchet.matching.engines import engine_applies
from ratchet.matching.entries import expired_entries
from ratchet.model import Problem, Rule, RuleVerdict, Verdict
from ratchet.source.arguments import Arguments, resolve_paths
from ratchet.source.part import Part, is_within
from ratchet.verdict import judge

if TYPE_CHECKING:
    from pathlib import Path

    from ratchet.session import Session
    from ratchet.source.entries import Source
    from ratchet.tally import Tally
    from ratchet.tree import Tree

STAGED = "#staged"
"""What tells the files of git's index from those on disk in the cache."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a check looks at.

    `paths` are files and folders relative to the working directory; without any it is the whole tree. `rules`
    are ids, all where there are none. `since` names the ref that the tree is judged against instead of its
    baselines; `staged` reads git's index instead of the disk. `unsaved` is a file, relative to the working
    directory, and the bytes that an editor holds of it. `today` is an ISO date; where it is empty, nothing
    that has an end has come to it.
    """

    paths: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    since: str | None = None
    staged: bool = False
    unsaved: tuple[str, bytes] | None = None
    stale: Stale | None = None
    today: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict, and the source in which its sites lie."""

    verdict: Verdict
    source: Source


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run counts, asked for by which arguments: a tree, or a part of one that `whole` opens."""

    tree: Tree
    arguments: Arguments
    whole: Callable[[], Source] | None = None


@dataclass(frozen=True, slots=True)
class _Counted:
    """What a run counted, in which source, asked for by which arguments."""

    source: Source
    tally: Tally
    engine: str | None
    arguments: Arguments


def count(session: Session, rules: Iterable[str] = ()) -> Checked:
    """The sites of a whole tree, without any baseline."""
    return count_rules(session, session.rules, session.choose(rules))


def count_rules(session: Session, rules: tuple[Rule, ...], chosen: Iterable[Rule]) -> Checked:
    """The sites of the chosen ones among the rules that a whole tree is judged by."""
    session = replace(session, rules=rules)
    counted = _count(session, _asked(session, Request()))
    found = counted.tally
    entries = tuple(
        RuleVerdict(rule, found.sites.get(rule.id, ()), skipped=found.skipped.get(rule.id)) for rule in chosen
    )
    verdict = Verdict(
        entries,
        found.census,
        notes=found.notes,
        engine=counted.engine,
        packs=shown_packs(session),
        root=session.root_name,
    )
    return Checked(verdict, counted.source)


def check(session: Session, request: Request) -> Checked:
    """The verdict of a tree, or of a part of it, against its baselines or the tree of another commit.

    Raises UsageError for wrong arguments and for rules without a baseline, and JudgeError for what keeps the
    run from judging anything at all; what spoils a part of it is a fault or problem of the verdict.
    """
    _refuse_contradictions(request)
    rules = session.choose(request.rules)
    asked = _asked(session, request)
    baselines = _baselines(session, request, asked.tree.engine, rules)
    return _compared(session, request, _count(session, asked), rules, baselines, None)


def judge_against(
    session: Session, request: Request, measure: Callable[[str | None], Baselines], commit: str
) -> Checked:
    """The verdict of a tree against the sites of a commit, which `measure` counts for an engine version."""
    counted = _count(session, _asked(session, request))
    return _compared(session, request, counted, session.rules, measure(counted.engine), commit)


def _compared(
    session: Session,
    request: Request,
    counted: _Counted,
    rules: Collection[Rule],
    baselines: Baselines,
    commit: str | None,
) -> Checked:
    """Compare; where something is new, once more with what git knows to be renamed."""
    census = replace(
        counted.tally.census,
        ignored=counted.arguments.ignored,
        absent=_absent(counted, baselines),
    )
    counted = replace(counted, tally=replace(counted.tally, census=census))
    verdict = _judged(session, request, counted, rules, baselines, NO_RENAMES)
    if any(entry.new for entry in verdict.rules):
        renames = _renames(session, request, commit)
        if renames:
            verdict = _judged(session, request, counted, rules, baselines, renames)
    return Checked(verdict, counted.source)


def shown_packs(session: Session) -> tuple[str, ...]:
    """The packs of a run, each with its version."""
    pack = session.pack
    pairs = zip(pack.name.split("+"), pack.version.split("+"), strict=False)
    return tuple(f"{name} {version}" for name, version in pairs)


def _refuse_contradictions(request: Request) -> None:
    if request.since and request.stale == "fail":
        raise UsageError(
            "--stale=fail is about baselines, and --since compares with another commit: use one of them"
        )
    if request.staged and request.unsaved:
        raise UsageError("--staged reads git's index and --stdin-filename an editor's text: use one of them")


# The sites of now


def _count(session: Session, asked: _Asked) -> _Counted:
    tree = asked.tree
    return _Counted(tree.source, session.count(tree, asked.whole), tree.engine, asked.arguments)


def _asked(session: Session, request: Request) -> _Asked:
    arguments = _arguments(session, request)
    only = None if arguments.whole else frozenset((*arguments.paths, *arguments.deleted))
    if request.staged:
        whole = _staged(session)
        if only is None:
            return _Asked(session.tree(whole, STAGED), arguments)
        return _Asked(session.part(Part(whole, only), whole, STAGED), arguments, lambda: whole)
    if only is None:
        return _Asked(session.tree(session.work_tree()), arguments)
    source: Source = session.work_tree(only)
    if request.unsaved:
        source = _with_unsaved(session, source, request.unsaved, arguments)
    return _Asked(session.part(source), arguments, session.work_tree)


def _arguments(session: Session, request: Request) -> Arguments:
    if request.unsaved is None:
        return resolve_paths(request.paths, session.cwd, session.place.root)
    if request.paths:
        raise UsageError("--stdin-filename judges one file, the one that it names: name no others")
    place = os.path.normpath(session.cwd / request.unsaved[0])
    folder, name = os.path.split(place)
    real = f"{os.path.realpath(folder)}/{name}"
    root = f"{session.place.root}/"
    if not real.startswith(root):
        return Arguments((), ignored=1)
    return Arguments((real[len(root) :],))


def _staged(session: Session) -> Source:
    from ratchet.source.objects import git_index

    repository = require_repository(session, "--staged")
    return git_index(repository, session.place.prefix, session.place.excludes)


def require_repository(session: Session, option: str) -> Path:
    """The repository of the tree. Raises JudgeError where there is none, as `option` needs it."""
    repository = session.place.repository
    if repository is None:
        raise JudgeError(f"{session.root_name} lies in no git repository, and {option} needs one")
    return repository


def _with_unsaved(
    session: Session, source: Source, unsaved: tuple[str, bytes], arguments: Arguments
) -> Source:
    """The file that an editor holds, unless the tree leaves it out."""
    from ratchet.source.entries import Selection
    from ratchet.source.overlay import Overlay

    selection = Selection(session.place.excludes)
    taken = {
        path: unsaved[1]
        for path in arguments.paths
        if not selection.reason_against(path.rpartition("/")[0])[0] and selection.exclude_of(path) is None
    }
    return Overlay(source, taken)


# What they are compared with


def _baselines(session: Session, request: Request, engine: str | None, rules: Collection[Rule]) -> Baselines:
    """The baselines of the rules that apply to an engine version; read before anything is counted."""
    if request.since:
        from ratchet.checking.since import baselines_since

        return baselines_since(session, request.since, engine, rules, request.today)
    needed = {rule.id for rule in rules if engine_applies(rule.engines, engine)}
    needless = {rule.id for rule in session.pack.rules if rule.id not in needed}
    if request.staged:
        from ratchet.checking.committed import staged_baselines

        found = staged_baselines(session, needless)
    else:
        found = read_baselines(session.place.baselines, session.pack.rules, needless)
    by_rule = {rule: without_lapsed(known, request.today) for rule, known in found.by_rule.items()}
    return replace(found, by_rule=by_rule)


def _absent(counted: _Counted, baselines: Baselines) -> frozenset[str]:
    """The files of baselines that a partial run was asked about and did not find."""
    if counted.tally.census.complete:
        return frozenset()
    listing = counted.source.listing
    there = {entry.path for entry in listing.entries} | {problem.path for problem in listing.problems}
    asked = frozenset((*counted.arguments.paths, *counted.arguments.deleted))
    rows = {row.path for known in baselines.by_rule.values() for row in known.rows}
    return frozenset(path for path in rows - there if is_within(path, asked))


def _judged(
    session: Session,
    request: Request,
    counted: _Counted,
    rules: Iterable[Rule],
    baselines: Baselines,
    renames: Renames,
) -> Verdict:
    from ratchet.baseline.scopes import scope_lookup

    def read(path: str) -> bytes:
        data = counted.source.read(path)
        if isinstance(data, Problem):
            raise OSError(data.message)
        return data

    found = counted.tally
    return judge(
        rules,
        found.sites,
        baselines,
        found.census,
        skipped=found.skipped,
        renames=renames,
        defines=scope_lookup(read),
        faults=(*expired_entries(session.pack, request.today), *found.faults),
        notes=found.notes,
        stale_fails=not request.since and (request.stale or session.place.stale) == "fail",
        engine=counted.engine,
        packs=shown_packs(session),
        root=session.root_name,
    )


def _renames(session: Session, request: Request, commit: str | None) -> Renames:
    """What git takes for renamed; nothing outside of a repository, or where git cannot tell."""
    from ratchet.source import git

    place = session.place
    if place.repository is None:
        return NO_RENAMES
    try:
        if git.head_of(place.repository) is None:
            return NO_RENAMES
        base = commit or (git.merge_base(place.repository, request.since) if request.since else "HEAD")
        return git.renames(place.repository, base, None, place.prefix, request.staged)
    except JudgeError:
        # Without them a renamed file's sites are new: never fewer than there are.
        return NO_RENAMES
