"""The namespaces that replace the record: read-only bags, published once a process."""

from typing import Any

from sglang.srt.server_args import ServerArgs


class Bag:
    """The fields of one namespace, and the bags inside of it."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return self._values[name]


class Context:
    """The published record and the overrides since."""

    def __init__(self, server_args: ServerArgs) -> None:
        self.server_args = server_args
        self.bags: dict[str, Bag] = {}

    def override(self, source: str, **values: Any) -> None:
        """The one audited writer."""
        for bag in self.bags.values():
            bag._values.update(values)


_context: "Context | None" = None


def publish(server_args: ServerArgs) -> None:
    """Make the record visible to the process."""
    global _context
    _context = Context(server_args)


def get_context() -> Context:
    """What the process published."""
    assert _context is not None
    return _context


def get_server_args() -> ServerArgs:
    """The record itself: what new code must not read any more."""
    return get_context().server_args


def get_parallel() -> Bag:
    """How the process is split over devices."""
    return get_context().bags["parallel"]


def get_schedule() -> Bag:
    """How requests are batched."""
    return get_context().bags["schedule"]


def get_exec() -> Bag:
    """How a step is executed."""
    return get_context().bags["exec"]
