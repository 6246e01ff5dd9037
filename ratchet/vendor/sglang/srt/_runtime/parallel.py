"""`get_parallel()`: the live topology first, and beside it the leaves of the `parallel` namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Generic, NoReturn, TypeVar, overload

from sglang.srt._runtime.context import CONTEXT
from sglang.srt._runtime.errors import ReadOnlyError, TopologyError
from sglang.srt._runtime.namespaces import Parallel
from sglang.srt._runtime.roles import guarded
from sglang.srt.distributed.topology import Group, Topology

T = TypeVar("T")


@guarded("parallel", lambda: CONTEXT.live.role)
def _published() -> Parallel:
    return CONTEXT.live.parallel


def _topology(attribute: str) -> Topology:
    if CONTEXT.topology is None:
        raise TopologyError(
            f"get_parallel().{attribute} is live and was read before the distributed job was initialised: "
            "read it after initialize_model_parallel(), or read the requested value off the record."
        )
    return CONTEXT.topology


def _group(name: str, attribute: str) -> Group:
    group: Group | None = getattr(_topology(attribute), name)
    if group is None:
        raise TopologyError(
            f"get_parallel().{attribute} was read, but this job started no `{name}` group: "
            "read it only under the configuration that starts it, or start it in initialize_model_parallel()."
        )
    return group


class _Live(Generic[T]):
    """A property that reads one part of a live group; on the class, so it wins over a leaf of its name."""

    def __init__(self, group: str, part: str) -> None:
        self.group = group
        self.part = part

    def __set_name__(self, owner: type[object], name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type[object]) -> _Live[T]: ...
    @overload
    def __get__(self, instance: object, owner: type[object]) -> T: ...
    def __get__(self, instance: object | None, owner: type[object]) -> _Live[T] | T:
        if instance is None:
            return self
        value: T = getattr(_group(self.group, self.name), self.part)
        return value

    # With a setter it is a data descriptor, as a property is, and introspection takes it for one.
    def __set__(self, instance: object, value: object) -> NoReturn:
        raise ReadOnlyError("parallel", self.name)


def _size(group: str) -> _Live[int]:
    return _Live(group, "size")


def _rank(group: str) -> _Live[int]:
    return _Live(group, "rank")


def _handle(group: str) -> _Live[Any]:
    return _Live(group, "handle")


class ParallelContext:
    """Sizes, ranks and groups of the running job, and the configuration leaves that are no live property.

    It holds nothing itself: what it serves is in the context and may come and go.
    """

    __slots__ = ()

    world_size, world_rank, world_group = _size("world"), _rank("world"), _handle("world")
    tp_size, tp_rank, tp_group = _size("tp"), _rank("tp"), _handle("tp")
    pp_size, pp_rank, pp_group = _size("pp"), _rank("pp"), _handle("pp")
    moe_ep_size, moe_ep_rank, moe_ep_group = _size("moe_ep"), _rank("moe_ep"), _handle("moe_ep")
    moe_dp_size, moe_dp_rank, moe_dp_group = _size("moe_dp"), _rank("moe_dp"), _handle("moe_dp")
    moe_tp_size, moe_tp_rank, moe_tp_group = _size("moe_tp"), _rank("moe_tp"), _handle("moe_tp")
    attn_tp_size, attn_tp_rank, attn_tp_group = _size("attn_tp"), _rank("attn_tp"), _handle("attn_tp")
    attn_cp_size, attn_cp_rank, attn_cp_group = _size("attn_cp"), _rank("attn_cp"), _handle("attn_cp")
    attn_dp_size, attn_dp_rank = _size("attn_dp"), _rank("attn_dp")
    attn_dcp_size, attn_dcp_rank = _size("attn_dcp"), _rank("attn_dcp")
    dcp_size, dcp_rank, dcp_group = _size("dcp"), _rank("dcp"), _handle("dcp")

    @property
    def dcp_enabled(self) -> bool:
        """Whether the job shares a sequence's cache among ranks; raises TopologyError before it starts."""
        group = _topology("dcp_enabled").dcp
        return group is not None and group.size > 1

    def __getattr__(self, name: str) -> Any:
        # A plain getattr on the bag, which compilers trace; they break on `object.__getattribute__`. Special
        # names are asked for by copy and pickle and must not reach a bag that may not be there.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_published(), name)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ReadOnlyError("parallel", name)

    @contextmanager
    def override(self, **values: object) -> Iterator[ParallelContext]:
        """Give live properties and leaves other values for the length of a block, in a test.

        A live value makes up its group where the job started none, so a test needs no distributed job. All
        values are set or none: raises ConfigError for a name that is neither a live property nor a leaf.
        """
        live = {name: value for name, value in values.items() if name in _LIVE}
        leaves = {name: value for name, value in values.items() if name not in _LIVE}
        with ExitStack() as stack:
            if leaves:
                stack.enter_context(CONTEXT.live.parallel.override(**leaves))
            if live:
                stack.enter_context(_scoped_topology(live))
            yield self


_LIVE = {name: member for name, member in vars(ParallelContext).items() if isinstance(member, _Live)}
PARALLEL = ParallelContext()


@contextmanager
def _scoped_topology(values: Mapping[str, object]) -> Iterator[None]:
    before = CONTEXT.topology
    CONTEXT.topology = _changed(before or Topology(), values)
    try:
        yield
    finally:
        CONTEXT.topology = before


def _changed(topology: Topology, values: Mapping[str, Any]) -> Topology:
    for name, value in values.items():
        live = _LIVE[name]
        group: Group = getattr(topology, live.group) or Group(size=1)
        topology = replace(topology, **{live.group: replace(group, **{live.part: value})})
    return topology
