"""A model without experts."""

from sglang.srt.runtime_context import get_server_args


class DenseModel:
    """Layers, one after the other."""

    def forward(self, tokens: list[int]) -> list[int]:
        """One step."""
        if get_server_args().disable_cuda_graph:
            return tokens
        return tokens[::-1]
