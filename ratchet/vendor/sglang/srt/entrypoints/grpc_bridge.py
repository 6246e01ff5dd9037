"""The same answers over gRPC, where a payload is JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sglang.srt.entrypoints.http_server import model_info, server_info
from sglang.srt.managers.tokenizer_manager import TokenizerManager


class RuntimeHandle:
    """What the gRPC server calls in the engine."""

    def __init__(self, manager: TokenizerManager) -> None:
        self._manager = manager

    def get_server_info(self, internal_states: Iterable[Mapping[str, Any]] = ()) -> str:
        """The engine's whole configuration; values that JSON has no form for appear as their text."""
        return json.dumps(server_info(self._manager, internal_states), default=str)

    def get_model_info(self) -> str:
        """Which model and weights the engine serves."""
        return json.dumps(model_info(self._manager))
