"""The namespaces: one bag type each, with the leaves that the fields of `ServerArgs` assign to it."""

from __future__ import annotations

from collections.abc import Mapping

from sglang.srt._runtime.bag import ConfigBag
from sglang.srt._runtime.schema import leaves_of


class Device(ConfigBag):
    _path = "device"
    __slots__ = leaves_of(_path)


class Model(ConfigBag):
    _path = "model"
    __slots__ = leaves_of(_path)


class Memory(ConfigBag):
    _path = "memory"
    __slots__ = leaves_of(_path)


class Schedule(ConfigBag):
    _path = "schedule"
    __slots__ = leaves_of(_path)


class Spec(ConfigBag):
    _path = "spec"
    __slots__ = leaves_of(_path)


class Lora(ConfigBag):
    _path = "lora"
    __slots__ = leaves_of(_path)


class Mm(ConfigBag):
    _path = "mm"
    __slots__ = leaves_of(_path)


class Disagg(ConfigBag):
    _path = "disagg"
    __slots__ = leaves_of(_path)


class Serving(ConfigBag):
    _path = "serving"
    __slots__ = leaves_of(_path)


class Observability(ConfigBag):
    _path = "observability"
    __slots__ = leaves_of(_path)


class Parallel(ConfigBag):
    _path = "parallel"
    __slots__ = leaves_of(_path)


class ExecComm(ConfigBag):
    _path = "exec.comm"
    __slots__ = leaves_of(_path)


class ExecDeterministic(ConfigBag):
    _path = "exec.deterministic"
    __slots__ = leaves_of(_path)


class ExecDllm(ConfigBag):
    _path = "exec.dllm"
    __slots__ = leaves_of(_path)


class ExecFeatures(ConfigBag):
    _path = "exec.features"
    __slots__ = leaves_of(_path)


class ExecGraph(ConfigBag):
    _path = "exec.graph"
    __slots__ = leaves_of(_path)


class ExecKernel(ConfigBag):
    _path = "exec.kernel"
    __slots__ = leaves_of(_path)


class ExecMamba(ConfigBag):
    _path = "exec.mamba"
    __slots__ = leaves_of(_path)


class ExecMoe(ConfigBag):
    _path = "exec.moe"
    __slots__ = leaves_of(_path)


class ExecOffload(ConfigBag):
    _path = "exec.offload"
    __slots__ = leaves_of(_path)


class ExecOverlap(ConfigBag):
    _path = "exec.overlap"
    __slots__ = leaves_of(_path)


class Exec(ConfigBag):
    """The one namespace of groups: its leaves lie one level down, as in `get_exec().moe.moe_a2a_backend`."""

    _path = "exec"
    __slots__ = (
        "comm",
        "deterministic",
        "dllm",
        "features",
        "graph",
        "kernel",
        "mamba",
        "moe",
        "offload",
        "overlap",
    )

    comm: ExecComm
    deterministic: ExecDeterministic
    dllm: ExecDllm
    features: ExecFeatures
    graph: ExecGraph
    kernel: ExecKernel
    mamba: ExecMamba
    moe: ExecMoe
    offload: ExecOffload
    overlap: ExecOverlap

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__(
            {
                "comm": ExecComm(values),
                "deterministic": ExecDeterministic(values),
                "dllm": ExecDllm(values),
                "features": ExecFeatures(values),
                "graph": ExecGraph(values),
                "kernel": ExecKernel(values),
                "mamba": ExecMamba(values),
                "moe": ExecMoe(values),
                "offload": ExecOffload(values),
                "overlap": ExecOverlap(values),
            }
        )
