"""The project's data classes against those of the standard library: the same, whatever is asked of them."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from ratchet import frozen


@frozen.dataclass(frozen=True, slots=True, order=True)
class Own:
    """A value with all kinds of fields."""

    name: str
    size: int = 1
    tags: list[str] = frozen.field(default_factory=list, repr=False, compare=False)
    total: int = frozen.field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.size * 2)

    @property
    def shown(self) -> str:
        """A property stays one."""
        return f"{self.name}!"


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Standard:
    """The same, made by the standard library."""

    name: str
    size: int = 1
    tags: list[str] = dataclasses.field(default_factory=list, repr=False, compare=False)
    total: int = dataclasses.field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.size * 2)

    @property
    def shown(self) -> str:
        """A property stays one."""
        return f"{self.name}!"


@frozen.dataclass(slots=True)
class OwnMutable:
    """One that may change."""

    items: list[int] = frozen.field(default_factory=list)


@frozen.dataclass(frozen=True, slots=True)
class OwnEmpty:
    """One without fields."""


def outcome(ask: Callable[[Any], Any], cls: Any) -> str:
    """What comes of a question, or the kind of error."""
    try:
        return str(ask(cls)).replace("Own", "Standard")
    except Exception as error:
        return type(error).__name__


def matched(value: Any) -> str:
    """What a class pattern takes out of a value."""
    match value:
        case Own(name, size) | Standard(name, size):
            return f"{name} {size}"
    return "none"


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "by position": lambda cls: cls("a", 2, ["t"]),
    "by name": lambda cls: cls(size=3, name="a"),
    "mixed": lambda cls: cls("a", tags=["x"]).tags,
    "default": lambda cls: cls("a").size,
    "fresh factory": lambda cls: cls("a").tags is cls("a").tags,
    "post init": lambda cls: cls("a", 4).total,
    "property": lambda cls: cls("a").shown,
    "repr": lambda cls: repr(cls("a'b", 2)),
    "equal": lambda cls: cls("a") == cls("a", 1, ["other"]),
    "unequal": lambda cls: cls("a") == cls("b"),
    "equal to another type": lambda cls: cls("a") == ("a", 1),
    "hash": lambda cls: hash(cls("a")) == hash(cls("a", 1, ["other"])),
    "in a set": lambda cls: len({cls("a"), cls("a"), cls("b")}),
    "less": lambda cls: cls("a", 2) < cls("b", 1),
    "at least": lambda cls: cls("a", 2) >= cls("a", 3),
    "sorted": lambda cls: [each.name for each in sorted([cls("b"), cls("a")])],
    "compared with another type": lambda cls: cls("a") < 1,
    "missing": lambda cls: cls(),
    "too many": lambda cls: cls("a", 1, [], 4),
    "unknown": lambda cls: cls("a", other=1),
    "twice": lambda cls: cls("a", name="b"),
    "all and one more": lambda cls: cls("a", 1, [], size=2),
    "not for init": lambda cls: cls("a", total=2),
    "assigned": lambda cls: setattr(cls("a"), "name", "b"),
    "deleted": lambda cls: delattr(cls("a"), "name"),
    "no dict": lambda cls: hasattr(cls("a"), "__dict__"),
    "replaced": lambda cls: dataclasses.replace(cls("a", 2), name="b"),
    "replaced by ours": lambda cls: frozen.replace(cls("a", 2), size=5) if cls is Own else cls("a", 5),
    "replaced unknown": lambda cls: dataclasses.replace(cls("a"), other=1),
    "fields": lambda cls: [(item.name, item.init) for item in dataclasses.fields(cls)],
    "is a data class": dataclasses.is_dataclass,
    "as a dict": lambda cls: dataclasses.asdict(cls("a", 2, ["t"])),
    "copied": lambda cls: copy.copy(cls("a", 2, ["t"])),
    "copied deeply": lambda cls: copy.deepcopy(cls("a", 2, ["t"])).tags,
    "pickled": lambda cls: pickle.loads(pickle.dumps(cls("a", 2, ["t"]))).tags,
    "matched": lambda cls: matched(cls("a", 2)),
    "documented": lambda cls: cls.__post_init__.__name__,
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_as_in_the_standard_library(ask: Callable[[Any], Any]) -> None:
    assert outcome(ask, Own) == outcome(ask, Standard)


def test_a_new_attribute_is_refused() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Own("a").other = 1  # type: ignore[attr-defined]


def test_a_mutable_one_changes_and_has_no_hash() -> None:
    value = OwnMutable()
    value.items = [1]
    assert value == OwnMutable([1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


def test_one_without_fields_equals_its_like() -> None:
    assert OwnEmpty() == OwnEmpty()
    assert repr(OwnEmpty()) == "OwnEmpty()"


def test_fields_tell_names_and_defaults() -> None:
    assert [item.name for item in frozen.fields(Own)] == ["name", "size", "tags", "total"]
    assert frozen.fields(Own("a"))[1].default == 1
