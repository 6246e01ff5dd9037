"""A model with experts."""

from sglang.srt.runtime_context import get_exec


class MoeModel:
    """Layers that choose among experts."""

    def forward(self, tokens: list[int]) -> list[int]:
        """One step."""
        return sorted(tokens) if get_exec().moe.moe_a2a_backend == "deepep" else tokens
