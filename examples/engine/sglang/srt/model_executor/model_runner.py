"""Runs the model, one step at a time."""

import copy

from sglang.srt.models.dense import DenseModel
from sglang.srt.models.moe import MoeModel
from sglang.srt.runtime_context import get_parallel
from sglang.srt.server_args import ServerArgs


class ModelRunner:
    """A model on its devices."""

    def __init__(self, server_args: ServerArgs) -> None:
        self.server_args = server_args
        self.page_size = server_args.page_size
        self.model = MoeModel() if server_args.moe_a2a_backend != "none" else DenseModel()

    def slots(self) -> int:
        """How many requests fit into memory."""
        return int(self.server_args.mem_fraction_static * 1024) // self.page_size

    def rank_count(self) -> int:
        """How many processes run this model."""
        return get_parallel().nnodes * self.server_args.pp_size

    def draft(self) -> "ModelRunner":
        """A second runner that guesses ahead, with a record of its own."""
        draft_server_args = copy.deepcopy(self.server_args)
        draft_server_args.load_format = "dummy"
        return ModelRunner(draft_server_args)
