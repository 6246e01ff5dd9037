"""The Python interface: the verdict that the command line gives, for editors, tests and scripts.

    from ratchet import check

    verdict = check("python/sglang", rules=["server-args-override"])
    for entry in verdict.rules:
        for site in entry.new:
            print(site.path, site.span.line, site.code)

Each function reads the configuration as the command line does, from the folder `cwd` upwards; an argument
wins over it. `root` is the source root or a folder around it; `Where` has what all take beside it.
What is wrong with arguments or configuration is a `ratchet.errors.UsageError`, what keeps a run from judging
at all a `ratchet.errors.JudgeError`; a file that could not be judged is a problem in the result. Results are
frozen, paths in them relative to the source root, and nothing is written but the cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from ratchet.model import Verdict

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ratchet.checking.accesses import FileAccesses
    from ratchet.checking.flow import FlowTable
    from ratchet.checking.roles import Shown
    from ratchet.history.agenda import Agenda
    from ratchet.history.model import History
    from ratchet.history.origins import Origins
    from ratchet.history.status import Status
    from ratchet.session import Session
    from ratchet.workspace import Options

__all__ = ["accesses", "blame", "check", "count", "flow", "history", "plan", "roles", "status"]

Place = str | os.PathLike[str]


class How(TypedDict, total=False):
    """How a tree is judged, as the options of that name say.

    `cache=False` neither reads nor writes a cache; `jobs` is a number of processes.
    """

    packs: Iterable[str]
    engine: str | None
    baselines: Place | None
    tree: str | None
    cache_dir: Place | None
    cache: bool
    jobs: int | None


class Where(How, total=False):
    """The same, with the configuration file, and the folder that relative paths start at."""

    config: Place | None
    cwd: Place | None


def check(
    root: Place | None = None,
    *,
    paths: Iterable[Place] = (),
    rules: Iterable[str] = (),
    since: str | None = None,
    staged: bool = False,
    unsaved: tuple[Place, str] | None = None,
    stale: Literal["warn", "fail"] | None = None,
    today: date | None = None,
    **where: Unpack[Where],
) -> Verdict:
    """The verdict of a tree against its baselines, as `ratchet check` gives it.

    `paths` are files and folders relative to `cwd`, without any it is the whole tree. `since` names a git ref
    to compare with instead of the baselines; `staged` reads git's index; `unsaved` is a file and the text
    that an editor holds of it. `today` is the date at which exemptions and allowances end.
    `verdict.exit_code` is the command's.
    """
    from ratchet.checking.check import Request
    from ratchet.checking.check import check as check_tree

    request = Request(
        paths=tuple(os.fspath(path) for path in paths),
        rules=tuple(rules),
        since=since,
        staged=staged,
        unsaved=(os.fspath(unsaved[0]), unsaved[1].encode("utf-8", "surrogateescape")) if unsaved else None,
        stale=stale,
        today=(today or date.today()).isoformat(),
    )
    with _session(root, **where) as session:
        return check_tree(session, request).verdict


def count(
    root: Place | None = None,
    *,
    rules: Iterable[str] = (),
    namespace: str | None = None,
    **where: Unpack[Where],
) -> Verdict:
    """The sites of a tree without any baseline, as `ratchet count` gives them.

    With `namespace` these are the record accesses of its fields, as one rule called `namespace:NAME`.
    """
    from ratchet.checking.check import count as count_tree
    from ratchet.checking.namespace import count_namespace

    with _session(root, **where) as session:
        if namespace is not None:
            return count_namespace(session, namespace).verdict
        return count_tree(session, rules).verdict


def accesses(
    path: Place | None = None,
    *,
    text: str | None = None,
    root: Place | None = None,
    packs: Iterable[str] = (),
    engine: str | None = None,
    config: Place | None = None,
    cwd: Place | None = None,
) -> FileAccesses:
    """What the analysis sees in one file by itself, or in `text` as its content: `ratchet accesses`.

    The result holds `accesses` in order of position, and `problems` where the file could not be judged.
    """
    from ratchet.checking.accesses import accesses_of_file
    from ratchet.session import set_up

    options = _options(root, packs=packs, engine=engine, cache=False, jobs=1)
    with set_up(options, _path(config), _path(cwd)) as setup:
        data = None if text is None else text.encode("utf-8", "surrogateescape")
        return accesses_of_file(setup, _path(path), data)


def status(
    root: Place | None = None, *, rules: Iterable[str] = (), files: int = 10, **where: Unpack[Where]
) -> Status:
    """How far the migration is, as `ratchet status` says: by rule, namespace and owner.

    `files` is how many files to do next are listed. The numbers are sites; `first` is that of the first
    baseline in git, None where none is known, and `notes` say why.
    """
    from ratchet.history.status import status as stand

    with _session(root, **where) as session:
        return stand(session, tuple(rules), files)


def plan(
    root: Place | None = None,
    *,
    namespaces: Iterable[str] = (),
    max_sites: int | None = None,
    max_files: int | None = None,
    sample: int = 3,
    seed: str = "",
    **where: Unpack[Where],
) -> Agenda:
    """What is left in batches that can be reviewed, as `ratchet plan` cuts it; all namespaces by default.

    `max_sites` and `max_files` bound a batch, `sample` is how many of its sites are to be read by hand, and
    another `seed` chooses others. Raises UsageError where sites that have to move together are more than a
    bound that was asked for.
    """
    from ratchet.checking.migration import Request
    from ratchet.history.agenda import Limits, agenda

    chosen = tuple(namespaces)
    request = Request(chosen, not chosen, writes=True, parameters=True, chains=True)
    with _session(root, **where) as session:
        return agenda(session, request, Limits(max_sites, max_files, sample, seed))


def history(
    root: Place | None = None,
    *,
    rules: Iterable[str] = (),
    recount: bool = False,
    since: str | None = None,
    last: int | None = None,
    **where: Unpack[Where],
) -> History:
    """The burn-down of rules out of git, as `ratchet history` tells it.

    `recount` counts the trees of commits too. `since` names a commit to begin with, `last` how many commits
    are looked at. Raises JudgeError where the tree lies in no git repository.
    """
    from ratchet.history.story import Request, tell

    with _session(root, **where) as session:
        return tell(session, Request(tuple(rules), recount, since, last))


def blame(rule: str, root: Place | None = None, **where: Unpack[Where]) -> Origins:
    """Since when each site of a rule is there and by whom, as `ratchet blame` says."""
    from ratchet.history.origins import origins

    with _session(root, **where) as session:
        return origins(session, rule)


def flow(root: Place | None = None, *, field: str | None = None, **where: Unpack[Where]) -> FlowTable:
    """Who writes and who reads the fields on both stores, as `ratchet flow` lists them.

    With `field` it is that one alone, with the moments of import and the reads of the whole configuration.
    """
    from ratchet.checking.flow import flow_table

    with _session(root, **where) as session:
        return flow_table(session, field)


def roles(
    root: Place | None = None,
    *,
    names: Iterable[str] = (),
    audits: Iterable[Place] = (),
    **where: Unpack[Where],
) -> Shown:
    """What each publishing role can read, as `ratchet roles` shows it; all roles where none is named.

    `audits` are files that record mode wrote. Raises JudgeError where nothing in the tree publishes.
    """
    from ratchet.checking.roles import show_roles

    with _session(root, **where) as session:
        return show_roles(session, tuple(map(Path, audits)), tuple(names))


def _options(
    root: Place | None,
    *,
    packs: Iterable[str] = (),
    engine: str | None = None,
    baselines: Place | None = None,
    tree: str | None = None,
    cache_dir: Place | None = None,
    cache: bool = True,
    jobs: int | None = None,
) -> Options:
    from ratchet.workspace import Options

    return Options(
        root=_path(root),
        packs=tuple(packs),
        engine=engine,
        baselines=_path(baselines),
        cache_dir=_path(cache_dir),
        no_cache=not cache,
        jobs=jobs,
        trees=(tree,) if tree else (),
    )


@contextmanager
def _session(
    root: Place | None, *, config: Place | None = None, cwd: Place | None = None, **how: Unpack[How]
) -> Iterator[Session]:
    from ratchet.session import only_one, open_sessions

    with open_sessions(_options(root, **how), _path(config), _path(cwd)) as sessions:
        yield only_one(sessions)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)
