"""Several engines in one process: what one changes is its own, in every readback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt._runtime.overrides import Override
from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.entrypoints.grpc_bridge import RuntimeHandle
from sglang.srt.entrypoints.http_server import hicache_storage_backend_status, model_info, server_info
from sglang.srt.managers.io_struct import AttachHiCacheStorageReq
from sglang.srt.managers.scheduler import Scheduler
from sglang.srt.managers.tokenizer_manager import TokenizerManager
from sglang.srt.mem_cache.unified_radix_cache import UnifiedRadixCache
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.spec_info import SpeculativeAlgorithms

ATTACH = AttachHiCacheStorageReq("mooncake", hicache_write_policy="write_back")
ATTACHED = {
    "hicache_storage_backend": "mooncake",
    "hicache_storage_backend_extra_config": None,
    "hicache_storage_prefetch_policy": "timeout",
    "hicache_write_policy": "write_back",
}
STARTED = {
    "hicache_storage_backend": None,
    "hicache_storage_backend_extra_config": None,
    "hicache_storage_prefetch_policy": "timeout",
    "hicache_write_policy": "write_through",
}


def engine(**fields: Any) -> TokenizerManager:
    """An engine whose record is the published one, with a host cache."""
    record = ServerArgs("dummy", **fields)
    rc.publish(record, role="scheduler")
    cache = UnifiedRadixCache()
    cache.init_hicache()
    scheduler = Scheduler(record, ModelConfig(context_len=64), SpeculativeAlgorithms(), cache)
    return TokenizerManager(record, scheduler)


def update(manager: TokenizerManager) -> None:
    manager.weights_updated(model_path="org/new", load_format="safetensors", weight_version="v2")


def in_server_info(manager: TokenizerManager) -> dict[str, Any]:
    return server_info(manager)


def in_grpc_server_info(manager: TokenizerManager) -> Any:
    return json.loads(RuntimeHandle(manager).get_server_info())


def in_grpc_model_info(manager: TokenizerManager) -> Any:
    return json.loads(RuntimeHandle(manager).get_model_info())


READBACKS = pytest.mark.parametrize(
    "readback",
    [
        pytest.param(in_server_info, id="server_info"),
        pytest.param(model_info, id="model_info"),
        pytest.param(in_grpc_server_info, id="grpc server_info"),
        pytest.param(in_grpc_model_info, id="grpc model_info"),
    ],
)


@READBACKS
def test_a_readback_overlays_the_update_on_the_startup_record(
    readback: Callable[[TokenizerManager], dict[str, Any]],
) -> None:
    manager = engine(weight_version="v1", tokenizer_path="org/tokenizer")
    assert readback(manager)["weight_version"] == "v1"
    update(manager)
    shown = readback(manager)
    assert (shown["model_path"], shown["load_format"], shown["weight_version"], shown["tokenizer_path"]) == (
        "org/new",
        "safetensors",
        "v2",
        "org/tokenizer",
    )


@READBACKS
def test_engines_do_not_see_each_others_updates(
    readback: Callable[[TokenizerManager], dict[str, Any]],
) -> None:
    first, second = engine(), engine()
    before = readback(second)
    update(first)
    assert readback(second) == before
    assert readback(first) != before


def test_an_update_stays_out_of_namespaces_and_record() -> None:
    manager = engine()
    pristine = manager.server_args.copy_with()
    update(manager)
    assert (rc.get_serving().weight_version, rc.get_model().load_format) == ("default", "auto")
    assert rc.get_context().overrides_log() == ()
    assert manager.server_args == pristine


def test_updates_are_kept_in_order() -> None:
    manager = engine()
    manager.record_config_updates("first", weight_version="v1", load_format="auto")
    manager.record_config_updates("second", weight_version="v2")
    assert manager.config_updates == (
        Override("first", "serving", "weight_version", "v1"),
        Override("first", "model", "load_format", "auto"),
        Override("second", "serving", "weight_version", "v2"),
    )
    assert manager.config_value("weight_version") == "v2"


def test_a_value_updated_to_none_is_none() -> None:
    manager = engine(hicache_storage_backend="file")
    manager.record_config_updates("detach", hicache_storage_backend=None)
    assert manager.config_value("hicache_storage_backend") is None


def test_a_value_without_an_update_is_the_records() -> None:
    manager = engine(stream_interval=4)
    rc.get_context().override("process", stream_interval=8)
    assert manager.config_value("stream_interval") == 4


def test_weights_without_a_version_keep_the_label() -> None:
    manager = engine(weight_version="v1")
    manager.weights_updated(model_path="org/new", load_format="auto")
    assert model_info(manager)["weight_version"] == "v1"


def test_an_update_is_all_or_nothing() -> None:
    manager = engine()
    with pytest.raises(rc.UnknownFieldError, match="no field `weight_versio`"):
        manager.record_config_updates("typo", load_format="x", weight_versio="v2")
    assert manager.config_updates == ()


def test_an_update_names_its_source() -> None:
    manager = engine()
    with pytest.raises(rc.ConfigError, match="names no source"):
        manager.record_config_updates("", load_format="x")
    assert manager.config_updates == ()


def test_a_value_that_was_read_is_the_readers_own() -> None:
    manager = engine(numa_node=[0])
    manager.config_value("numa_node").append(1)
    assert manager.config_value("numa_node") == [0]
    manager.record_config_updates("move", numa_node=[2])
    manager.config_value("numa_node").append(3)
    assert (manager.config_value("numa_node"), manager.server_args.numa_node) == ([2], [0])


def test_an_unknown_value_is_an_error() -> None:
    with pytest.raises(rc.UnknownFieldError, match="did you mean `weight_version`"):
        engine().config_value("weight_versio")


def test_the_overlay_leaves_its_base() -> None:
    manager, base = engine(), {"weight_version": "default", "more": 1}
    update(manager)
    resolved = manager.resolved_config_dict(base)
    assert (resolved["weight_version"], resolved["more"], base) == (
        "v2",
        1,
        {"weight_version": "default", "more": 1},
    )


# HiCache: the scheduler's namespaces and each engine's readback


def test_an_attachment_shows_on_both_sides() -> None:
    manager = engine()
    assert hicache_storage_backend_status(manager) == STARTED
    assert manager.attach_hicache_storage(ATTACH).success
    assert hicache_storage_backend_status(manager) == ATTACHED
    memory = rc.get_memory()
    assert (memory.hicache_storage_backend, memory.hicache_write_policy) == ("mooncake", "write_back")
    assert manager.server_args.hicache_storage_backend is None


def test_a_detachment_shows_on_both_sides() -> None:
    manager = engine()
    manager.attach_hicache_storage(ATTACH)
    assert manager.detach_hicache_storage().success
    assert hicache_storage_backend_status(manager) == {**ATTACHED, "hicache_storage_backend": None}
    assert rc.get_memory().hicache_storage_backend is None


def test_the_schedulers_state_is_in_server_info() -> None:
    record = ServerArgs("dummy")
    rc.publish(record, role="scheduler")
    cache = UnifiedRadixCache()
    scheduler = Scheduler(record, ModelConfig(64), SpeculativeAlgorithms(), cache)
    manager = TokenizerManager(record, scheduler)
    scheduler.attach_hicache_storage(ATTACH)
    (state,) = server_info(manager, [scheduler.get_internal_state()])["internal_states"]
    assert state["hicache_storage_backend"] == "mooncake"
    assert server_info(manager)["hicache_storage_backend"] is None


def test_an_attachment_shows_in_the_readbacks_of_its_own_engine_alone() -> None:
    first, second = engine(), engine()
    assert first.attach_hicache_storage(ATTACH).success
    assert hicache_storage_backend_status(second) == STARTED
    assert in_grpc_server_info(second)["hicache_storage_backend"] is None
    for readback in (in_server_info, in_grpc_server_info):
        assert {name: readback(first)[name] for name in ATTACHED} == ATTACHED


@pytest.mark.parametrize(
    ("backend", "request_", "message"),
    [
        pytest.param("file", "attach", "a storage is attached already: detach it first", id="twice"),
        pytest.param(None, "detach", "no storage is attached", id="nothing to detach"),
    ],
)
def test_what_the_scheduler_refuses_is_not_recorded(backend: str | None, request_: str, message: str) -> None:
    manager = engine(hicache_storage_backend=backend)
    reply = (
        manager.attach_hicache_storage(ATTACH) if request_ == "attach" else manager.detach_hicache_storage()
    )
    assert (reply.success, reply.message) == (False, message)
    assert manager.config_updates == ()
    assert rc.get_context().overrides_log() == ()
    assert rc.get_memory().hicache_storage_backend == backend


def test_without_a_host_cache_nothing_is_attached() -> None:
    record = ServerArgs("dummy")
    rc.publish(record, role="scheduler")
    scheduler = Scheduler(record, ModelConfig(64), SpeculativeAlgorithms())
    assert scheduler.attach_hicache_storage(ATTACH).message == "the hierarchical cache is off"
    assert not scheduler.detach_hicache_storage().success
