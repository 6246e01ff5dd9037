"""Answers requests."""

from sglang.srt.managers.tokenizer_manager import TokenizerManager
from sglang.srt.server_args import ServerArgs


def model_info(manager: TokenizerManager) -> dict[str, object]:
    """What a client may know of the model."""
    return {"path": manager.server_args.model_path, "ready": manager.ready}


def launch(server_args: ServerArgs) -> TokenizerManager:
    """Start an engine."""
    return TokenizerManager(server_args)
