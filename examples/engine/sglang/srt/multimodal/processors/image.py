"""Prepares pictures for one engine."""

from sglang.srt.server_args import ServerArgs


class ImageProcessor:
    """Cuts a picture into pages."""

    def __init__(self, server_args: ServerArgs) -> None:
        self.page_size = server_args.page_size
