"""Writing: the one writer, scoped overrides, and lifecycles that come back."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt.runtime_context import Override
from sglang.srt.server_args import ServerArgs


@pytest.fixture
def record() -> ServerArgs:
    published = ServerArgs("dummy", chunked_prefill_size=8, numa_node=[0])
    rc.publish(published, role="scheduler", hf_config="hf")
    return published


def in_effect() -> tuple[object, ...]:
    """What a process could tell its lifecycle by."""
    context = rc.get_context()
    values = rc.get_schedule().chunked_prefill_size, rc.get_exec().moe.moe_a2a_backend
    return (context.live.server_args, rc.publish_role(), context.hf_config, context.overrides_log(), *values)


def test_an_override_is_routed_by_namespace(record: ServerArgs) -> None:
    rc.get_context().override("gate", chunked_prefill_size=4, moe_a2a_backend="deepep", dp_size=2)
    assert rc.get_schedule().chunked_prefill_size == 4
    assert rc.get_exec().moe.moe_a2a_backend == "deepep"
    assert rc.get_parallel().dp_size == 2


def test_an_override_reaches_a_held_bag(record: ServerArgs) -> None:
    held = rc.get_schedule()
    rc.get_context().override("gate", chunked_prefill_size=4)
    assert held.chunked_prefill_size == 4


def test_an_override_leaves_the_record(record: ServerArgs) -> None:
    pristine = record.copy_with()
    rc.get_context().override("gate", chunked_prefill_size=4, numa_node=[1])
    assert rc.get_context().live.server_args is record
    assert record == pristine


def test_the_log_keeps_order(record: ServerArgs) -> None:
    context = rc.get_context()
    context.override("first", tp_size=2, chunked_prefill_size=4)
    context.override("second", chunked_prefill_size=2)
    assert context.overrides_log() == (
        Override("first", "parallel", "tp_size", 2),
        Override("first", "schedule", "chunked_prefill_size", 4),
        Override("second", "schedule", "chunked_prefill_size", 2),
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"tp_siz": 1}, "no field `tp_siz`: did you mean `tp_size`", id="misspelled"),
        pytest.param({"exec": 1}, "no field `exec`", id="a namespace is no field"),
    ],
)
def test_an_override_is_all_or_nothing(record: ServerArgs, fields: dict[str, Any], message: str) -> None:
    before = in_effect()
    with pytest.raises(rc.UnknownFieldError, match=message):
        rc.get_context().override("gate", chunked_prefill_size=4, **fields)
    assert in_effect() == before


def test_an_override_names_its_source(record: ServerArgs) -> None:
    with pytest.raises(rc.ConfigError, match="names no source"):
        rc.get_context().override("", chunked_prefill_size=4)


def test_an_override_does_not_share_its_value(record: ServerArgs) -> None:
    nodes = [1]
    rc.get_context().override("gate", numa_node=nodes)
    nodes.append(2)
    assert rc.get_device().numa_node == [1]
    assert rc.get_context().overrides_log() == (Override("gate", "device", "numa_node", [1]),)


def test_what_readers_do_to_a_bag_is_not_in_the_log(record: ServerArgs) -> None:
    rc.get_context().override("gate", numa_node=[1])
    changed = rc.get_device().numa_node
    assert changed is not None
    changed.append(2)
    assert rc.get_context().overrides_log() == (Override("gate", "device", "numa_node", [1]),)
    assert rc.get_context().resolved_server_args_dict()["numa_node"] == [1]


class Uncopyable:
    def __deepcopy__(self, memo: object) -> None:
        raise RuntimeError("no copy")


def test_an_override_whose_last_value_fails_writes_none(record: ServerArgs) -> None:
    before = in_effect()
    last: Any = [Uncopyable()]
    with pytest.raises(RuntimeError, match="no copy"):
        rc.get_context().override("gate", chunked_prefill_size=4, moe_a2a_backend="deepep", numa_node=last)
    assert in_effect() == before


def test_threads_lose_no_override(record: ServerArgs) -> None:
    def write(source: str) -> None:
        for size in range(300):
            rc.get_context().override(source, chunked_prefill_size=size)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Thread(target=write, args=(f"thread {number}",)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    log = rc.get_context().overrides_log()
    assert Counter(override.source for override in log) == {f"thread {number}": 300 for number in range(4)}
    assert log[-1].value == rc.get_schedule().chunked_prefill_size


def leave_a_preserved_block() -> None:
    with rc.get_context().preserve_config():
        pass


@pytest.mark.parametrize(
    "write",
    [
        lambda: rc.get_context().override("other thread", chunked_prefill_size=1),
        lambda: rc.publish(ServerArgs("dummy"), role="test"),
        leave_a_preserved_block,
        rc.reset_context,
    ],
    ids=["override", "publish", "preserve", "reset"],
)
def test_writers_wait_for_each_other(record: ServerArgs, write: Callable[[], object]) -> None:
    thread, before = Thread(target=write), in_effect()
    with rc.get_context()._writing:  # type: ignore[attr-defined]
        thread.start()
        thread.join(timeout=0.05)
        assert thread.is_alive()
        assert in_effect() == before
    thread.join()


def test_the_readback_overlays_the_record(record: ServerArgs) -> None:
    rc.get_context().override("gate", chunked_prefill_size=4)
    rc.get_context().override("again", chunked_prefill_size=2)
    resolved = rc.get_context().resolved_server_args_dict()
    assert (len(resolved), resolved["chunked_prefill_size"], resolved["numa_node"]) == (458, 2, [0])


def test_the_readback_overlays_a_base_and_leaves_it(record: ServerArgs) -> None:
    rc.get_context().override("gate", chunked_prefill_size=4)
    base = {"chunked_prefill_size": 8, "extra": True}
    assert rc.get_context().resolved_server_args_dict(base) == {"chunked_prefill_size": 4, "extra": True}
    assert base == {"chunked_prefill_size": 8, "extra": True}


def test_the_readback_is_detached(record: ServerArgs) -> None:
    rc.get_context().resolved_server_args_dict()["numa_node"].append(1)
    assert (record.numa_node, rc.get_device().numa_node) == ([0], [0])
    rc.get_context().override("gate", numa_node=[1])
    rc.get_context().resolved_server_args_dict()["numa_node"].append(2)
    assert rc.get_context().resolved_server_args_dict()["numa_node"] == [1]


# Scoped overrides of a bag


def both() -> tuple[object, object]:
    return rc.get_schedule().chunked_prefill_size, rc.get_schedule().page_size


def test_a_scoped_override_holds_inside_only(record: ServerArgs) -> None:
    with rc.get_schedule().override(chunked_prefill_size=1, page_size=2) as bag:
        assert bag is rc.get_schedule()
        assert both() == (1, 2)
        with rc.get_schedule().override(page_size=3):
            assert both() == (1, 3)
        assert both() == (1, 2)
    assert both() == (8, None)
    assert rc.get_context().overrides_log() == ()


@pytest.mark.parametrize("name", ["page_siz", "tp_size", "moe_a2a_backend"])
def test_a_scoped_override_is_all_or_nothing(record: ServerArgs, name: str) -> None:
    wrong: dict[str, Any] = {name: 1}
    with (
        pytest.raises(rc.ConfigError, match=f"`schedule` has no leaf `{name}`"),
        rc.get_schedule().override(chunked_prefill_size=1, **wrong),
    ):
        pytest.fail("the block was entered")
    assert rc.get_schedule().chunked_prefill_size == 8


def test_a_scoped_override_takes_no_group(record: ServerArgs) -> None:
    bag: Any = rc.get_exec()
    with pytest.raises(rc.ConfigError, match="`exec` has no leaf `moe`"), bag.override(moe=1):
        pytest.fail("the block was entered")


def test_a_publish_inside_a_scoped_override_stands(record: ServerArgs) -> None:
    with rc.get_schedule().override(chunked_prefill_size=1), rc.get_parallel().override(dp_size=7):
        rc.publish(ServerArgs("dummy", chunked_prefill_size=64, dp_size=2), role="test")
    assert (rc.get_schedule().chunked_prefill_size, rc.get_parallel().dp_size) == (64, 2)


# Blocks that end in every way. Each runs the change in the block and leaves it in its way.


def falls_through(block: Any, change: Callable[[], None]) -> None:
    with block:
        change()


def returns(block: Any, change: Callable[[], None]) -> None:
    with block:
        change()
        return


def breaks(block: Any, change: Callable[[], None]) -> None:
    while True:
        with block:
            change()
            break


def leaving_with(error: type[BaseException]) -> Callable[[Any, Callable[[], None]], None]:
    def leave(block: Any, change: Callable[[], None]) -> None:
        with suppress(error), block:
            change()
            raise error

    return leave


def closes(block: Any, change: Callable[[], None]) -> None:
    def steps() -> Iterator[None]:
        with block:
            change()
            yield

    running = steps()
    next(running)
    running.close()  # type: ignore[attr-defined]


EXITS = pytest.mark.parametrize(
    "leave",
    [
        pytest.param(falls_through, id="end"),
        pytest.param(returns, id="return"),
        pytest.param(breaks, id="break"),
        pytest.param(leaving_with(RuntimeError), id="error"),
        pytest.param(leaving_with(KeyboardInterrupt), id="interrupt"),
        pytest.param(leaving_with(SystemExit), id="exit"),
        pytest.param(closes, id="close"),
    ],
)


def publish_another() -> None:
    rc.publish(ServerArgs("dummy", chunked_prefill_size=1), role="test")
    rc.get_context().override("inner", chunked_prefill_size=2)


def override_more() -> None:
    rc.get_context().override("inner", chunked_prefill_size=2, moe_a2a_backend="mori")


def change_a_list_in_place() -> None:
    nodes = rc.get_device().numa_node
    assert nodes is not None
    nodes.append(9)


@EXITS
@pytest.mark.parametrize("change", [publish_another, override_more, change_a_list_in_place, rc.reset_context])
def test_preserve_config_reinstates(
    record: ServerArgs, leave: Callable[..., None], change: Callable[[], None]
) -> None:
    rc.get_context().override("outer", chunked_prefill_size=4, moe_a2a_backend="deepep")
    held, before = rc.get_schedule(), in_effect()
    leave(rc.get_context().preserve_config(), change)
    assert in_effect() == before
    assert rc.get_schedule() is held
    assert rc.get_device().numa_node == [0]


@EXITS
def test_preserve_config_reinstates_nothing_published(leave: Callable[..., None]) -> None:
    leave(rc.get_context().preserve_config(), publish_another)
    with pytest.raises(rc.NotPublishedError):
        rc.get_schedule()


@EXITS
def test_a_scoped_override_is_put_back(record: ServerArgs, leave: Callable[..., None]) -> None:
    leave(rc.get_schedule().override(chunked_prefill_size=1), lambda: None)
    assert rc.get_schedule().chunked_prefill_size == 8


def test_preserved_blocks_nest(record: ServerArgs) -> None:
    context = rc.get_context()
    with context.preserve_config():
        context.override("outer", chunked_prefill_size=4)
        outer = in_effect()
        with context.preserve_config():
            publish_another()
        assert in_effect() == outer
    assert rc.get_schedule().chunked_prefill_size == 8
