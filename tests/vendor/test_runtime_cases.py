"""Decisions taken after resolution: each lands in a namespace or a return value, never on the record."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt.constrained.base_grammar_backend import UnsupportedGrammarError, create_grammar_backend
from sglang.srt.layers.attention.linear.gdn_backend import flashinfer_gdn_prefill_default
from sglang.srt.layers.attention.linear.utils import LinearAttnConfig, initialize_linear_attn_config
from sglang.srt.managers.scheduler_components.metrics_reporter import init_forward_pass_metrics
from sglang.srt.mem_cache.unified_radix_cache import HostPool, UnifiedRadixCache
from sglang.srt.model_executor.model_runner_components.misc_utils import (
    captures_chunked_prefix,
    maybe_disable_chunked_prefix_cache,
)
from sglang.srt.server_args import CHUNKED_PREFIX_CACHE_SUPPORTED_ATTENTION_BACKENDS, ServerArgs


@pytest.fixture
def publish() -> Iterator[Any]:
    """Publishes a record with the fields given; whatever the test did, the records are as they were."""
    records: list[tuple[ServerArgs, ServerArgs]] = []

    def publish_fields(model_path: str = "dummy", **fields: Any) -> ServerArgs:
        record = ServerArgs(model_path, **fields)
        rc.publish(record, role="scheduler")
        records.append((record, record.copy_with()))
        return record

    yield publish_fields
    assert all(record == pristine for record, pristine in records)


def written() -> list[tuple[str, object]]:
    return [(override.field, override.value) for override in rc.get_context().overrides_log()]


# The gate for chunked prefix caching


@pytest.mark.parametrize(
    ("backend", "prefill", "mla", "disabled"),
    [
        *((name, None, True, False) for name in CHUNKED_PREFIX_CACHE_SUPPORTED_ATTENTION_BACKENDS),
        ("triton", None, True, True),
        (None, None, True, True),
        ("fa3", None, False, True),
        ("triton", "fa3", True, False),
        ("fa3", "triton", True, True),
    ],
)
def test_the_gate_lands_in_the_namespace(
    publish: Any, backend: str | None, prefill: str | None, mla: bool, disabled: bool
) -> None:
    publish(attention_backend=backend, prefill_attention_backend=prefill)
    maybe_disable_chunked_prefix_cache(use_mla_backend=mla, is_draft_worker=False)
    assert rc.get_schedule().disable_chunked_prefix_cache is disabled
    assert captures_chunked_prefix() == (not disabled)
    assert written() == ([("disable_chunked_prefix_cache", True)] if disabled else [])


@pytest.mark.parametrize("backend", ["triton", "fa3"])
def test_the_draft_guard_never_writes(publish: Any, backend: str) -> None:
    publish(attention_backend=backend)
    maybe_disable_chunked_prefix_cache(use_mla_backend=False, is_draft_worker=True)
    assert written() == []


@pytest.mark.parametrize(("backend", "lines"), [("fa3", 1), ("triton", 0)])
def test_the_gates_log_reads_the_namespace(
    publish: Any, caplog: pytest.LogCaptureFixture, backend: str, lines: int
) -> None:
    caplog.set_level(logging.INFO)
    publish(attention_backend=backend)
    maybe_disable_chunked_prefix_cache(use_mla_backend=True, is_draft_worker=False)
    assert len(caplog.records) == lines


def test_a_user_who_disabled_it_is_left_alone(publish: Any) -> None:
    publish(attention_backend="fa3", disable_chunked_prefix_cache=True)
    maybe_disable_chunked_prefix_cache(use_mla_backend=True, is_draft_worker=False)
    assert not captures_chunked_prefix()
    assert written() == []


# The prefill default of linear attention


@pytest.mark.parametrize(
    ("capability", "has_gdn", "default"),
    [
        ((10, 0), True, "flashinfer"),
        ((10, 3), True, "flashinfer"),
        ((9, 0), True, None),
        ((10, 0), False, None),
        (None, True, None),
    ],
)
def test_the_hardware_suggests_a_default(
    capability: tuple[int, int] | None, has_gdn: bool, default: str | None
) -> None:
    suggested = flashinfer_gdn_prefill_default(compute_capability=capability, has_gdn_layers=has_gdn)
    assert suggested == default


@pytest.mark.parametrize(
    ("flag", "default", "prefill", "log"),
    [
        pytest.param(
            None,
            "flashinfer",
            "flashinfer",
            [("linear_attn_prefill_backend", "flashinfer")],
            id="the default is recorded",
        ),
        pytest.param("triton", "flashinfer", "triton", [], id="an explicit flag wins"),
        pytest.param(None, None, "cutedsl", [], id="no default"),
    ],
)
def test_the_prefill_default(
    publish: Any, flag: str | None, default: str | None, prefill: str, log: list[tuple[str, object]]
) -> None:
    publish(linear_attn_prefill_backend=flag, linear_attn_backend="cutedsl", linear_attn_verify_backend="x")
    assert initialize_linear_attn_config(default) == LinearAttnConfig(prefill, "cutedsl", "x")
    assert written() == log
    resolved = rc.get_context().resolved_server_args_dict()
    assert resolved["linear_attn_prefill_backend"] == (flag or default)


# The grammar fallback


def unsupported() -> str:
    raise UnsupportedGrammarError("no tokenizer info")


def test_the_grammar_fallback_is_in_the_readback_while_the_record_keeps_the_request(
    publish: Any, caplog: pytest.LogCaptureFixture
) -> None:
    record = publish(grammar_backend="xgrammar")
    assert create_grammar_backend({"xgrammar": unsupported}) is None
    assert rc.get_context().resolved_server_args_dict()["grammar_backend"] == "none"
    assert rc.get_exec().kernel.grammar_backend == "none"
    assert record.grammar_backend == "xgrammar"
    assert caplog.messages == [
        "Constrained output is off: xgrammar cannot serve this model: no tokenizer info"
    ]


@pytest.mark.parametrize(
    ("requested", "built"), [("xgrammar", "engine"), ("none", None), (None, None)], ids=str
)
def test_a_grammar_backend_that_works_is_not_written(
    publish: Any, requested: str | None, built: str | None
) -> None:
    publish(grammar_backend=requested)
    assert create_grammar_backend({"xgrammar": lambda: "engine"}) == built
    assert written() == []


def test_other_failures_of_a_grammar_backend_are_not_hidden(publish: Any) -> None:
    def broken() -> str:
        raise RuntimeError("cannot load")

    publish(grammar_backend="xgrammar")
    with pytest.raises(RuntimeError, match="cannot load"):
        create_grammar_backend({"xgrammar": broken})
    assert written() == []


def test_an_unknown_grammar_backend_names_the_nearest(publish: Any) -> None:
    publish(grammar_backend="xgramar")
    with pytest.raises(ValueError, match="`xgramar` is not known: did you mean `xgrammar`"):
        create_grammar_backend({"xgrammar": unsupported})


# The layout for direct I/O


def test_the_cache_takes_the_layout_that_resolution_settled(publish: Any) -> None:
    publish("org/model", enable_hierarchical_cache=True, hicache_io_backend="direct")
    cache = UnifiedRadixCache()
    cache.init_hicache()
    assert cache.host_pool == HostPool("direct", "page_first_direct", "write_through")
    assert written() == []


def test_the_cache_applies_no_fixup_of_its_own(publish: Any) -> None:
    publish(enable_hierarchical_cache=True, hicache_io_backend="direct")
    cache = UnifiedRadixCache()
    with pytest.raises(ValueError, match=r"host layout `page_first`: declare .*`page_first_direct`"):
        cache.init_hicache()
    assert cache.host_pool is None


@pytest.mark.parametrize(
    "fields",
    [
        {"hicache_io_backend": "direct", "hicache_mem_layout": "page_first_direct"},
        {"hicache_io_backend": "direct", "hicache_mem_layout": "layer_first"},
        {"hicache_io_backend": "kernel", "hicache_mem_layout": "page_first"},
    ],
    ids=lambda fields: "-".join(fields.values()),
)
def test_a_declared_layout_is_taken(publish: Any, fields: dict[str, str]) -> None:
    publish(enable_hierarchical_cache=True, **fields)
    cache = UnifiedRadixCache()
    cache.init_hicache()
    assert cache.host_pool is not None
    assert cache.host_pool.mem_layout == fields["hicache_mem_layout"]


# The endpoint of forward-pass metrics


def test_a_generated_endpoint_is_in_the_readback(publish: Any) -> None:
    record = publish(enable_forward_pass_metrics=True)
    endpoint = init_forward_pass_metrics()
    assert endpoint is not None
    assert endpoint.startswith("ipc://")
    assert rc.get_observability().forward_pass_metrics_ipc_name == endpoint
    assert rc.get_context().resolved_server_args_dict()["forward_pass_metrics_ipc_name"] == endpoint
    assert record.forward_pass_metrics_ipc_name is None


def test_a_generated_endpoint_is_kept_and_no_other_process_has_it(publish: Any) -> None:
    publish(enable_forward_pass_metrics=True)
    endpoint = init_forward_pass_metrics()
    assert init_forward_pass_metrics() == endpoint
    publish(enable_forward_pass_metrics=True)
    assert init_forward_pass_metrics() != endpoint


@pytest.mark.parametrize(("enabled", "endpoint"), [(True, "ipc:///run/fpm"), (False, None)])
def test_a_configured_endpoint_is_not_written(publish: Any, enabled: bool, endpoint: str | None) -> None:
    publish(enable_forward_pass_metrics=enabled, forward_pass_metrics_ipc_name="ipc:///run/fpm")
    assert init_forward_pass_metrics() == endpoint
    assert written() == []
