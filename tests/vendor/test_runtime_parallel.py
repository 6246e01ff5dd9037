"""`get_parallel()`: live topology before configuration, and loud where there is none."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt.distributed import parallel_state
from sglang.srt.distributed.parallel_state import Group, Topology
from sglang.srt.server_args import ServerArgs

SHADOWED = ["tp_size", "pp_size", "dcp_size", "attn_cp_size", "moe_dp_size"]
GROUPS = ["world", "tp", "pp", "moe_ep", "moe_dp", "moe_tp", "attn_tp", "attn_cp", "dcp"]
LIVE = [
    *(f"{group}_{part}" for group in GROUPS for part in ("size", "rank", "group")),
    *(f"attn_{group}_{part}" for group in ("dp", "dcp") for part in ("size", "rank")),
    "dcp_enabled",
]


def full_topology() -> Topology:
    """Each group with a size, a rank and a handle that no other has."""
    names = [*GROUPS, "attn_dp", "attn_dcp"]
    return Topology(**{name: Group(10 + n, n, f"{name} handle") for n, name in enumerate(names)})


@pytest.mark.parametrize("name", LIVE)
def test_a_live_read_before_initialisation_says_so(name: str) -> None:
    rc.publish(ServerArgs("dummy", tp_size=4), role="test")
    with pytest.raises(rc.TopologyError, match=rf"get_parallel\(\).{name} .*before.*was initialised"):
        getattr(rc.get_parallel(), name)


@pytest.mark.parametrize("name", LIVE[:-1])
def test_live_reads(name: str) -> None:
    topology = full_topology()
    parallel_state.initialize_model_parallel(topology)
    group, _, part = name.rpartition("_")
    live = getattr(topology, group)
    expected = {"size": live.size, "rank": live.rank, "group": live.handle}[part]
    assert getattr(rc.get_parallel(), name) == expected


@pytest.mark.parametrize("name", SHADOWED)
def test_live_wins_over_the_leaf_of_its_name(name: str) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    shadowed: dict[str, Any] = {name: 77}
    rc.get_context().override("test", **shadowed)
    parallel_state.initialize_model_parallel(full_topology())
    group = getattr(full_topology(), name.removesuffix("_size"))
    assert getattr(rc.get_parallel(), name) == group.size


def test_leaves_come_from_the_published_bag() -> None:
    rc.publish(ServerArgs("dummy", dp_size=3), role="test")
    assert rc.get_parallel().dp_size == 3
    rc.get_context().override("scale", dp_size=5)
    assert rc.get_parallel().dp_size == 5


def test_live_reads_need_no_publish() -> None:
    parallel_state.initialize_model_parallel(Topology(tp=Group(4, 1)))
    assert (rc.get_parallel().tp_size, rc.get_parallel().tp_rank) == (4, 1)


def test_a_group_that_the_job_did_not_start_is_named() -> None:
    parallel_state.initialize_model_parallel(Topology(tp=Group(4)))
    with pytest.raises(rc.TopologyError, match=r"get_parallel\(\).dcp_size.*started no `dcp` group"):
        _ = rc.get_parallel().dcp_size


@pytest.mark.parametrize(
    ("group", "enabled"), [(None, False), (Group(1), False), (Group(2), True)], ids=["none", "one", "two"]
)
def test_dcp_enabled(group: Group | None, enabled: bool) -> None:
    parallel_state.initialize_model_parallel(Topology(dcp=group))
    assert rc.get_parallel().dcp_enabled is enabled


def test_initialised_once_until_destroyed() -> None:
    parallel_state.initialize_model_parallel(Topology())
    assert parallel_state.model_parallel_is_initialized()
    with pytest.raises(rc.TopologyError, match="initialised already"):
        parallel_state.initialize_model_parallel(Topology())
    parallel_state.destroy_model_parallel()
    assert not parallel_state.model_parallel_is_initialized()


def test_a_publish_keeps_the_topology() -> None:
    parallel_state.initialize_model_parallel(Topology(tp=Group(4)))
    with rc.get_context().preserve_config():
        rc.publish(ServerArgs("dummy"), role="test")
    assert rc.get_parallel().tp_size == 4


@pytest.mark.parametrize("published", [False, True], ids=["unpublished", "published"])
@pytest.mark.parametrize(
    "probe",
    [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_serve_the_same(probe: Callable[[object], object], published: bool) -> None:
    if published:
        rc.publish(ServerArgs("dummy"), role="test")
    twin = probe(rc.get_parallel())
    parallel_state.initialize_model_parallel(Topology(tp=Group(4)))
    assert getattr(twin, "tp_size") == 4  # noqa: B009


@pytest.mark.parametrize("name", ["__deepcopy__", "__setstate__", "__getnewargs_ex__", "__array__"])
def test_special_names_are_absent_before_the_publish(name: str) -> None:
    assert not hasattr(rc.get_parallel(), name)


def test_a_live_property_is_found_on_the_class_and_takes_no_value() -> None:
    found: object = vars(rc.ParallelContext)["tp_size"]
    assert getattr(rc.ParallelContext, "tp_size") is found  # noqa: B009
    with pytest.raises(rc.ReadOnlyError):
        object.__setattr__(rc.get_parallel(), "tp_size", 2)


def test_a_scoped_override_of_live_values() -> None:
    with rc.get_parallel().override(tp_size=4, tp_rank=2) as parallel:
        assert (parallel.tp_size, parallel.tp_rank) == (4, 2)
    assert not parallel_state.model_parallel_is_initialized()


def test_a_scoped_override_keeps_the_other_groups() -> None:
    parallel_state.initialize_model_parallel(full_topology())
    with rc.get_parallel().override(tp_size=4) as parallel:
        assert (parallel.tp_size, parallel.tp_group, parallel.pp_size) == (4, "tp handle", 12)
    assert rc.get_parallel().tp_size == 11


def test_a_scoped_override_of_both_kinds() -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    with suppress(RuntimeError), rc.get_parallel().override(dp_size=2, tp_size=4) as parallel:
        assert (parallel.dp_size, parallel.tp_size) == (2, 4)
        raise RuntimeError
    assert rc.get_parallel().dp_size == 1
    assert not parallel_state.model_parallel_is_initialized()


@pytest.mark.parametrize("name", ["dp_sise", "dcp_enabled", "moe_a2a_backend"])
def test_a_scoped_override_is_all_or_nothing(name: str) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    wrong: dict[str, Any] = {name: 1}
    with (
        pytest.raises(rc.ConfigError, match=f"`parallel` has no leaf `{name}`"),
        rc.get_parallel().override(tp_size=4, **wrong),
    ):
        pytest.fail("the block was entered")
    assert not parallel_state.model_parallel_is_initialized()
