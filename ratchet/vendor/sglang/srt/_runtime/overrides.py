"""Provenance: what was written after resolution, by whom, and how a readback shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sglang.srt._runtime.errors import ConfigError
from sglang.srt._runtime.schema import detached, namespace_of


@dataclass(frozen=True, slots=True)
class Override:
    """One written field: who wrote it, where it is published, and the value."""

    source: str
    namespace: str
    field: str
    value: Any


def overrides_of(source: str, fields: Mapping[str, object]) -> tuple[Override, ...]:
    """The overrides that one call makes, in the order of its keywords.

    Raises UnknownFieldError for a name that is no field, and ConfigError where nobody is named as the source,
    before anything is written.
    """
    if not source:
        raise ConfigError("An override names no source: say in its first argument who decides the value.")
    return tuple(
        Override(source, namespace_of(name), name, detached(value)) for name, value in fields.items()
    )


def overlaid(base: Mapping[str, Any], overrides: Iterable[Override]) -> dict[str, Any]:
    """A new dict: the base, with the overridden fields at their last values."""
    return {**base, **{override.field: detached(override.value) for override in overrides}}
