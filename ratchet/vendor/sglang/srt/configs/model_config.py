"""The facts of a model that its workers share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model's facts: the longest context it is served with, in tokens, and whether its attention is MLA."""

    context_len: int
    use_mla: bool = False
