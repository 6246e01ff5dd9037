"""Starts a server: `python -m sglang.launch_server`."""

from sglang.srt.entrypoints.http_server import launch
from sglang.srt.server_args import ServerArgs

if __name__ == "__main__":
    launch(ServerArgs(model_path="tiny"))
