"""A configuration bag: the leaves of one namespace, as plain read-only attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn, TypeVar

from sglang.srt._runtime.errors import ConfigError, ReadOnlyError, UnknownLeafError, nearest
from sglang.srt._runtime.schema import FIELD_NAMESPACES, detached

Bag = TypeVar("Bag", bound="ConfigBag")


class ConfigBag:
    """The base of all namespaces. A subclass names its path, and its leaves and groups as slots.

    A leaf is a slot, so a read runs no code of ours: it is as fast as the interpreter makes it, and a
    compiler that traces it sees a constant. `__getattr__` runs only for names that are no slot.
    """

    __slots__: tuple[str, ...] = ()
    _path: ClassVar[str]

    def __init__(self, values: Mapping[str, object]) -> None:
        self._write({name: values[name] for name in self.__slots__})

    # Until Python 3.12 the interpreter caches no attribute reads of a class with this method. An error that
    # names the leaf that was meant is worth those nanoseconds.
    def __getattr__(self, name: str) -> Any:
        # Copying and pickling ask half-built objects for special names: no search for a near leaf then.
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnknownLeafError(f"The namespace `{self._path}` has no leaf `{name}`: {self._advice(name)}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ReadOnlyError(self._path, name)

    def __delattr__(self, name: str) -> NoReturn:
        raise ReadOnlyError(self._path, name)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"The namespace `{self._path}` belongs to its process and is not copied: "
            "copy or send the ServerArgs record instead."
        )

    def __repr__(self) -> str:
        return f"<namespace {self._path}: {len(self.__slots__)} members>"

    @contextmanager
    def override(self: Bag, **values: object) -> Iterator[Bag]:
        """Give leaves other values for the length of a block, in a test; however it ends, they are put back.

        All values are set or none: raises ConfigError for a name that is no leaf of this namespace.
        """
        for name in values:
            if FIELD_NAMESPACES.get(name) != self._path:
                raise ConfigError(f"The namespace `{self._path}` has no leaf `{name}`: {self._advice(name)}")
        before = {name: getattr(self, name) for name in values}
        self._write(values)
        try:
            yield self
        finally:
            self._write(before)

    def _advice(self, name: str) -> str:
        owner = FIELD_NAMESPACES.get(name)
        if owner is None or owner == self._path:
            return f"did you mean `{nearest(name, self.__slots__)}`?"
        first, _, rest = owner.partition(".")
        group = f".{rest}" if rest else ""
        return f"it is a leaf of `{owner}`, read it as get_{first}(){group}.{name}."

    def _read(self) -> dict[str, object]:
        return {name: detached(getattr(self, name)) for name in self.__slots__}

    def _write(self, values: Mapping[str, object]) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)
