"""Judges one file: what it holds, or why that cannot be told. Everything here may run in another process."""

from __future__ import annotations

import ast
import dataclasses
import gc
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ratchet.analysis import Tracked, analyse
from ratchet.analysis.encoding import encode_facts
from ratchet.analysis.facts import NO_EXPORTS, Exports, FileFacts
from ratchet.frozen import dataclass
from ratchet.model import Problem, Rule
from ratchet.source.blob import blob_id
from ratchet.source.entries import Source
from ratchet.source.text import Prefilter, decode

if TYPE_CHECKING:
    from ratchet.matching.local import LocalPlan

# Pure Python calls take no C stack from 3.11 on, so that deep nesting needs no more than a higher limit.
_RECURSION_LIMIT = 50_000 if sys.version_info >= (3, 11) else 6_000
_COLLECT_EVERY = 50
# The parser's own recursion is in C, and its guard there grows with the limit: under a high one it runs over
# the end of its stack. This is the limit under which Python imports modules.
_PARSER_LIMIT = 1_000
# Text that could bring a parser down, or keep it busy for ever, is parsed in a process of its own. Before
# Python 3.11 the parser had no guard: a sum of a hundred thousand terms is deep enough.
_RISKY_SIZE = 4_000_000 if sys.version_info >= (3, 11) else 150_000
_RISKY_LINE = 50_000

ORDINARY_TIME = 10
"""After so many seconds of processor time, twice at most, any file gets a process of its own."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """What every file of a run is judged by.

    `prefilter` tells from its bytes whether a file may hold an access that some rule wants. `fingerprint`
    names everything that the facts of a file depend on, beside its path, its bytes and the exports of others.
    """

    tracked: Tracked
    prefilter: Prefilter
    rules: tuple[Rule, ...]
    engine: str | None
    fingerprint: str

    @cached_property
    def local(self) -> LocalPlan:
        """The rules that one file decides alone, compiled when the first file is judged: often none is."""
        from ratchet.matching.local import compile_local

        return compile_local(self.rules, self.tracked.package, self.engine, self.prefilter.needles)

    def prepare(self) -> None:
        """Load the code that judges files, which a run that finds all in the cache does without."""
        from ratchet.analysis import statements  # noqa: F401

        assert self.local is not None


@dataclass(frozen=True, slots=True)
class Task:
    """A file to judge: `forced` ones are analysed whatever their bytes say, `exempt` ones never.

    Exempt is a file whose accesses no rule counts; it is analysed only where a counted file imports from it.
    """

    path: str
    outside: Exports = NO_EXPORTS
    forced: bool = False
    exempt: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome for one file: the id of the bytes that were read (empty: none), and its facts as text.

    Without facts it was not judged, because it needs a process of its own.
    """

    path: str
    blob: str
    facts: str


def judge_tasks(plan: Plan, source: Source, tasks: Iterable[Task], *, alone: bool = False) -> list[Judged]:
    """Read and judge files, one after the other; `alone` says that this process may die of one."""
    with deep_and_undisturbed(), _watched(not alone) as watch:
        done = []
        for number, task in enumerate(tasks, 1):
            watch.file = number
            try:
                done.append(_judge_task(plan, source, task, alone))
            except _TooLong:
                done.append(Judged(task.path, "", ""))
            if number % _COLLECT_EVERY == 0:
                gc.collect(0)
        return done


def _judge_task(plan: Plan, source: Source, task: Task, alone: bool) -> Judged:
    data = source.read(task.path)
    if isinstance(data, Problem):
        return Judged(task.path, "", encode_facts(FileFacts(problem=data)))
    if not alone and is_risky(data):
        return Judged(task.path, "", "")
    facts = judge_file(plan, task.path, data, task.outside, task.forced, task.exempt)
    return Judged(task.path, blob_id(data), encode_facts(facts))


class _TooLong(Exception):
    pass


class _Watch:
    """Rings now and then, and gives up on a file during which it rang before."""

    def __init__(self) -> None:
        self.file = 0
        self._rang_in = -1

    def ring(self, _signal: int, _frame: object) -> None:
        if self._rang_in == self.file:
            raise _TooLong
        self._rang_in = self.file


@contextmanager
def _watched(ordinary: bool) -> Iterator[_Watch]:
    """A watch over ordinary files; only a main thread can hear it, and not on every system."""
    import signal
    from threading import current_thread, main_thread

    watch = _Watch()
    if not (ordinary and hasattr(signal, "setitimer") and current_thread() is main_thread()):
        yield watch
        return
    before = signal.signal(signal.SIGVTALRM, watch.ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, ORDINARY_TIME, ORDINARY_TIME)
    try:
        yield watch
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def judge_file(
    plan: Plan,
    path: str,
    data: bytes,
    outside: Exports = NO_EXPORTS,
    forced: bool = False,
    exempt: bool = False,
    tree: ast.Module | None = None,
) -> FileFacts:
    """The facts of a file's bytes; a file that no rule can find anything in is judged without a parser.

    `tree` is the syntax tree of the bytes, where somebody has parsed them already.
    """
    named = plan.prefilter.hits(data)
    analysed = forced or bool(outside) or (not exempt and named)
    wanted = plan.local.wants(path, data, named)
    if not (analysed or wanted):
        return FileFacts()
    text = decode(data, path)
    if isinstance(text, Problem):
        return FileFacts(problem=text)
    lazy = _Tree(text, tree)
    try:
        facts = analyse(path, text, lazy.tree, plan.tracked, outside) if analysed else FileFacts()
        matches = plan.local.match(path, text, wanted, lambda: lazy.tree)
    except SyntaxError as error:
        return FileFacts(problem=Problem(path, error.lineno or 0, f"does not parse: {error.msg}"))
    except (RecursionError, MemoryError):
        return FileFacts(problem=Problem(path, 0, "is nested too deeply to be parsed"))
    except ValueError as error:
        return FileFacts(problem=Problem(path, 0, f"does not parse: {error}"))
    return FileFacts(
        facts.accesses, facts.copies, matches, facts.imports, facts.exports, parsed=analysed or lazy.is_parsed
    )


class _Tree:
    """The syntax tree of a text, made when it is first asked for."""

    def __init__(self, text: str, known: ast.Module | None) -> None:
        self._text = text
        self._known = known

    @cached_property
    def tree(self) -> ast.Module:
        return self._known or parse(self._text)

    @property
    def is_parsed(self) -> bool:
        return "tree" in self.__dict__


def parse(text: str) -> ast.Module:
    """The syntax tree of a text that is not risky; raises what `ast.parse` does."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, _PARSER_LIMIT))
    try:
        return ast.parse(text)
    finally:
        sys.setrecursionlimit(limit)


def is_risky(data: bytes) -> bool:
    """Whether parsing these bytes could bring a process down."""
    if len(data) <= _RISKY_LINE:
        return False
    return len(data) > _RISKY_SIZE or max(map(len, data.split(b"\n"))) > _RISKY_LINE


@contextmanager
def deep_and_undisturbed() -> Iterator[None]:
    """A higher recursion limit, no collector while trees are built, no warnings of analysed code."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
