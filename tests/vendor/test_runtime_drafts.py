"""The draft of speculative decoding: its own configuration, published while it is built, and only then."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from sglang.srt import runtime_context as rc
from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.managers.scheduler import Scheduler
from sglang.srt.model_executor.model_runner_components.misc_utils import maybe_disable_chunked_prefix_cache
from sglang.srt.model_loader.loader import load_model
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.draft_worker_common import draft_server_args_copy, published_draft
from sglang.srt.speculative.spec_info import SpeculativeAlgorithms, WorkerClass

TARGET = ModelConfig(context_len=4096)
SHARED = ["EAGLE", "EAGLE3", "FROZEN_KV_MTP", "STANDALONE"]
ISOLATED = ["DFLASH", "DSPARK"]


def published(**fields: Any) -> ServerArgs:
    record = ServerArgs("dummy", **{"load_format": "auto", "attention_backend": "triton", **fields})
    rc.publish(record, role="scheduler", hf_config="hf")
    return record


def scheduler(record: ServerArgs, algorithms: SpeculativeAlgorithms | None = None) -> Scheduler:
    return Scheduler(record, TARGET, algorithms or SpeculativeAlgorithms())


def in_effect() -> tuple[object, ...]:
    context, model = rc.get_context(), rc.get_model()
    settings = (model.context_length, model.load_format, rc.get_schedule().disable_chunked_prefix_cache)
    return (context.server_args, context.hf_config, rc.publish_role(), context.overrides_log(), *settings)


# The copy


@pytest.mark.parametrize(
    ("draft_format", "expected"), [("dummy", "dummy"), (None, "auto")], ids=["configured", "the target's"]
)
def test_the_copy_carries_the_drafts_values(draft_format: str | None, expected: str) -> None:
    draft = draft_server_args_copy(published(speculative_draft_load_format=draft_format), TARGET)
    assert (draft.context_length, draft.load_format) == (4096, expected)


def test_the_copy_starts_from_what_the_process_resolved() -> None:
    record = published(attention_backend="triton")
    maybe_disable_chunked_prefix_cache(use_mla_backend=True, is_draft_worker=False)
    rc.get_context().override("default", linear_attn_prefill_backend="flashinfer")
    draft = draft_server_args_copy(record, TARGET)
    assert (draft.disable_chunked_prefix_cache, draft.linear_attn_prefill_backend) == (True, "flashinfer")


def test_the_record_at_hand_may_be_older_than_what_is_published() -> None:
    record = published()
    rc.get_context().override("gate", disable_chunked_prefix_cache=True)
    outer = draft_server_args_copy(record, TARGET).copy_with(page_size=7)
    with published_draft(outer):
        inner = draft_server_args_copy(record, ModelConfig(context_len=64))
    assert (inner.disable_chunked_prefix_cache, inner.page_size, inner.context_length) == (True, 7, 64)


def test_the_drafts_values_win_over_overrides() -> None:
    record = published(speculative_draft_load_format="dummy")
    rc.get_context().override("update", load_format="safetensors", context_length=1)
    draft = draft_server_args_copy(record, TARGET)
    assert (draft.context_length, draft.load_format) == (4096, "dummy")


def test_an_overridden_draft_load_format_counts() -> None:
    record = published()
    rc.get_context().override("late", speculative_draft_load_format="dummy")
    assert draft_server_args_copy(record, TARGET).load_format == "dummy"


def test_the_copy_leaves_the_target_alone() -> None:
    record = published(speculative_draft_load_format="dummy", numa_node=[0])
    pristine, before = record.copy_with(), in_effect()
    draft = draft_server_args_copy(record, TARGET)
    assert draft.numa_node is not None
    draft.numa_node.append(1)
    assert record == pristine
    assert in_effect() == before


def test_the_copy_needs_a_publish() -> None:
    with pytest.raises(rc.NotPublishedError):
        draft_server_args_copy(ServerArgs("dummy"), TARGET)


# The preserved publish


def test_a_draft_is_published_inside_only() -> None:
    record = published(speculative_draft_load_format="dummy")
    rc.get_context().override("gate", disable_chunked_prefix_cache=True)
    before = in_effect()
    draft = draft_server_args_copy(record, TARGET)
    with published_draft(draft):
        assert in_effect() == (draft, "hf", "scheduler", (), 4096, "dummy", True)
    assert in_effect() == before


def test_drafts_nest() -> None:
    outer = draft_server_args_copy(published(), TARGET)
    with published_draft(outer):
        rc.get_context().override("outer", page_size=7)
        before = in_effect()
        inner = draft_server_args_copy(outer, ModelConfig(context_len=64))
        with published_draft(inner):
            assert (rc.get_model().context_length, rc.get_schedule().page_size) == (64, 7)
        assert in_effect() == before
    assert (rc.get_model().context_length, rc.get_schedule().page_size) == (None, None)


# The scheduler


@pytest.mark.parametrize("algorithm", [*SHARED, *ISOLATED])
def test_every_algorithm_builds_with_the_drafts_configuration(algorithm: str) -> None:
    record = published(speculative_algorithm=algorithm, speculative_draft_load_format="dummy")
    before = in_effect()
    owner = scheduler(record)
    owner.maybe_init_draft_worker()
    assert owner.draft_worker.model.load_format == "dummy"
    assert owner.draft_worker.model.context_length == 4096
    assert owner.draft_worker.target_model_config is TARGET
    assert in_effect() == before
    assert (record.context_length, record.load_format) == (None, "auto")


@pytest.mark.parametrize("algorithm", ISOLATED)
def test_a_builder_that_copies_once_more(algorithm: str) -> None:
    record = published(
        speculative_algorithm=algorithm,
        speculative_draft_attention_backend="fa3",
        prefill_attention_backend="fa4",
    )
    owner = scheduler(record)
    owner.maybe_init_draft_worker()
    own = owner.draft_worker.server_args
    assert (own.attention_backend, own.prefill_attention_backend, own.context_length) == ("fa3", None, 4096)
    assert owner.draft_worker.model.attention_backend == "fa3"
    assert rc.get_exec().kernel.attention_backend == "triton"


def test_a_builder_that_copies_once_more_keeps_the_targets_kernels() -> None:
    owner = scheduler(published(speculative_algorithm="DFLASH"))
    owner.maybe_init_draft_worker()
    assert owner.draft_worker.model.attention_backend == "triton"


def test_no_algorithm_builds_nothing() -> None:
    owner = scheduler(published())
    owner.maybe_init_draft_worker()
    assert owner.draft_worker is None


def test_a_plugins_factory_and_worker_receive_the_same_published_copy() -> None:
    algorithms, seen = SpeculativeAlgorithms(), []

    @algorithms.register("PLUGIN")
    def factory(draft_args: ServerArgs) -> WorkerClass:
        seen.append((draft_args, rc.get_server_args(), load_model().load_format))

        def worker(server_args: ServerArgs, target: ModelConfig) -> str:
            seen.append((server_args, rc.get_server_args(), load_model().load_format))
            copy.deepcopy(server_args)
            return "worker"

        return worker

    record = published(speculative_algorithm="PLUGIN", speculative_draft_load_format="dummy")
    owner = scheduler(record, algorithms)
    owner.maybe_init_draft_worker()
    draft = seen[0][0]
    assert draft is not record
    assert all(part is draft for entry in seen for part in entry[:2])
    assert [entry[2] for entry in seen] == ["dummy", "dummy"]
    assert owner.draft_worker == "worker"
    assert algorithms.factory("PLUGIN") is factory


@pytest.mark.parametrize("stage", ["factory", "worker"])
def test_a_failed_build_restores_the_target(stage: str) -> None:
    algorithms = SpeculativeAlgorithms()

    def worker(server_args: ServerArgs, target: ModelConfig) -> None:
        rc.get_context().override("half way", page_size=1)
        raise MemoryError

    @algorithms.register("PLUGIN")
    def factory(draft_args: ServerArgs) -> WorkerClass:
        if stage == "factory":
            raise MemoryError
        return worker

    owner = scheduler(published(speculative_algorithm="PLUGIN"), algorithms)
    before = in_effect()
    with pytest.raises(MemoryError):
        owner.maybe_init_draft_worker()
    assert in_effect() == before
    assert (owner.draft_worker, rc.get_schedule().page_size) == (None, None)


@pytest.mark.parametrize(
    ("load_format", "normalized"), [("auto", True), ("dummy", False)], ids=["real", "made up"]
)
def test_loading_reads_the_drafts_namespaces(load_format: str, normalized: bool) -> None:
    record = published(
        speculative_algorithm="EAGLE",
        speculative_draft_load_format=load_format,
        quantization="modelopt_fp4",
    )
    owner = scheduler(record)
    owner.maybe_init_draft_worker()
    assert owner.draft_worker.model.scales_normalized is normalized
    assert load_model().scales_normalized


def test_an_unknown_algorithm_names_the_nearest() -> None:
    owner = scheduler(published(speculative_algorithm="EAGEL"))
    with pytest.raises(ValueError, match=r"`EAGEL` is not known: .*did you mean `EAGLE`"):
        owner.maybe_init_draft_worker()


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="`EAGLE` is registered already"):
        SpeculativeAlgorithms().register("EAGLE")
