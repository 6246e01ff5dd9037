"""Reads inside compiled code. They need torch: `pip install torch==2.13.0`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt._runtime.namespaces import Parallel
from sglang.srt.distributed.parallel_state import Group, Topology, initialize_model_parallel
from sglang.srt.server_args import ServerArgs

from tests.vendor.processes import run

torch: Any = pytest.importorskip("torch", reason="torch is not installed: pip install torch==2.13.0")

pytestmark = pytest.mark.slow

BACKENDS = pytest.mark.parametrize("backend", ["eager", "inductor"])


@pytest.fixture(autouse=True)
def published() -> None:
    torch._dynamo.reset()
    rc.publish(ServerArgs("dummy", dp_size=3, moe_a2a_backend="deepep", page_size=2), role="scheduler")


def compiled(function: Callable[[Any], Any], backend: str) -> Callable[[Any], Any]:
    result: Callable[[Any], Any] = torch.compile(function, backend=backend, fullgraph=True)
    return result


def applied(function: Callable[[Any], Any]) -> list[float]:
    values: list[float] = function(torch.ones(2)).tolist()
    return values


def flat_and_nested(x: Any) -> Any:
    if rc.get_exec().moe.moe_a2a_backend == "deepep":
        x = x + rc.get_schedule().page_size
    return x


def parallel_leaf(x: Any) -> Any:
    return x * rc.get_parallel().dp_size


def live_size(x: Any) -> Any:
    return x * rc.get_parallel().tp_size


@BACKENDS
@pytest.mark.parametrize(
    ("function", "expected"), [(flat_and_nested, 3.0), (parallel_leaf, 3.0), (live_size, 4.0)]
)
def test_reads_trace_as_one_graph(function: Callable[[Any], Any], expected: float, backend: str) -> None:
    initialize_model_parallel(Topology(tp=Group(4)))
    assert applied(compiled(function, backend)) == [expected, expected]


@pytest.mark.parametrize(
    ("function", "fields", "expected"),
    [
        (flat_and_nested, {"page_size": 9}, 10.0),
        (flat_and_nested, {"moe_a2a_backend": "none"}, 1.0),
        (parallel_leaf, {"dp_size": 5}, 5.0),
    ],
)
def test_compiled_code_sees_an_override(
    function: Callable[[Any], Any], fields: dict[str, Any], expected: float
) -> None:
    run_compiled = compiled(function, "eager")
    assert applied(run_compiled) == [3.0, 3.0]
    rc.get_context().override("test", **fields)
    assert applied(run_compiled) == [expected, expected]


def test_compiled_code_sees_a_publish() -> None:
    run_compiled = compiled(parallel_leaf, "eager")
    applied(run_compiled)
    rc.publish(ServerArgs("dummy", dp_size=7), role="scheduler")
    assert applied(run_compiled) == [7.0, 7.0]


class OldParallelContext:
    """The form that was replaced: it reaches its bag through `object.__getattribute__`."""

    def __init__(self, bag: Parallel) -> None:
        self._bag = bag

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_bag"), name)


@BACKENDS
def test_the_old_form_breaks_the_graph(backend: str) -> None:
    old = OldParallelContext(rc.get_context().live.parallel)
    assert old.dp_size == 3
    with pytest.raises(torch._dynamo.exc.Unsupported, match="__getattribute__"):
        applied(compiled(lambda x: x * old.dp_size, backend))


RECORDING = """
import torch
from sglang.srt import runtime_context as rc
from sglang.srt.server_args import ServerArgs

rc.publish(ServerArgs("dummy", dp_size=3, page_size=2), role="scheduler")

@torch.compile(backend="eager", fullgraph=True)
def forward(x):
    return x * rc.get_parallel().dp_size + rc.get_schedule().page_size

print(forward(torch.ones(1)).item())
rc.get_mm()
"""


def test_record_mode_is_silent_under_tracing(tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    ended = run(RECORDING, SGLANG_ROLE_NAMESPACES="record", SGLANG_ROLE_NAMESPACES_OUT=str(out))
    assert ended.stdout == "5.0\n"
    assert [line.split('"namespace": ')[1] for line in out.read_text().splitlines()] == ["null}", '"mm"}']


def test_enforce_mode_traces_what_it_allows() -> None:
    ended = run(RECORDING, SGLANG_ROLE_NAMESPACES="enforce")
    assert (ended.returncode, ended.stdout) == (0, "5.0\n")


def test_torch_is_no_dependency_of_the_library() -> None:
    ended = run("import sglang.srt.managers.scheduler, sys; print('torch' in sys.modules)")
    assert ended.stdout == "False\n"
