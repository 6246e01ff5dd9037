"""Constrained output: the engine for grammars, and what happens where the model does not suit it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TypeVar

from sglang.srt._runtime.errors import nearest
from sglang.srt.runtime_context import get_context, get_exec

logger = logging.getLogger(__name__)

Backend = TypeVar("Backend")


class UnsupportedGrammarError(Exception):
    """A grammar engine cannot work with this model's vocabulary."""


def create_grammar_backend(builders: Mapping[str, Callable[[], Backend]]) -> Backend | None:
    """The grammar engine that the configuration asks for, or None without one.

    An engine that cannot work with the model leaves the process without constrained output, and the override
    says so in the readback; the record keeps what was asked for. Raises ValueError for an unknown engine.
    """
    requested = get_exec().kernel.grammar_backend
    if requested is None or requested == "none":
        return None
    if requested not in builders:
        raise ValueError(
            f"The grammar backend `{requested}` is not known: did you mean `{nearest(requested, builders)}`?"
        )
    try:
        return builders[requested]()
    except UnsupportedGrammarError as error:
        logger.warning("Constrained output is off: %s cannot serve this model: %s", requested, error)
        get_context().override("create_grammar_backend", grammar_backend="none")
        return None
