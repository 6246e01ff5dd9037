"""Runs commands in processes of their own and says what each took."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of wall time, seconds of CPU of all processes, peak resident memory in MB of the largest."""

    wall: float
    cpu: float
    peak: float


def run(
    command: Sequence[str | Path],
    cwd: Path | None = None,
    allowed: Sequence[int] = (0,),
    variables: Mapping[str, str] | None = None,
) -> Cost:
    """The cost of a command that ends with one of the `allowed` exit codes; any other ends the benchmark."""
    arguments = [str(part) for part in command]
    environment = {**os.environ, **(variables or {}), "GITHUB_ACTIONS": ""}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            arguments, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in allowed:
            errors.seek(0)
            told = errors.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(arguments)}\nended with {process.returncode}:\n{told}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6)


def median(costs: Sequence[Cost]) -> Cost:
    """The medians of several runs, each figure for itself."""
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.peak for cost in costs),
    )


def machine() -> str:
    """The processor, how many cores may be used, and the Python that runs."""
    model = ""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{model or 'unknown processor'}, {cores} cores, {sys.platform}, Python {python}"
