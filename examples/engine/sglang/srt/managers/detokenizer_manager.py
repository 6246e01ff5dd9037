"""A process that turns tokens into text; it publishes no configuration."""


class Detokenizer:
    def __init__(self, words: dict[int, str]) -> None:
        self.words = words

    def text_of(self, tokens: list[int]) -> str:
        return " ".join(self.words[token] for token in tokens)
