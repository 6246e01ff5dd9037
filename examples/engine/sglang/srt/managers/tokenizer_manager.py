"""Turns text into tokens; one an engine, and several engines may share a process."""

from sglang.srt.server_args import ServerArgs


class TokenizerManager:
    """Keeps its engine's own record."""

    def __init__(self, server_args: ServerArgs) -> None:
        self.server_args = server_args
        self.ready = not server_args.skip_tokenizer_init

    def encode(self, text: str) -> list[int]:
        """Tokens of a text, as far as the context allows."""
        tokens = [ord(letter) for letter in text]
        return tokens[: self.server_args.context_length]
