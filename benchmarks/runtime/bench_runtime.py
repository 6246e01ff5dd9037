"""What the vendored runtime costs: `python benchmarks/runtime/bench_runtime.py`.

Each figure is a median over rounds in which all cases take turns, so that a change of the machine's speed
meets them alike. Reads are given in ratio to a read of a dataclass attribute; nothing is asserted here.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "ratchet" / "vendor"))

from sglang.srt import runtime_context as rc
from sglang.srt._runtime.context import CONTEXT
from sglang.srt._runtime.schema import FIELD_NAMESPACES
from sglang.srt.distributed.parallel_state import Group, Topology, initialize_model_parallel
from sglang.srt.server_args import ServerArgs

ROUNDS = 101
READS = 200
UNROLLED = 50


@dataclass
class Plain:
    """The measure: one attribute, without a default."""

    chunked_prefill_size: int


def bare_accessor() -> Any:
    """What `get_schedule` is with the code for roles taken out."""
    return CONTEXT.live.schedule


def reader(expression: str, names: Mapping[str, object]) -> Callable[[], None]:
    """A function that evaluates an expression READS x UNROLLED times, so that the loop weighs little."""
    body = "; ".join([expression] * UNROLLED)
    scope = dict(names)
    exec(f"def read():\n    for _ in range({READS}):\n        {body}\n", scope)
    made: Callable[[], None] = scope["read"]  # type: ignore[assignment]
    return made


def seconds(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def rounds(cases: Mapping[str, Callable[[], object]]) -> dict[str, list[float]]:
    """The seconds of each case in each round; the first round warms up and is left out."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS + 1):
        for name, case in cases.items():
            times[name].append(seconds(case))
    return {name: taken[1:] for name, taken in times.items()}


def ratio(taken: list[float], measure: list[float]) -> float:
    return statistics.median(one / other for one, other in zip(taken, measure, strict=True))


def read_cases(record: ServerArgs) -> dict[str, Callable[[], None]]:
    names = {
        **vars(rc),
        "plain": Plain(1),
        "record": record,
        "held": rc.get_schedule(),
        "bare_accessor": bare_accessor,
    }
    expressions = [
        "plain.chunked_prefill_size",
        "record.chunked_prefill_size",
        "held.chunked_prefill_size",
        "get_schedule().chunked_prefill_size",
        "get_exec().moe.moe_a2a_backend",
        "get_parallel().dp_size",
        "get_parallel().tp_size",
        "get_server_args().chunked_prefill_size",
        "bare_accessor().chunked_prefill_size",
    ]
    return {expression: reader(expression, names) for expression in expressions}


def report_reads(record: ServerArgs) -> None:
    times = rounds(read_cases(record))
    plain = times["plain.chunked_prefill_size"]
    print(f"{'read':<42}{'ns':>8}{'ratio':>8}")
    for expression, taken in times.items():
        nanoseconds = statistics.median(taken) / (READS * UNROLLED) * 1e9
        print(f"{expression:<42}{nanoseconds:>8.1f}{ratio(taken, plain):>8.2f}")
    off = ratio(times["get_schedule().chunked_prefill_size"], times["bare_accessor().chunked_prefill_size"])
    print(f"\nrole mode off, in ratio to no role code: {off:.3f} (limit 1.05)")


def report_writes(record: ServerArgs) -> None:
    names = tuple(FIELD_NAMESPACES)

    def publish() -> None:
        rc.publish(record, role="test")

    def override() -> None:
        rc.get_context().override("benchmark", chunked_prefill_size=1)

    def override_after_publish() -> float:
        publish()
        return seconds(override)

    times = rounds(
        {
            "build the record": lambda: ServerArgs("dummy"),
            "read its fields": lambda: [getattr(record, name) for name in names],
            f"publish {len(names)} fields": publish,
        }
    )
    times["override of one"] = [override_after_publish() for _ in range(ROUNDS)]
    print(f"\n{'write':<42}{'us':>8}")
    for name, taken in times.items():
        print(f"{name:<42}{statistics.median(taken) * 1e6:>8.1f}")


def main() -> None:
    record = ServerArgs("dummy", chunked_prefill_size=1)
    rc.publish(record, role="test")
    initialize_model_parallel(Topology(tp=Group(4)))
    print(f"{platform.python_implementation()} {platform.python_version()}, medians of {ROUNDS} rounds\n")
    report_reads(record)
    report_writes(record)


if __name__ == "__main__":
    main()
