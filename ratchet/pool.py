"""Runs the judging of files in other processes; one that dies takes no more than its own file with it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from contextvars import ContextVar

from ratchet.analysis.encoding import encode_facts
from ratchet.analysis.facts import FileFacts
from ratchet.judge import Judged, Plan, Task, judge_tasks
from ratchet.model import Problem
from ratchet.source.entries import Source

# Below this many bytes another process costs more than it saves.
_WORTH_A_PROCESS = 600_000
_CHUNKS_PER_JOB = 4
_SHARED_CHUNKS_PER_JOB = 16  # the last ones are dealt out between this process and the others
_SMALL_CHUNK = 400_000
_BATCH = 50

_JUDGING: ContextVar[tuple[Plan, Source]] = ContextVar("judging")

PATIENCE = 60
"""How many seconds a file that needs a process of its own may take."""


def judge_all(
    plan: Plan,
    source: Source,
    tasks: Sequence[Task],
    sizes: Callable[[str], int],
    jobs: int,
    advance: Callable[[int], None],
    meanwhile: Iterator[object] | None = None,
) -> Generator[Judged, None, None]:
    """The outcome of every task, in no order; `sizes` tells a file's bytes, `advance` is told of progress.

    `meanwhile` is what else there is to do, bit by bit, for as long as other processes judge, if any do: then
    this one is among the `jobs`.
    Whoever takes them closes the generator where it is left early: else processes go on.
    """
    size = sum(sizes(task.path) for task in tasks)
    if jobs < 2 or size < _WORTH_A_PROCESS:
        outcomes = _in_turn(plan, source, tasks, advance)
    else:
        count = jobs * (_SHARED_CHUNKS_PER_JOB if meanwhile is not None else _CHUNKS_PER_JOB)
        chunks = _chunks(tasks, sizes, min(count, max(jobs, size // _SMALL_CHUNK)))
        outcomes = _in_processes(plan, source, chunks, jobs, advance, meanwhile)
    by_path = {task.path: task for task in tasks}
    with closing(outcomes):
        for judged in outcomes:
            yield judged if judged.facts else judge_alone(plan, source, by_path[judged.path])


def _in_turn(
    plan: Plan, source: Source, tasks: Sequence[Task], advance: Callable[[int], None]
) -> Generator[Judged, None, None]:
    for start in range(0, len(tasks), _BATCH):
        batch = tasks[start : start + _BATCH]
        yield from judge_tasks(plan, source, batch)
        advance(len(batch))


def _chunks(tasks: Sequence[Task], sizes: Callable[[str], int], count: int) -> list[list[Task]]:
    """Tasks dealt out so that every chunk has about as many bytes."""
    ordered = sorted(tasks, key=lambda task: (-sizes(task.path), task.path))
    return [chunk for start in range(count) if (chunk := ordered[start::count])]


def _in_processes(
    plan: Plan,
    source: Source,
    chunks: list[list[Task]],
    jobs: int,
    advance: Callable[[int], None],
    meanwhile: Iterator[object] | None,
) -> Generator[Judged, None, None]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    plan.prepare()  # what is loaded before the processes start, none of them loads again
    broken: list[Task] = []
    others = jobs - 1 if meanwhile is not None else jobs
    with ProcessPoolExecutor(others, initializer=_judge_by, initargs=(plan, source)) as pool:
        futures = {pool.submit(_judge_there, chunk): chunk for chunk in chunks}
        try:
            if meanwhile is not None:
                for _ in meanwhile:
                    if all(future.done() for future in futures):
                        break  # the rest of it can be done while the files are judged that follow from these
                for future in reversed([*futures]):
                    if future.cancel():  # nobody has begun with it
                        yield from _in_turn(plan, source, futures.pop(future), advance)
            for future in as_completed(futures):
                try:
                    yield from future.result()
                except BrokenProcessPool:
                    broken += futures[future]
                advance(len(futures[future]))
        except BaseException:
            # Interrupted: what has begun ends, and what has not begun is not waited for.
            for process in active_children():
                process.kill()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    yield from (judge_alone(plan, source, task) for task in sorted(broken, key=lambda task: task.path))


def _judge_by(plan: Plan, source: Source) -> None:
    """Take what is judged with: it is handed over once, as a process starts, and not with every chunk."""
    import signal

    # A worker that took an interrupt for a failed chunk would go on with the next one.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _JUDGING.set((plan, source))


def _judge_there(tasks: Sequence[Task]) -> list[Judged]:
    plan, source = _JUDGING.get()
    return judge_tasks(plan, source, tasks)


def judge_alone(plan: Plan, source: Source, task: Task) -> Judged:
    """Judge one file in a process of its own; that it dies, or finds no end, is a problem of the file."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(max_workers=1) as pool:
        try:
            return pool.submit(_judge_here, plan, source, task).result()
        except BrokenProcessPool:
            died = f"takes the parser down, or more than {PATIENCE} seconds; exclude it with a reason"
            return Judged(task.path, "", encode_facts(FileFacts(problem=Problem(task.path, 0, died))))


def _judge_here(plan: Plan, source: Source, task: Task) -> Judged:
    """Runs in a process of its own, which the system ends when its time is over."""
    import signal

    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(PATIENCE)
    return judge_tasks(plan, source, [task], alone=True)[0]
