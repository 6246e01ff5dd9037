"""Publishing, and the bags that are read afterwards."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt._runtime.schema import FIELD_NAMESPACES
from sglang.srt.server_args import ServerArgs

NAMESPACES = [
    "device",
    "model",
    "exec",
    "memory",
    "schedule",
    "spec",
    "lora",
    "mm",
    "disagg",
    "serving",
    "observability",
]


def accessor(namespace: str) -> Callable[[], Any]:
    found: Callable[[], Any] = getattr(rc, f"get_{namespace}")
    return found


def leaf_of(name: str) -> Any:
    """A leaf's value, read as code reads it."""
    first, _, group = FIELD_NAMESPACES[name].partition(".")
    bag = rc.get_context().live.parallel if first == "parallel" else accessor(first)()
    return getattr(getattr(bag, group) if group else bag, name)


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_accessors_fail_closed_before_the_publish(namespace: str) -> None:
    with pytest.raises(rc.NotPublishedError, match=rf"\(here `{namespace}`\) was used before.*publish\("):
        accessor(namespace)()


@pytest.mark.parametrize(
    "use",
    [
        rc.get_server_args,
        lambda: rc.get_context().server_args,
        lambda: rc.get_context().hf_config,
        lambda: rc.get_context().overrides_log(),
        lambda: rc.get_context().resolved_server_args_dict(),
        lambda: rc.get_context().override("test", tp_size=2),
        lambda: rc.get_parallel().dp_size,
    ],
    ids=["get_server_args", "server_args", "hf_config", "log", "readback", "override", "parallel leaf"],
)
def test_everything_else_fails_closed_too(use: Callable[[], object]) -> None:
    with pytest.raises(rc.NotPublishedError):
        use()


def test_special_names_are_absent_before_the_publish() -> None:
    assert not hasattr(rc.get_context().live, "__array__")


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_accessors_fail_closed_after_a_reset(namespace: str) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    rc.reset_context()
    with pytest.raises(rc.NotPublishedError):
        accessor(namespace)()


def test_every_field_is_published_where_it_says() -> None:
    own_names = {name: name for name in FIELD_NAMESPACES}
    rc.publish(ServerArgs("dummy").copy_with(**own_names), role="test")
    assert {name: leaf_of(name) for name in FIELD_NAMESPACES} == own_names


def test_publish_returns_the_context_with_what_was_given() -> None:
    record, hf_config = ServerArgs("dummy"), {"architectures": ["Llama"]}
    context = rc.publish(record, role="scheduler", hf_config=hf_config)
    assert context is rc.get_context()
    assert (context.hf_config, rc.publish_role()) == (hf_config, "scheduler")
    retired: list[object] = [context.server_args, rc.get_server_args()]
    assert all(read is record for read in retired)


def test_no_role_before_the_publish() -> None:
    assert rc.publish_role() is None


@pytest.mark.parametrize(
    "stand_in", [SimpleNamespace(page_size=1), Mock(spec=ServerArgs), None], ids=["namespace", "mock", "none"]
)
def test_only_a_real_record_is_published(stand_in: Any) -> None:
    record = ServerArgs("dummy")
    rc.publish(record, role="scheduler")
    with pytest.raises(
        rc.ConfigError, match=r"publish\(\) takes the resolved ServerArgs, not a \w+: build a"
    ):
        rc.publish(stand_in, role="test")
    assert (rc.get_context().live.server_args, rc.publish_role()) == (record, "scheduler")


def test_nested_reads() -> None:
    rc.publish(ServerArgs("dummy", moe_a2a_backend="deepep"), role="test")
    assert rc.get_exec().moe.moe_a2a_backend == "deepep"


def test_the_publish_is_a_snapshot() -> None:
    record = ServerArgs("dummy", numa_node=[0])
    rc.publish(record, role="test")
    published = rc.get_device().numa_node
    assert published is not None
    published.append(1)
    assert (record.numa_node, rc.get_device().numa_node) == ([0], [0, 1])


def test_a_publish_starts_a_fresh_lifecycle() -> None:
    rc.publish(ServerArgs("dummy"), role="launcher", hf_config={})
    held = rc.get_schedule()
    rc.get_context().override("test", chunked_prefill_size=64)
    rc.publish(ServerArgs("dummy", stream_interval=8), role="scheduler")
    assert rc.get_schedule().chunked_prefill_size is None
    assert rc.get_serving().stream_interval == 8
    assert (rc.get_context().overrides_log(), rc.get_context().hf_config) == ((), None)
    assert rc.publish_role() == "scheduler"
    assert (held is rc.get_schedule(), held.chunked_prefill_size) == (False, 64)


