"""The work of flow rules grows with the ends of a field, not with their pairs: calls are counted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.counting import calls_of
from tests.flow.trees import plant, sites_of, tally_of

HEAD = "from sglang.srt.runtime_context import get_context, get_schedule\n\n"
RECORD, NAMESPACE = "    a = server_args.page_size\n", "    b = get_schedule().page_size\n"
STORE = "    server_args.page_size = {0}\n"
OVERRIDE = "    get_context().override('x', page_size={0})\n"


def function(name: str, *lines: str, times: int) -> str:
    return f"{HEAD}def {name}(server_args):\n" + "".join(
        line.format(n) for line in lines for n in range(times)
    )


GUARDED = "    if server_args.page_size == 1:\n        server_args.page_size = 1\n"
SHAPES: dict[str, Callable[[int], str]] = {
    "reads-on-both": lambda n: function("f", RECORD, NAMESPACE, times=n),
    "lost": lambda n: function("f", STORE, NAMESPACE, times=n),
    "stale": lambda n: function("f", OVERRIDE, RECORD, times=n),
    "dead": lambda n: function("f", RECORD, OVERRIDE, STORE, times=n),
    "shared-or-a-bus": lambda n: function("f", STORE, times=n) + function("g", RECORD, times=n),
    "under-tests": lambda n: function("f", GUARDED, times=n),
    "at-import": lambda n: HEAD + "A = get_schedule().page_size\n" * n,
    "called-at-import": lambda n: (
        HEAD + "".join(f"def f{each}():\n{NAMESPACE}\nf{each}()\n" for each in range(n))
    ),
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="its profiler hands wrong values to initialisers")
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_ends_are_twice_the_work(shape: str, tmp_path: Path) -> None:
    calls, sites = [], []
    for number in (10, 20, 40, 80):  # the first loads what all need
        tree = plant(tmp_path / str(number) / "sglang", {"srt/managers/big.py": SHAPES[shape](number)})

        def work(tree: Path = tree) -> None:
            sites.append(len(sites_of(tally_of(tree))))

        calls.append(calls_of(work))
    assert sites[1] >= 1
    assert calls[3] - calls[2] < 2.05 * (calls[2] - calls[1])
