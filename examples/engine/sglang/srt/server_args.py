"""The record that is being retired: every option of a server process."""

import dataclasses
from typing import Annotated as A
from typing import Any

from sglang.srt.arg_groups.arg_utils import NS


@dataclasses.dataclass
class ServerArgs:
    """What the server was asked for, and what became of it at start-up."""

    model_path: A[str, "where the weights lie", NS("model")] = ""
    load_format: A[str, NS("model")] = "auto"
    context_length: A["int | None", NS("model")] = None
    json_model_override_args: A[str, NS("model")] = "{}"
    kv_cache_dtype: A[str, NS("model")] = "auto"
    tp_size: A[int, NS("parallel")] = 1
    pp_size: A[int, NS("parallel")] = 1
    nnodes: A[int, NS("parallel")] = 1
    device: A["str | None", NS("device")] = None
    page_size: A[int, NS("memory")] = 16
    mem_fraction_static: A[float, NS("memory")] = 0.9
    max_running_requests: A["int | None", NS("schedule")] = None
    chunked_prefill_size: A["int | None", NS("schedule")] = None
    disable_overlap_schedule: A[bool, NS("exec.overlap")] = False
    disable_cuda_graph: A[bool, NS("exec.graph")] = False
    moe_a2a_backend: A[str, NS("exec.moe")] = "none"
    attention_backend: A["str | None", NS("exec.kernel")] = None
    decode_attention_backend: A["str | None", NS("exec.kernel")] = None
    prefill_attention_backend: A["str | None", NS("exec.kernel")] = None
    speculative_algorithm: A["str | None", NS("spec")] = None
    speculative_draft_attention_backend: A["str | None", NS("spec")] = None
    skip_tokenizer_init: A[bool, NS("serving")] = False
    served_model_name: A["str | None", NS("serving")] = None
    log_requests: A[bool, NS("observability")] = False

    def __post_init__(self) -> None:
        if self.served_model_name is None:
            self.served_model_name = self.model_path
        if self.speculative_algorithm:
            self.disable_overlap_schedule = True

    def override(self, source: str, **values: Any) -> None:
        """Change fields after start-up, and say who does it."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


_published: "ServerArgs | None" = None


def set_global_server_args_for_scheduler(server_args: ServerArgs) -> None:
    """The old way to publish the record."""
    global _published
    _published = server_args


def get_global_server_args() -> ServerArgs:
    """The old name of the accessor."""
    assert _published is not None
    return _published
