"""Start-up choices on one kind of device, a part of the resolution."""

from sglang.srt.server_args import ServerArgs


def choose_defaults(server_args: ServerArgs) -> None:
    """Fill in what the device needs."""
    if server_args.attention_backend is None:
        server_args.override("npu", attention_backend="ascend")
