"""The speculative algorithms an engine knows: the built-in ones, and those that its plugins register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from sglang.srt._runtime.errors import nearest
from sglang.srt.configs.model_config import ModelConfig
from sglang.srt.server_args import ServerArgs
from sglang.srt.speculative.workers import DraftWorker, IsolatedDraftWorker

WorkerClass: TypeAlias = Callable[[ServerArgs, ModelConfig], Any]
WorkerFactory: TypeAlias = Callable[[ServerArgs], WorkerClass]
"""Chooses, for the draft's record, the worker that is then built with the same record."""

Factory = TypeVar("Factory", bound=WorkerFactory)


class SpeculativeAlgorithms:
    """The factories of one engine by the name of their algorithm."""

    def __init__(self) -> None:
        self._factories: dict[str, WorkerFactory] = {
            "EAGLE": _shared,
            "EAGLE3": _shared,
            "FROZEN_KV_MTP": _shared,
            "STANDALONE": _shared,
            "DFLASH": _isolated,
            "DSPARK": _isolated,
        }

    def register(self, name: str) -> Callable[[Factory], Factory]:
        """Decorate a plugin's factory to add it; raises ValueError where the name is taken."""
        if name in self._factories:
            raise ValueError(
                f"The speculative algorithm `{name}` is registered already: choose another name."
            )

        def add(factory: Factory) -> Factory:
            self._factories[name] = factory
            return factory

        return add

    def factory(self, name: str) -> WorkerFactory:
        """The factory of an algorithm; raises ValueError where there is none of that name."""
        try:
            return self._factories[name]
        except KeyError:
            raise ValueError(
                f"The speculative algorithm `{name}` is not known: register it before the scheduler starts, "
                f"or did you mean `{nearest(name, self._factories)}`?"
            ) from None


def _shared(draft_args: ServerArgs) -> WorkerClass:
    return DraftWorker


def _isolated(draft_args: ServerArgs) -> WorkerClass:
    return IsolatedDraftWorker
