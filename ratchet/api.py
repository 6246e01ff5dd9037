"""The Python interface: the verdict that the command line gives, for editors, tests and scripts.

    from ratchet import check

    verdict = check("python/sglang", rules=["server-args-override"])
    for entry in verdict.rules:
        for site in entry.new:
            print(site.path, site.span.line, site.code)

Each function reads the configuration as the command line does, from the folder `cwd` upwards; an argument
wins over it. What is wrong with arguments or configuration is a `ratchet.errors.UsageError`, what keeps a run
from judging at all a `ratchet.errors.JudgeError`; a file that could not be judged is a problem in it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ratchet.model import Verdict

if TYPE_CHECKING:
    from ratchet.checking.accesses import FileAccesses
    from ratchet.session import Session
    from ratchet.workspace import Options

__all__ = ["accesses", "check", "count"]

Place = str | os.PathLike[str]


def check(
    root: Place | None = None,
    *,
    paths: Iterable[Place] = (),
    rules: Iterable[str] = (),
    packs: Iterable[str] = (),
    engine: str | None = None,
    baselines: Place | None = None,
    since: str | None = None,
    staged: bool = False,
    unsaved: tuple[Place, str] | None = None,
    stale: Literal["warn", "fail"] | None = None,
    today: date | None = None,
    config: Place | None = None,
    tree: str | None = None,
    cache_dir: Place | None = None,
    cache: bool = True,
    jobs: int | None = None,
    cwd: Place | None = None,
) -> Verdict:
    """The verdict of a tree against its baselines, as `ratchet check` gives it; nothing is written.

    `root` is the source root or a folder around it. `paths` are files and folders relative to `cwd`, without
    any it is the whole tree. `since` names a git ref to compare with instead of the baselines; `staged` reads
    git's index; `unsaved` is a file and the text that an editor holds of it. `today` is the date at which
    exemptions and allowances end. `verdict.exit_code` is the command's.
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
    options = _options(root, packs, engine, baselines, tree, cache_dir, cache, jobs)
    with _session(options, config, cwd) as session:
        return check_tree(session, request).verdict


def count(
    root: Place | None = None,
    *,
    rules: Iterable[str] = (),
    namespace: str | None = None,
    packs: Iterable[str] = (),
    engine: str | None = None,
    config: Place | None = None,
    tree: str | None = None,
    cache_dir: Place | None = None,
    cache: bool = True,
    jobs: int | None = None,
    cwd: Place | None = None,
) -> Verdict:
    """The sites of a tree without any baseline, as `ratchet count` gives them.

    With `namespace` these are the record accesses of its fields, as one rule called `namespace:NAME`. The
    other arguments are those of `check`.
    """
    from ratchet.checking.check import count as count_tree
    from ratchet.checking.namespace import count_namespace

    options = _options(root, packs, engine, None, tree, cache_dir, cache, jobs)
    with _session(options, config, cwd) as session:
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

    options = _options(root, packs, engine, None, None, None, False, 1)
    with set_up(options, _path(config), _path(cwd)) as setup:
        data = None if text is None else text.encode("utf-8", "surrogateescape")
        return accesses_of_file(setup, _path(path), data)


def _options(
    root: Place | None,
    packs: Iterable[str],
    engine: str | None,
    baselines: Place | None,
    tree: str | None,
    cache_dir: Place | None,
    cache: bool,
    jobs: int | None,
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
def _session(options: Options, config: Place | None, cwd: Place | None) -> Iterator[Session]:
    from ratchet.session import only_one, open_sessions

    with open_sessions(options, _path(config), _path(cwd)) as sessions:
        yield only_one(sessions)


def _path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)
