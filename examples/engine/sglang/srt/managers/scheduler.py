"""Puts waiting requests into batches."""

from sglang.srt.model_executor.model_runner import ModelRunner
from sglang.srt.runtime_context import get_schedule, get_server_args
from sglang.srt.server_args import ServerArgs


class Scheduler:
    """Owns the queue and the runner."""

    def __init__(self, server_args: ServerArgs) -> None:
        self.server_args = server_args
        self.runner = ModelRunner(server_args)
        self.waiting: list[str] = []
        self.overlap = not server_args.disable_overlap_schedule
        if server_args.max_running_requests is None:
            server_args.override("scheduler", max_running_requests=self.runner.slots())

    def next_batch(self) -> list[str]:
        """The requests of the next step."""
        limit = get_schedule().max_running_requests
        batch, self.waiting = self.waiting[:limit], self.waiting[limit:]
        return batch

    def describe(self) -> str:
        """A line for the log."""
        args = get_server_args()
        return f"{args.served_model_name}: {len(self.waiting)} waiting"

    def flush(self, page_size: int) -> None:
        """Drop the cache, and restart it with pages of another size."""
        self.waiting.clear()
        self.server_args.override("flush", page_size=page_size)
