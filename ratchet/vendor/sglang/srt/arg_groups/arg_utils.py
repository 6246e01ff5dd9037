"""How a field of `ServerArgs` says which namespace it is published in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class NS:
    """A field's namespace, as the dotted path of the bag that publishes it: `exec.moe`."""

    path: str


def field_namespaces(record: type[Any]) -> Mapping[str, str]:
    """The namespace path of each field of a dataclass, in the order in which the fields are declared.

    Raises TypeError where a field declares no namespace, or has the name of a group in its own namespace.
    """
    namespaces = {field.name: _namespace(record, field.name, field.type) for field in fields(record)}
    groups = set(namespaces.values())
    for name, path in namespaces.items():
        if f"{path}.{name}" in groups:
            raise TypeError(
                f"{record.__name__}.{name} is a leaf of `{path}` and a group below it: rename one of the two."
            )
    return namespaces


def _namespace(record: type[Any], name: str, annotation: Any) -> str:
    for mark in getattr(annotation, "__metadata__", ()):
        if isinstance(mark, NS):
            return mark.path
    raise TypeError(
        f'{record.__name__}.{name} declares no namespace: annotate it as A[type, NS("namespace")], '
        "in a module that does not postpone its annotations."
    )
