"""How weights are read: decided by the namespaces, since many loaders are far from any record."""

from __future__ import annotations

from dataclasses import dataclass

from sglang.srt.runtime_context import get_exec, get_model


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """What a model was loaded with."""

    load_format: str
    context_length: int | None
    attention_backend: str | None
    scales_normalized: bool


def load_model() -> LoadedModel:
    """Load the weights of the model whose configuration is published."""
    model = get_model()
    return LoadedModel(
        load_format=model.load_format,
        context_length=model.context_length,
        attention_backend=get_exec().kernel.attention_backend,
        scales_normalized=normalizes_scales(),
    )


def normalizes_scales() -> bool:
    """Whether scales are normalised after loading: ModelOpt's are, made-up weights are not."""
    model = get_model()
    return (
        model.quantization is not None and "modelopt" in model.quantization and model.load_format != "dummy"
    )
