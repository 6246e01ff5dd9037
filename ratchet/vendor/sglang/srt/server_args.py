"""The configuration of a server process, as it was requested and resolved: one record, read-only.

Each field names its type, where it helps its meaning, and the namespace that publishes it. Annotations are
not postponed in this module, so that the namespaces can be read off the fields.
"""

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated as A
from typing import Any, Literal

from sglang.srt.arg_groups.arg_utils import NS
from sglang.srt.arg_groups.engine_types import CudaGraphConfig, LoRARef
from sglang.srt.arg_groups.resolution import resolve

CHUNKED_PREFIX_CACHE_SUPPORTED_ATTENTION_BACKENDS = (
    "flashinfer",
    "fa3",
    "fa4",
    "flashmla",
    "cutedsl_mla",
    "cutlass_mla",
    "trtllm_mla",
    "tokenspeed_mla",
)


@dataclass(frozen=True)
class ServerArgs:
    """What a process was started with; nothing writes it once it is built: later decisions are overrides."""

    # model
    model_path: A[str, "folder or hub name of the weights; 'dummy' skips resolution", NS("model")]
    load_format: A[str, "how the weights are read", NS("model")] = "auto"
    model_loader_extra_config: A[str, NS("model")] = "{}"
    trust_remote_code: A[bool, NS("model")] = False
    context_length: A[
        int | None,
        "longest sequence, in tokens; None takes the model's own",
        NS("model"),
    ] = None
    is_embedding: A[bool, NS("model")] = False
    revision: A[str | None, NS("model")] = None
    model_impl: A[str, NS("model")] = "auto"
    model_config_parser: A[str, NS("model")] = "auto"
    json_model_override_args: A[str, NS("model")] = "{}"
    dtype: A[str, NS("model")] = "auto"
    quantization: A[str | None, NS("model")] = None
    quantization_param_path: A[str | None, NS("model")] = None
    kv_cache_dtype: A[str, NS("model")] = "auto"
    modelopt_quant: A[str | dict[str, Any] | None, NS("model")] = None
    modelopt_checkpoint_restore_path: A[str | None, NS("model")] = None
    modelopt_checkpoint_save_path: A[str | None, NS("model")] = None
    modelopt_export_path: A[str | None, NS("model")] = None
    quantize_and_serve: A[bool, NS("model")] = False
    rl_quant_profile: A[str | None, NS("model")] = None
    custom_weight_loader: A[list[str] | None, NS("model")] = None
    weight_loader_disable_mmap: A[bool, NS("model")] = False
    weight_loader_prefetch_checkpoints: A[bool, NS("model")] = False
    weight_loader_prefetch_num_threads: A[int, NS("model")] = 4
    weight_loader_drop_cache_after_load: A[bool, NS("model")] = False
    remote_instance_weight_loader_seed_instance_ip: A[str | None, NS("model")] = None
    remote_instance_weight_loader_seed_instance_service_port: A[int | None, NS("model")] = None
    remote_instance_weight_loader_send_weights_group_ports: A[list[int] | None, NS("model")] = None
    remote_instance_weight_loader_backend: A[
        Literal["transfer_engine", "nccl", "modelexpress"],
        NS("model"),
    ] = "nccl"
    remote_instance_weight_loader_start_seed_via_transfer_engine: A[bool, NS("model")] = False
    engine_info_bootstrap_port: A[int, NS("model")] = 6789
    modelexpress_config: A[str | None, NS("model")] = None
    download_dir: A[str | None, NS("model")] = None
    model_checksum: A[str | None, NS("model")] = None
    delete_ckpt_after_loading: A[bool, NS("model")] = False
    decrypted_config_file: A[str | None, NS("model")] = None
    decrypted_draft_config_file: A[str | None, NS("model")] = None
    checkpoint_engine_wait_weights_before_ready: A[bool, NS("model")] = False
    weight_cache_mode: A[str, NS("model")] = "off"
    weight_cache_socket: A[str | None, NS("model")] = None
    weight_cache_timeout: A[int, NS("model")] = 1800

    # device
    device: A[str | None, NS("device")] = None
    base_gpu_id: A[int, NS("device")] = 0
    gpu_id_step: A[int, NS("device")] = 1
    random_seed: A[int | None, NS("device")] = None
    watchdog_timeout: A[float, NS("device")] = 300
    soft_watchdog_timeout: A[float | None, NS("device")] = None
    sleep_on_idle: A[bool, NS("device")] = False
    use_ray: A[bool, NS("device")] = False
    custom_sigquit_handler: A[Callable[..., Any] | None, NS("device")] = None
    numa_node: A[list[int] | None, NS("device")] = None
    gc_threshold: A[list[int] | None, NS("device")] = None

    # parallel
    nccl_port: A[int | None, NS("parallel")] = None
    dist_timeout: A[int | None, NS("parallel")] = None
    dist_init_addr: A[str | None, NS("parallel")] = None
    nnodes: A[int, NS("parallel")] = 1
    node_rank: A[int, NS("parallel")] = 0
    tp_size: A[int, NS("parallel")] = 1
    dcp_size: A[int, "ranks that share one sequence's KV cache while decoding", NS("parallel")] = 1
    pp_size: A[int, NS("parallel")] = 1
    pp_max_micro_batch_size: A[int | None, NS("parallel")] = None
    pp_async_batch_depth: A[int, NS("parallel")] = 0
    dp_size: A[int, NS("parallel")] = 1
    load_balance_method: A[str, NS("parallel")] = "auto"
    attn_cp_size: A[int, NS("parallel")] = 1
    moe_dp_size: A[int, NS("parallel")] = 1
    dwdp_size: A[int, NS("parallel")] = 1
    dcp_comm_backend: A[str, NS("parallel")] = "ag_rs"
    dcp_replicate_q_proj: A[bool | None, NS("parallel")] = None
    enable_prefill_cp: A[bool, NS("parallel")] = False
    cp_strategy: A[str | None, NS("parallel")] = None
    enable_dsa_cache_layer_split: A[bool, NS("parallel")] = False
    enable_dsa_prefill_context_parallel: A[bool, NS("parallel")] = False
    dsa_prefill_cp_mode: A[str, NS("parallel")] = "round-robin-split"
    enable_prefill_context_parallel: A[bool, NS("parallel")] = False
    prefill_cp_mode: A[str, NS("parallel")] = "in-seq-split"
    enable_cp_decode_attn_tp: A[bool, NS("parallel")] = False
    enable_dp_attention: A[bool, NS("parallel")] = False
    enable_dp_attention_local_control_broadcast: A[bool, NS("parallel")] = False
    enable_dp_lm_head: A[bool, NS("parallel")] = False
    enable_attn_tp_input_scattered: A[bool, NS("parallel")] = False
    disable_attn_tp_gather: A[bool, NS("parallel")] = False
    enable_p2p_check: A[bool, NS("parallel")] = False
    ep_size: A[int, NS("parallel")] = 1
    moe_dense_tp_size: A[int | None, NS("parallel")] = None
    ep_join_rank_offset: A[int, NS("parallel")] = 0
    elastic_ep_initial_size: A[int | None, NS("parallel")] = None
    max_ep_size: A[int | None, NS("parallel")] = None

    # schedule
    mem_fraction_static: A[float | None, NS("schedule")] = None
    max_running_requests: A[int | None, NS("schedule")] = None
    max_queued_requests: A[int | None, NS("schedule")] = None
    max_total_tokens: A[int | None, NS("schedule")] = None
    chunked_prefill_size: A[int | None, NS("schedule")] = None
    enable_dynamic_chunking: A[bool, NS("schedule")] = False
    max_prefill_tokens: A[int, NS("schedule")] = 16384
    prefill_max_requests: A[int | None, NS("schedule")] = None
    schedule_policy: A[str, NS("schedule")] = "fcfs"
    enable_priority_scheduling: A[bool, NS("schedule")] = False
    disable_priority_preemption: A[bool, NS("schedule")] = False
    default_priority_value: A[int | None, NS("schedule")] = None
    abort_on_priority_when_disabled: A[bool, NS("schedule")] = False
    schedule_low_priority_values_first: A[bool, NS("schedule")] = False
    priority_scheduling_preemption_threshold: A[int, NS("schedule")] = 10
    retraction_policy: A[str, NS("schedule")] = "length"
    schedule_conservativeness: A[float, NS("schedule")] = 1.0
    page_size: A[int | None, NS("schedule")] = None
    swa_full_tokens_ratio: A[float, NS("schedule")] = 0.8
    disable_hybrid_swa_memory: A[bool, NS("schedule")] = False
    prefill_only_disable_kv_cache: A[bool, NS("schedule")] = False
    disable_chunked_prefix_cache: A[
        bool,
        "do not split a cached prefix into chunks during prefill",
        NS("schedule"),
    ] = False
    disable_overlap_schedule: A[bool, NS("schedule")] = False
    num_continuous_decode_steps: A[int, NS("schedule")] = 1
    scheduler_recv_interval: A[int, NS("schedule")] = 1
    enable_mixed_chunk: A[bool, NS("schedule")] = False
    max_mamba_cache_size: A[int | None, NS("schedule")] = None
    mamba_full_memory_ratio: A[float, NS("schedule")] = 0.9
    enable_prefill_delayer: A[bool, NS("schedule")] = False
    prefill_delayer_max_delay_passes: A[int, NS("schedule")] = 30
    prefill_delayer_token_usage_low_watermark: A[float | None, NS("schedule")] = None
    prefill_delayer_forward_passes_buckets: A[list[float] | None, NS("schedule")] = None
    prefill_delayer_wait_seconds_buckets: A[list[float] | None, NS("schedule")] = None
    prefill_delayer_queue_min_ratio: A[float | None, NS("schedule")] = None
    prefill_delayer_max_delay_ms: A[float | None, NS("schedule")] = None
    min_free_slots_delay: A[int | None, NS("schedule")] = None

    # memory
    radix_eviction_policy: A[str, NS("memory")] = "lru"
    disable_radix_cache: A[bool, NS("memory")] = False
    enable_page_major_kv_layout: A[bool, NS("memory")] = False
    enable_unified_memory: A[bool, NS("memory")] = False
    enable_session_radix_cache: A[bool, NS("memory")] = False
    radix_cache_backend: A[str | None, NS("memory")] = None
    enable_hierarchical_cache: A[bool, "keep a second, host-side level of the KV cache", NS("memory")] = False
    hicache_ratio: A[float, NS("memory")] = 2.0
    hicache_size: A[int, NS("memory")] = 0
    hicache_write_policy: A[str, NS("memory")] = "write_through"
    hicache_io_backend: A[str, "how pages travel between device and host", NS("memory")] = "kernel"
    hicache_mem_layout: A[str, "how host pages are laid out in memory", NS("memory")] = "page_first"
    hicache_storage_backend: A[str | None, "third-level storage behind the host cache", NS("memory")] = None
    hicache_storage_prefetch_policy: A[str, NS("memory")] = "timeout"
    hicache_storage_backend_extra_config: A[str | None, NS("memory")] = None
    enable_hisparse: A[bool, NS("memory")] = False
    hisparse_config: A[str | None, NS("memory")] = None
    enable_lmcache: A[bool, NS("memory")] = False
    lmcache_config_file: A[str | None, NS("memory")] = None
    enable_flexkv: A[bool, NS("memory")] = False
    flexkv_config_file: A[str | None, NS("memory")] = None

    # exec.kernel
    attention_backend: A[
        str | None,
        "kernel family for attention, unless one phase names its own",
        NS("exec.kernel"),
    ] = None
    decode_attention_backend: A[str | None, NS("exec.kernel")] = None
    prefill_attention_backend: A[
        str | None,
        "attention kernels of the prefill phase alone",
        NS("exec.kernel"),
    ] = None
    sampling_backend: A[str | None, NS("exec.kernel")] = None
    grammar_backend: A[
        str | None,
        "engine for constrained output; 'none' turns it off",
        NS("exec.kernel"),
    ] = None
    fp8_gemm_runner_backend: A[str, NS("exec.kernel")] = "auto"
    fp4_gemm_runner_backend: A[str, NS("exec.kernel")] = "auto"
    bf16_gemm_backend: A[str, NS("exec.kernel")] = "auto"
    dsa_prefill_backend: A[str | None, NS("exec.kernel")] = None
    dsa_decode_backend: A[str | None, NS("exec.kernel")] = None
    dsa_paged_mqa_logits_backend: A[str, NS("exec.kernel")] = "auto"
    dsa_topk_backend: A[str, NS("exec.kernel")] = "sgl-kernel"
    disable_flashinfer_autotune: A[bool, NS("exec.kernel")] = False
    flashinfer_autotune_skip_ops: A[list[str] | None, NS("exec.kernel")] = None
    triton_attention_reduce_in_fp32: A[bool, NS("exec.kernel")] = False
    triton_attention_num_kv_splits: A[int, NS("exec.kernel")] = 8
    triton_attention_split_tile_size: A[int | None, NS("exec.kernel")] = None
    flashinfer_mla_disable_ragged: A[bool, NS("exec.kernel")] = False
    enable_fused_qk_norm_rope: A[bool, NS("exec.kernel")] = False
    enable_precise_embedding_interpolation: A[bool, NS("exec.kernel")] = False
    enable_deepseek_v4_fp4_indexer: A[bool, NS("exec.kernel")] = False

    # exec.graph
    cuda_graph_config: A[CudaGraphConfig | None, NS("exec.graph")] = None
    cuda_graph_backend_decode: A[
        Literal["full", "breakable", "tc_piecewise", "disabled"] | None,
        NS("exec.graph"),
    ] = None
    cuda_graph_backend_prefill: A[
        Literal["full", "breakable", "tc_piecewise", "disabled"] | None,
        NS("exec.graph"),
    ] = None
    cuda_graph_max_bs_decode: A[int | None, NS("exec.graph")] = None
    cuda_graph_max_bs_prefill: A[int | None, NS("exec.graph")] = None
    cuda_graph_bs_decode: A[list[int] | None, NS("exec.graph")] = None
    cuda_graph_bs_prefill: A[list[int] | None, NS("exec.graph")] = None
    cuda_graph_tc_compiler: A[Literal["eager", "inductor"] | None, NS("exec.graph")] = None
    disable_prefill_cuda_graph: A[bool, NS("exec.graph")] = False
    disable_decode_cuda_graph: A[bool, NS("exec.graph")] = False
    disable_cuda_graph: A[bool, NS("exec.graph")] = False
    disable_cuda_graph_padding: A[bool, NS("exec.graph")] = False
    enable_profile_cuda_graph: A[bool, NS("exec.graph")] = False
    enable_cudagraph_gc: A[bool, NS("exec.graph")] = False
    debug_cuda_graph: A[bool, NS("exec.graph")] = False
    enable_torch_compile: A[bool, NS("exec.graph")] = False
    enable_torch_compile_debug_mode: A[bool, NS("exec.graph")] = False
    torch_compile_max_bs: A[int, NS("exec.graph")] = 32
    torchao_config: A[str, NS("exec.graph")] = ""

    # exec.moe
    enable_fused_moe_sum_all_reduce: A[bool, NS("exec.moe")] = False
    moe_a2a_backend: A[
        Literal[
            "none", "deepep", "mooncake", "nixl", "mori", "ascend_fuseep", "flashinfer", "megamoe", "pplx"
        ],
        NS("exec.moe"),
    ] = "none"
    moe_runner_backend: A[str, NS("exec.moe")] = "auto"
    flashinfer_mxfp4_moe_precision: A[Literal["default", "bf16"], NS("exec.moe")] = "default"
    deepep_mode: A[Literal["auto", "normal", "low_latency"], NS("exec.moe")] = "auto"
    fuseep_mode: A[Literal[1, 2], NS("exec.moe")] = 2
    deepep_dispatcher_output_dtype: A[
        Literal["auto", "bf16", "fp8", "int8", "nvfp4"],
        NS("exec.moe"),
    ] = "auto"
    ep_num_redundant_experts: A[int, NS("exec.moe")] = 0
    ep_dispatch_algorithm: A[Literal["static", "dynamic", "fake", "lp"] | None, NS("exec.moe")] = None
    init_expert_location: A[str, NS("exec.moe")] = "trivial"
    enable_eplb: A[bool, NS("exec.moe")] = False
    eplb_algorithm: A[str, NS("exec.moe")] = "auto"
    eplb_rebalance_num_iterations: A[int, NS("exec.moe")] = 1000
    eplb_rebalance_layers_per_chunk: A[int | None, NS("exec.moe")] = None
    eplb_min_rebalancing_utilization_threshold: A[float, NS("exec.moe")] = 1.0
    expert_distribution_recorder_mode: A[
        Literal["stat", "stat_approx", "per_pass", "per_token"] | None,
        NS("exec.moe"),
    ] = None
    expert_distribution_recorder_buffer_size: A[int | None, NS("exec.moe")] = None
    enable_expert_distribution_metrics: A[bool, NS("exec.moe")] = False
    deepep_config: A[str | None, NS("exec.moe")] = None
    elastic_ep_backend: A[Literal[None, "mooncake", "nixl"], NS("exec.moe")] = None
    enable_elastic_expert_backup: A[bool, NS("exec.moe")] = False
    mooncake_ib_device: A[str | None, NS("exec.moe")] = None
    enable_waterfill: A[bool, NS("exec.moe")] = False
    ep_join_mode: A[Literal["scale", "recover"] | None, NS("exec.moe")] = None
    elastic_ep_scale_timeout: A[float, NS("exec.moe")] = 600
    elastic_ep_rejoin: A[bool, NS("exec.moe")] = False
    disable_flashinfer_cutlass_moe_fp4_allgather: A[bool, NS("exec.moe")] = False
    disable_shared_experts_fusion: A[bool, NS("exec.moe")] = False
    enforce_shared_experts_fusion: A[bool, NS("exec.moe")] = False
    kt_weight_path: A[str | None, NS("exec.moe")] = None
    kt_method: A[str, NS("exec.moe")] = "AMXINT4"
    kt_cpuinfer: A[int | None, NS("exec.moe")] = None
    kt_threadpool_count: A[int, NS("exec.moe")] = 2
    kt_num_gpu_experts: A[int | None, NS("exec.moe")] = None
    kt_max_deferred_experts_per_token: A[int | None, NS("exec.moe")] = None

    # exec.mamba
    mamba_backend: A[str, NS("exec.mamba")] = "triton"
    mamba_ssm_dtype: A[str | None, NS("exec.mamba")] = None
    mamba_max_states_per_path: A[int, NS("exec.mamba")] = -1
    enable_mamba_cache_stochastic_rounding: A[bool, NS("exec.mamba")] = False
    mamba_cache_philox_rounds: A[int, NS("exec.mamba")] = 0
    mamba_radix_cache_strategy: A[str, NS("exec.mamba")] = "auto"
    uses_mamba_radix_cache: A[bool, NS("exec.mamba")] = False
    mamba_track_interval: A[int, NS("exec.mamba")] = 256
    enable_int8_mamba_checkpoint: A[bool, NS("exec.mamba")] = False
    int8_mamba_ckpt_size: A[int | None, NS("exec.mamba")] = None
    linear_attn_backend: A[
        str,
        "kernels of linear attention, unless a phase names its own",
        NS("exec.mamba"),
    ] = "triton"
    linear_attn_decode_backend: A[str | None, NS("exec.mamba")] = None
    linear_attn_prefill_backend: A[
        str | None,
        "linear attention kernels of the prefill phase alone",
        NS("exec.mamba"),
    ] = None
    linear_attn_verify_backend: A[str | None, NS("exec.mamba")] = None
    enable_linear_replayssm: A[bool, NS("exec.mamba")] = False
    linear_replayssm_cache_len: A[int, NS("exec.mamba")] = 16
    enable_linear_replayssm_spec: A[bool, NS("exec.mamba")] = False

    # exec.comm
    enable_layerwise_nvtx_marker: A[bool, NS("exec.comm")] = False
    enable_nccl_nvls: A[bool, NS("exec.comm")] = False
    enable_symm_mem: A[bool, NS("exec.comm")] = False
    disable_custom_all_reduce: A[bool, NS("exec.comm")] = False
    enable_mscclpp: A[bool, NS("exec.comm")] = False
    enable_torch_symm_mem: A[bool, NS("exec.comm")] = False
    enable_scattered_sconv: A[bool, NS("exec.comm")] = False
    pre_warm_nccl: A[bool, NS("exec.comm")] = False
    enable_quant_communications: A[bool | None, NS("exec.comm")] = False
    enable_flashinfer_allreduce_fusion: A[bool, NS("exec.comm")] = False
    enforce_disable_flashinfer_allreduce_fusion: A[bool, NS("exec.comm")] = False
    flashinfer_allreduce_fusion_backend: A[Literal["auto", "trtllm", "mnnvl"] | None, NS("exec.comm")] = None
    enable_aiter_allreduce_fusion: A[bool, NS("exec.comm")] = False

    # exec.features
    enable_fp32_lm_head: A[bool, NS("exec.features")] = False
    enable_tf32_matmul: A[bool, NS("exec.features")] = False
    enable_memory_saver: A[bool, NS("exec.features")] = False
    enable_weights_cpu_backup: A[bool, NS("exec.features")] = False
    enable_draft_weights_cpu_backup: A[bool, NS("exec.features")] = False
    enable_custom_logit_processor: A[bool, NS("exec.features")] = False
    enable_return_hidden_states: A[bool, NS("exec.features")] = False
    return_hidden_states_mode: A[str | None, NS("exec.features")] = None
    enable_return_routed_experts: A[bool, NS("exec.features")] = False
    enable_return_indexer_topk: A[bool, NS("exec.features")] = False
    disable_outlines_disk_cache: A[bool, NS("exec.features")] = False
    enable_mis: A[bool, NS("exec.features")] = False

    # exec.offload
    cpu_offload_gb: A[int, NS("exec.offload")] = 0
    offload_group_size: A[int, NS("exec.offload")] = -1
    offload_num_in_group: A[int, NS("exec.offload")] = 1
    offload_prefetch_step: A[int, NS("exec.offload")] = 1
    offload_mode: A[str, NS("exec.offload")] = "cpu"

    # exec.overlap
    enable_two_batch_overlap: A[bool, NS("exec.overlap")] = False
    enable_single_batch_overlap: A[bool, NS("exec.overlap")] = False
    tbo_token_distribution_threshold: A[float, NS("exec.overlap")] = 0.48

    # exec.dllm
    dllm_algorithm: A[str | None, NS("exec.dllm")] = None
    dllm_algorithm_config: A[str | None, NS("exec.dllm")] = None
    dllm_fdfo: A[bool, NS("exec.dllm")] = True

    # exec.deterministic
    enable_deterministic_inference: A[bool, NS("exec.deterministic")] = False
    rl_on_policy_target: A[str | None, NS("exec.deterministic")] = None

    # spec
    speculative_algorithm: A[
        str | None,
        "name of the speculative decoding algorithm; None decodes plainly",
        NS("spec"),
    ] = None
    speculative_draft_model_path: A[str | None, NS("spec")] = None
    speculative_draft_model_revision: A[str | None, NS("spec")] = None
    speculative_draft_load_format: A[
        str | None,
        "how the draft's weights are read; None follows the target",
        NS("spec"),
    ] = None
    speculative_num_steps: A[int | None, NS("spec")] = None
    speculative_eagle_topk: A[int | None, NS("spec")] = None
    speculative_num_draft_tokens: A[int | None, NS("spec")] = None
    speculative_dflash_block_size: A[int | None, NS("spec")] = None
    speculative_dspark_block_size: A[int | None, NS("spec")] = None
    speculative_dspark_sps_table_path: A[str | None, NS("spec")] = None
    speculative_dspark_confidence_sts_path: A[str | None, NS("spec")] = None
    speculative_dspark_align_verify_tokens_to_graph_tier: A[bool, NS("spec")] = False
    speculative_accept_threshold_single: A[float, NS("spec")] = 1.0
    speculative_accept_threshold_acc: A[float, NS("spec")] = 1.0
    speculative_use_rejection_sampling: A[bool, NS("spec")] = False
    speculative_token_map: A[str | None, NS("spec")] = None
    speculative_attention_mode: A[str, NS("spec")] = "prefill"
    speculative_draft_attention_backend: A[
        str | None,
        "attention kernels of the draft alone",
        NS("spec"),
    ] = None
    speculative_draft_window_size: A[int | None, NS("spec")] = None
    speculative_moe_runner_backend: A[str | None, NS("spec")] = None
    speculative_moe_a2a_backend: A[str | None, NS("spec")] = None
    speculative_draft_model_quantization: A[str | None, NS("spec")] = None
    speculative_skip_dp_mlp_sync: A[bool, NS("spec")] = False
    enable_multi_layer_eagle: A[bool, NS("spec")] = False
    speculative_adaptive: A[bool, NS("spec")] = False
    speculative_adaptive_config: A[str | None, NS("spec")] = None
    spec_trace_dir: A[str | None, NS("spec")] = None
    speculative_ngram_min_bfs_breadth: A[int, NS("spec")] = 1
    speculative_ngram_max_bfs_breadth: A[int, NS("spec")] = 10
    speculative_ngram_match_type: A[Literal["BFS", "PROB"], NS("spec")] = "BFS"
    speculative_ngram_max_trie_depth: A[int, NS("spec")] = 18
    speculative_ngram_capacity: A[int, NS("spec")] = 10_000_000
    speculative_ngram_external_corpus_path: A[str | None, NS("spec")] = None
    speculative_ngram_external_sam_budget: A[int, NS("spec")] = 0
    speculative_ngram_external_corpus_max_tokens: A[int, NS("spec")] = 10_000_000

    # lora
    enable_lora: A[bool | None, NS("lora")] = None
    enable_lora_overlap_loading: A[bool | None, NS("lora")] = None
    max_lora_rank: A[int | None, NS("lora")] = None
    lora_target_modules: A[set[str] | list[str] | None, NS("lora")] = None
    lora_paths: A[dict[str, str] | list[dict[str, str]] | list[str] | list[LoRARef] | None, NS("lora")] = None
    max_loaded_loras: A[int | None, NS("lora")] = None
    max_loras_per_batch: A[int, NS("lora")] = 8
    lora_eviction_policy: A[str, NS("lora")] = "lru"
    lora_backend: A[str, NS("lora")] = "csgmv"
    max_lora_chunk_size: A[int | None, NS("lora")] = 16
    experts_shared_outer_loras: A[bool | None, NS("lora")] = None
    lora_use_virtual_experts: A[bool, NS("lora")] = False
    lora_strict_loading: A[bool, NS("lora")] = False
    lora_drain_wait_threshold: A[float, NS("lora")] = 0.0

    # mm
    enable_multimodal: A[bool | None, NS("mm")] = None
    mm_attention_backend: A[str | None, NS("mm")] = None
    enable_broadcast_mm_inputs_process: A[bool, NS("mm")] = False
    enable_prefix_mm_cache: A[bool, NS("mm")] = False
    mm_enable_dp_encoder: A[bool, NS("mm")] = False
    mm_process_config: A[dict[str, Any] | None, NS("mm")] = None
    mm_processor_worker_num: A[int, NS("mm")] = 0
    mm_io_worker_num: A[int, NS("mm")] = 0
    limit_mm_data_per_request: A[str | dict[str, int] | None, NS("mm")] = None
    enable_mm_global_cache: A[bool, NS("mm")] = False
    disable_fast_image_processor: A[bool, NS("mm")] = False
    mm_feature_transport: A[Literal["cpu", "cuda_ipc"] | None, NS("mm")] = None
    keep_mm_feature_on_device: A[bool, NS("mm")] = False

    # disagg
    decoupled_spec_bind_endpoint: A[str | None, NS("disagg")] = None
    decoupled_spec_connect_endpoints: A[list[str] | None, NS("disagg")] = None
    decoupled_spec_rank: A[int | None, NS("disagg")] = None
    decoupled_spec_role: A[Literal["null", "verifier", "drafter"], NS("disagg")] = "null"
    disaggregation_mode: A[Literal["null", "prefill", "decode"], NS("disagg")] = "null"
    disaggregation_transfer_backend: A[str, NS("disagg")] = "mooncake"
    disaggregation_bootstrap_port: A[int, NS("disagg")] = 8998
    disaggregation_ib_device: A[str | None, NS("disagg")] = None
    disaggregation_decode_enable_radix_cache: A[bool, NS("disagg")] = False
    disaggregation_decode_enable_offload_kvcache: A[bool, NS("disagg")] = False
    num_reserved_decode_tokens: A[int, NS("disagg")] = 512
    disaggregation_decode_extra_slots: A[int | None, NS("disagg")] = None
    disaggregation_decode_polling_interval: A[int, NS("disagg")] = 1
    optimistic_prefill_attempts: A[int, NS("disagg")] = 0
    encoder_only: A[bool, NS("disagg")] = False
    language_only: A[bool, NS("disagg")] = False
    encoder_transfer_backend: A[str, NS("disagg")] = "auto"
    encoder_urls: A[list[str], NS("disagg")] = field(default_factory=list)
    encoder_bootstrap_port: A[int, NS("disagg")] = 8997
    encoder_register_urls: A[list[str], NS("disagg")] = field(default_factory=list)
    enable_adaptive_dispatch_to_encoder: A[bool, NS("disagg")] = False
    enable_pdmux: A[bool, NS("disagg")] = False
    pdmux_config_path: A[str | None, NS("disagg")] = None
    sm_group_num: A[int, NS("disagg")] = 8

    # serving
    tokenizer_path: A[str | None, NS("serving")] = None
    tokenizer_mode: A[str, NS("serving")] = "auto"
    tokenizer_backend: A[str, NS("serving")] = "huggingface"
    tokenizer_worker_num: A[int, NS("serving")] = 1
    detokenizer_worker_num: A[int, NS("serving")] = 1
    skip_tokenizer_init: A[bool, NS("serving")] = False
    host: A[str, NS("serving")] = "127.0.0.1"
    port: A[int, NS("serving")] = 30000
    fastapi_root_path: A[str, NS("serving")] = ""
    smg_grpc_mode: A[bool, NS("serving")] = False
    grpc_mode: A[bool, NS("serving")] = False
    grpc_port: A[int | None, NS("serving")] = None
    sidecar: A[str | None, NS("serving")] = None
    sidecar_args: A[list[str] | None, NS("serving")] = None
    skip_server_warmup: A[bool, NS("serving")] = False
    warmups: A[str | None, NS("serving")] = None
    enable_http2: A[bool, NS("serving")] = False
    ssl_keyfile: A[str | None, NS("serving")] = None
    ssl_certfile: A[str | None, NS("serving")] = None
    ssl_ca_certs: A[str | None, NS("serving")] = None
    ssl_keyfile_password: A[str | None, NS("serving")] = None
    enable_ssl_refresh: A[bool, NS("serving")] = False
    api_key: A[str | None, NS("serving")] = None
    admin_api_key: A[str | None, NS("serving")] = None
    served_model_name: A[str | None, NS("serving")] = None
    weight_version: A[str, "label of the weights being served", NS("serving")] = "default"
    chat_template: A[str | None, NS("serving")] = None
    hf_chat_template_name: A[str | None, NS("serving")] = None
    completion_template: A[str | None, NS("serving")] = None
    file_storage_path: A[str, NS("serving")] = "sglang_storage"
    enable_cache_report: A[bool, NS("serving")] = False
    reasoning_parser: A[str | None, NS("serving")] = None
    default_chat_template_kwargs: A[dict[str, Any] | None, NS("serving")] = None
    strip_thinking_cache: A[bool, NS("serving")] = False
    enable_strict_thinking: A[bool, NS("serving")] = False
    tool_call_parser: A[str | None, NS("serving")] = None
    tool_server: A[str | None, NS("serving")] = None
    sampling_defaults: A[str, NS("serving")] = "model"
    asr_max_buffer_seconds: A[int, NS("serving")] = 60
    asr_max_concurrent_sessions: A[int, NS("serving")] = 32
    preferred_sampling_params: A[str | None, NS("serving")] = None
    allow_auto_truncate: A[bool, NS("serving")] = False
    stream_interval: A[int, NS("serving")] = 1
    batch_notify_size: A[int, NS("serving")] = 16
    stream_response_default_include_usage: A[bool, NS("serving")] = False
    incremental_streaming_output: A[bool, NS("serving")] = False
    enable_streaming_session: A[bool, NS("serving")] = False
    constrained_json_whitespace_pattern: A[str | None, NS("serving")] = None
    constrained_json_disable_any_whitespace: A[bool, NS("serving")] = False
    enable_dynamic_batch_tokenizer: A[bool, NS("serving")] = False
    dynamic_batch_tokenizer_batch_size: A[int, NS("serving")] = 32
    dynamic_batch_tokenizer_batch_timeout: A[float, NS("serving")] = 0.002
    enable_tokenizer_batch_encode: A[bool, NS("serving")] = False
    disable_tokenizer_batch_decode: A[bool, NS("serving")] = False

    # observability
    log_level: A[str, NS("observability")] = "info"
    log_level_http: A[str | None, NS("observability")] = None
    log_requests: A[bool, NS("observability")] = False
    log_requests_level: A[int, NS("observability")] = 2
    log_requests_format: A[str, NS("observability")] = "text"
    log_requests_target: A[list[str] | None, NS("observability")] = None
    uvicorn_access_log_exclude_prefixes: A[list[str], NS("observability")] = field(default_factory=list)
    crash_dump_folder: A[str | None, NS("observability")] = None
    show_time_cost: A[bool, NS("observability")] = False
    enable_metrics: A[bool, NS("observability")] = False
    smg_http_sidecar_port: A[int | None, NS("observability")] = None
    enable_mfu_metrics: A[bool, NS("observability")] = False
    enable_metrics_for_all_schedulers: A[bool, NS("observability")] = False
    load_snapshot_publish_interval: A[int, NS("observability")] = 15
    tokenizer_metrics_custom_labels_header: A[str, NS("observability")] = "x-custom-labels"
    tokenizer_metrics_allowed_custom_labels: A[list[str] | None, NS("observability")] = None
    extra_metric_labels: A[dict[str, str] | None, NS("observability")] = None
    bucket_time_to_first_token: A[list[float] | None, NS("observability")] = None
    bucket_inter_token_latency: A[list[float] | None, NS("observability")] = None
    bucket_e2e_request_latency: A[list[float] | None, NS("observability")] = None
    prompt_tokens_buckets: A[list[str] | None, NS("observability")] = None
    generation_tokens_buckets: A[list[str] | None, NS("observability")] = None
    gc_warning_threshold_secs: A[float, NS("observability")] = 0.0
    decode_log_interval: A[int, NS("observability")] = 40
    enable_request_time_stats_logging: A[bool, NS("observability")] = False
    kv_events_config: A[str | None, NS("observability")] = None
    enable_forward_pass_metrics: A[bool, "publish figures of each forward pass", NS("observability")] = False
    forward_pass_metrics_worker_id: A[str, NS("observability")] = ""
    forward_pass_metrics_ipc_name: A[
        str | None,
        "endpoint of those figures; None generates one",
        NS("observability"),
    ] = None
    enable_trace: A[bool, NS("observability")] = False
    trace_modules: A[str, NS("observability")] = "request"
    otlp_traces_endpoint: A[str, NS("observability")] = "localhost:4317"
    export_metrics_to_file: A[bool, NS("observability")] = False
    export_metrics_to_file_dir: A[str | None, NS("observability")] = None
    stat_loggers: A[dict[str, type] | None, NS("observability")] = None
    kv_canary: A[str, NS("observability")] = "none"
    kv_canary_real_data: A[str, NS("observability")] = "none"
    kv_canary_sweep_interval: A[int, NS("observability")] = 0
    debug_tensor_dump_output_folder: A[str | None, NS("observability")] = None
    debug_tensor_dump_layers: A[list[int] | None, NS("observability")] = None
    debug_tensor_dump_input_file: A[str | None, NS("observability")] = None
    forward_hooks: A[list[dict[str, Any]] | None, NS("observability")] = None
    msprobe_dump_config: A[str | None, NS("observability")] = None

    def __post_init__(self) -> None:
        self._settle(resolve(self))

    def copy_with(self, **values: Any) -> "ServerArgs":
        """An independent copy with these fields changed; resolution does not run a second time.

        Raises TypeError for a name that is no field.
        """
        unknown = sorted(values.keys() - {item.name for item in dataclasses.fields(self)})
        if unknown:
            raise TypeError(
                f"ServerArgs has no field {', '.join(unknown)}: pass the names of its fields only."
            )
        twin = copy.deepcopy(self)
        twin._settle(values)
        return twin

    def _settle(self, values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)
