"""Which namespace publishes each field: read once off the fields of `ServerArgs`."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from sglang.srt._runtime.errors import UnknownFieldError, nearest
from sglang.srt.arg_groups.arg_utils import field_namespaces
from sglang.srt.server_args import ServerArgs

FIELD_NAMESPACES: Mapping[str, str] = field_namespaces(ServerArgs)
NAMESPACE_PATHS = tuple(dict.fromkeys(FIELD_NAMESPACES.values()))
_CONTAINERS = (list, dict, set)


def leaves_of(path: str) -> tuple[str, ...]:
    """The names of the leaves of a namespace, in the order in which the record declares them."""
    return tuple(name for name, namespace in FIELD_NAMESPACES.items() if namespace == path)


def namespace_of(name: str) -> str:
    """The path of the namespace that publishes a field; raises UnknownFieldError for a name that is none."""
    try:
        return FIELD_NAMESPACES[name]
    except KeyError:
        raise UnknownFieldError(name, nearest(name, FIELD_NAMESPACES)) from None


def detached(value: object) -> object:
    """The value, or an own copy of it where it is a container that its other holder could still change."""
    return copy.deepcopy(value) if isinstance(value, _CONTAINERS) else value


def values_of(server_args: ServerArgs) -> dict[str, object]:
    """Each field of the record with its value, containers copied."""
    return {name: detached(getattr(server_args, name)) for name in FIELD_NAMESPACES}
