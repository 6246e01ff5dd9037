"""What a field's type becomes in a stub."""

from __future__ import annotations

import sys

import pytest

from ratchet.errors import JudgeError
from ratchet.stubs.types import stub_type

RESOLVED = {
    "int": "int",
    "None": "None",
    "Any": "Any",
    "typing.Any": "Any",
    "Optional[int]": "int | None",
    "typing.Optional[int]": "int | None",
    "int | None": "int | None",
    "None | int": "int | None",
    "Union[None, int, str]": "int | str | None",
    "Optional[Union[str, int, None]]": "str | int | None",
    "Optional['int']": "int | None",
    "Union[int, int]": "int",
    "List[str]": "list[str]",
    "List": "list[Any]",
    "Optional[List[int]]": "list[int] | None",
    "List[Optional[int]]": "list[int | None]",
    "Optional[List[Optional[int]]]": "list[int | None] | None",
    "Dict": "dict[Any, Any]",
    "Dict[str, Dict]": "dict[str, dict[Any, Any]]",
    "Optional[Union[str, Dict[str, int]]]": "str | dict[str, int] | None",
    "Tuple[int, ...]": "tuple[int, ...]",
    "tuple": "tuple[Any, ...]",
    "Optional[Union[set[str], List[str]]]": "set[str] | list[str] | None",
    "type": "type[Any]",
    "Dict[str, type]": "dict[str, type[Any]]",
    "Callable": "Callable[..., Any]",
    "Callable[..., int]": "Callable[..., int]",
    "Callable[[int, Optional[str]], None]": "Callable[[int, str | None], None]",
    "collections.abc.Callable": "Callable[..., Any]",
    "Literal['a', 'b']": "Literal['a', 'b']",
    "Literal[None, 'a | b']": "Literal[None, 'a | b']",
    "Optional[Literal[1, 2]]": "Literal[1, 2] | None",
    "Literal[-1, True]": "Literal[-1, True]",
}

UNRESOLVED = {
    "CudaGraphConfig": ("Any", ("CudaGraphConfig",)),
    "Optional[CudaGraphConfig]": ("Any | None", ("CudaGraphConfig",)),
    "'CudaGraphConfig'": ("Any", ("CudaGraphConfig",)),
    "List[LoRARef]": ("list[Any]", ("LoRARef",)),
    "Union[dict[str, str], List[LoRARef], LoRARef]": ("dict[str, str] | list[Any] | Any", ("LoRARef",)),
    "Dict[A, Optional[B]]": ("dict[Any, Any | None]", ("A", "B")),
    "torch.dtype": ("Any", ("torch.dtype",)),
    "numpy.int": ("Any", ("numpy.int",)),
    "Config[int]": ("Any", ("Config",)),
    "list[int][0]": ("Any", ("list[int]",)),
    "3": ("Any", ("3",)),
    "Optional[Literal[Mode.FAST, 'a']]": ("Any | None", ("Literal",)),
}


@pytest.mark.parametrize(("written", "text"), RESOLVED.items(), ids=RESOLVED)
def test_resolved(written: str, text: str) -> None:
    found = stub_type(written)
    assert (found.text, found.unresolved) == (text, ())


@pytest.mark.parametrize(("written", "expected"), UNRESOLVED.items(), ids=UNRESOLVED)
def test_unresolved(written: str, expected: tuple[str, tuple[str, ...]]) -> None:
    found = stub_type(written)
    assert (found.text, found.unresolved) == expected


@pytest.mark.parametrize("written", ["Optional[int", "int = 1", "List['Dict[']"])
def test_refused(written: str) -> None:
    with pytest.raises(JudgeError, match="does not parse; correct it where the field is declared"):
        stub_type(written)


def test_a_type_nested_beyond_sense_is_refused() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)  # type checkers, run by other tests, raise it
    try:
        with pytest.raises(JudgeError, match=r"the type 'int \| int.*is nested too deeply; simplify it"):
            stub_type(" | ".join(["int"] * 1500))
    finally:
        sys.setrecursionlimit(limit)
