"""Whether a release has what a dotted name says, and where else a name is defined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ratchet.frozen import dataclass
from ratchet.surface.model import Module, Release

State = Literal["there", "refuses", "gone", "open", "outside"]
"""`open`: the module decides when it runs; `outside`: no package that was read, so nothing is known."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a dotted name stands in a release: the module that was found, and the name in it ("" for none).

    `member` is the name in a class of which the release tells the members.
    """

    state: State
    module: str
    name: str = ""
    member: str = ""


def stand(release: Release, dotted: str) -> Standing:
    """Return how a release answers to a dotted name: a module, a name in it, or a member of a class in it."""
    if not any(dotted == top or dotted.startswith(f"{top}.") for top in release.tops):
        return Standing("outside", dotted)
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        module = release.modules.get(".".join(parts[:count]))
        if module is not None:
            return _in_module(module, ".".join(parts[:count]), parts[count:])
    return Standing("gone", dotted)


def _in_module(module: Module, dotted: str, rest: list[str]) -> Standing:
    if not rest:
        return Standing("there", dotted)
    name = rest[0]
    if not module.has(name):
        return Standing("open" if module.open else "gone", dotted, name)
    state: State = "refuses" if name in module.refusing else "there"
    if len(rest) > 1 and state == "there" and module.signatures.get(name) is not None:
        return Standing(_of_member(module, name, rest[1]), dotted, name, rest[1])
    return Standing(state, dotted, name)


def _of_member(module: Module, name: str, member: str) -> State:
    if f"{name}.{member}" in module.signatures or member.startswith("__"):
        return "there"
    made = module.signatures[name]
    closed = "class()" in made and f"{name}.__getattr__" not in module.signatures
    return "gone" if closed else "open"


class Index:
    """A release, by the names that its modules define."""

    def __init__(self, release: Release) -> None:
        self.release = release
        homes: dict[str, list[str]] = {}
        for dotted, module in release.modules.items():
            for name in module.defined:
                homes.setdefault(name, []).append(dotted)
        self._homes: Mapping[str, list[str]] = homes

    def homes(self, name: str) -> tuple[str, ...]:
        """The modules that define a name, sorted."""
        return tuple(sorted(self._homes.get(name, ())))

    def modules_ending(self, last: str) -> tuple[str, ...]:
        """The modules whose last part is `last`, sorted."""
        return tuple(sorted(name for name in self.release.modules if name.rpartition(".")[2] == last))