@pytest.mark.parametrize(
    ("bag", "leaf"),
    [
        pytest.param(lambda: rc.get_schedule(), "chunked_prefill_size", id="flat"),
        pytest.param(lambda: rc.get_exec().moe, "moe_a2a_backend", id="nested"),
        pytest.param(lambda: rc.get_exec(), "moe", id="group"),
        pytest.param(lambda: rc.get_schedule(), "not_a_leaf", id="unknown"),
        pytest.param(lambda: rc.get_parallel(), "dp_size", id="parallel leaf"),
        pytest.param(lambda: rc.get_parallel(), "tp_size", id="live"),
    ],
)
def test_a_bare_store_is_refused(bag: Callable[[], Any], leaf: str) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    with pytest.raises(rc.ReadOnlyError, match=rf"`{leaf}` included.*override\(.*{leaf}="):
        setattr(bag(), leaf, 1)


def test_a_delete_is_refused() -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    with pytest.raises(rc.ReadOnlyError):
        del rc.get_schedule().chunked_prefill_size


@pytest.mark.parametrize(
    ("bag", "name", "message"),
    [
        pytest.param(
            lambda: rc.get_schedule(),
            "chunked_prefil_size",
            "The namespace `schedule` has no leaf `chunked_prefil_size`: "
            "did you mean `chunked_prefill_size`?",
            id="misspelled",
        ),
        pytest.param(
            lambda: rc.get_exec().moe,
            "moe_a2a_backnd",
            "The namespace `exec.moe` has no leaf `moe_a2a_backnd`: did you mean `moe_a2a_backend`?",
            id="nested",
        ),
        pytest.param(
            lambda: rc.get_exec(),
            "mo",
            "The namespace `exec` has no leaf `mo`: did you mean `moe`?",
            id="group",
        ),
        pytest.param(
            lambda: rc.get_schedule(),
            "moe_a2a_backend",
            "The namespace `schedule` has no leaf `moe_a2a_backend`: "
            "it is a leaf of `exec.moe`, read it as get_exec().moe.moe_a2a_backend.",
            id="elsewhere",
        ),
        pytest.param(
            lambda: rc.get_parallel(),
            "dp_sise",
            "The namespace `parallel` has no leaf `dp_sise`: did you mean `dp_size`?",
            id="parallel",
        ),
    ],
)
def test_an_unknown_leaf_names_its_namespace_and_the_nearest(
    bag: Callable[[], object], name: str, message: str
) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    with pytest.raises(rc.UnknownLeafError) as caught:
        getattr(bag(), name)
    assert str(caught.value) == message


def test_a_leaf_is_a_plain_attribute() -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    bag: Any = rc.get_schedule()
    assert "chunked_prefill_size" in type(bag).__slots__
    reader: object = type(bag).__getattribute__
    assert reader is object.__getattribute__
    assert not hasattr(bag, "__dict__")


def test_a_special_name_is_absent_without_advice() -> None:
    with pytest.raises(AttributeError, match=r"^__array__$"):
        getattr(published(), "__array__")  # noqa: B009


def test_a_bag_says_what_it_is() -> None:
    assert repr(published()) == "<namespace schedule: 36 members>"


@pytest.mark.parametrize("attempt", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_bag_does_not_leave_its_process(attempt: Callable[[object], object]) -> None:
    rc.publish(ServerArgs("dummy"), role="test")
    with pytest.raises(TypeError, match="The namespace `schedule` belongs to its process"):
        attempt(rc.get_schedule())


@pytest.mark.parametrize(
    "fail",
    [
        lambda: rc.get_schedule(),
        lambda: rc.get_parallel().tp_size,
        lambda: published().chunked_prefil_size,
        lambda: setattr(published(), "page_size", 1),
        lambda: rc.get_context().override("test", **MISSPELLED),
        lambda: rc.get_context().override("", page_size=1),
    ],
    ids=["unpublished", "live", "unknown leaf", "read-only", "unknown field", "no source"],
)
def test_errors_reach_another_process(fail: Callable[[], object]) -> None:
    with pytest.raises((rc.ConfigError, AttributeError, rc.TopologyError)) as caught:
        fail()
    arrived = pickle.loads(pickle.dumps(caught.value))
    assert (type(arrived), str(arrived)) == (type(caught.value), str(caught.value))


MISSPELLED: dict[str, Any] = {"page_siz": 1}


def published() -> Any:
    rc.publish(ServerArgs("dummy"), role="test")
    return rc.get_schedule()
