"""Draft workers: the shared one, and one that isolates its configuration once more."""

from __future__ import annotations

from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.model_loader.loader import load_model
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.draft_worker_common import isolated_draft_args, published_draft


class DraftWorker:
    """A draft model, loaded with the configuration that is published when it is built."""

    def __init__(self, server_args: ServerArgs, target_model_config: ModelConfig) -> None:
        self.server_args = server_args
        self.target_model_config = target_model_config
        self.model = load_model()


class IsolatedDraftWorker(DraftWorker):
    """A draft that copies its record once more, and is loaded with that copy published."""

    def __init__(self, server_args: ServerArgs, target_model_config: ModelConfig) -> None:
        own = isolated_draft_args(server_args)
        with published_draft(own):
            super().__init__(own, target_model_config)
