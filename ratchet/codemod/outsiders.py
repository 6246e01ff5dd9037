"""Functions that are handed a record which is not the process's: their reads stay on what is handed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ratchet.analysis.modules import module_name
from ratchet.codemod.callsites import look
from ratchet.codemod.mentions import Mention
from ratchet.codemod.model import Refusal
from ratchet.codemod.style import Style
from ratchet.matching.boundaries import boundaries_of
from ratchet.model import Pack, Problem, ReadFile
from ratchet.syntax.document import read_document

Function = tuple[str, str]
"""A function: the path of its file, and its qualified name."""

_CONSTRUCTOR = "__init__"


def handed_from_outside(
    functions: Collection[Function],
    pack: Pack,
    engine: str | None,
    paths: Iterable[str],
    read: ReadFile,
) -> Mapping[Function, Refusal]:
    """Why those of the functions stay that code in a boundary marked `outside` calls, with its own record.

    `paths` are the files of the tree, and `read` gives their bytes. Files outside are read, and parsed
    where they spell the name of such a function. The first call of each is the evidence.
    """
    called = {_called(module_name(pack.package, path)[0], name): (path, name) for path, name in functions}
    spelled = {dotted: _spelled(dotted, name) for dotted, (_, name) in called.items()}
    boundaries = boundaries_of(pack.boundaries, engine)
    outside = [(each.paths, each.entry.reason) for each in boundaries if each.entry.outside and each.paths]
    found: dict[Function, Refusal] = {}
    for path in paths if called else ():
        reason = next((why for holds, why in outside if holds(path)), None)
        data = read(path) if reason is not None else b""
        if isinstance(data, Problem) or not data:
            continue
        hits = {
            dotted.rpartition(".")[2]
            for dotted, parts in spelled.items()
            if all(map(data.__contains__, parts))
        }
        if not hits:
            continue
        document = read_document(path, data)
        if isinstance(document, Problem):
            continue
        for mention in look(document, hits, Style(pack.package)).mentions:
            for function in _meant(mention, called):
                place = f"{path}:{mention.line} calls {function[1]}"
                found.setdefault(function, Refusal("handed-parameter", f"{place}: {reason}"))
    return found


def _called(module: str, name: str) -> str:
    """The dotted name by which a function is called: a constructor by that of its class."""
    dotted = f"{module}.{name}"
    return dotted.removesuffix(f".{_CONSTRUCTOR}")


def _spelled(dotted: str, name: str) -> tuple[bytes, ...]:
    """What a file spells that calls a function: its name, and that of the class of a method."""
    return tuple(
        part.encode() for part in dotted.split(".")[-1 - name.removesuffix(f".{_CONSTRUCTOR}").count(".") :]
    )


def _meant(mention: Mention, called: Mapping[str, Function]) -> Iterator[Function]:
    """The functions that a call may mean: of their own module, or of a package around that passes them on."""
    if mention.kind != "call" or mention.target is None:
        return
    around, _, word = mention.target.rpartition(".")
    for dotted, function in called.items():
        if dotted == mention.target or (dotted.startswith(f"{around}.") and dotted.endswith(f".{word}")):
            yield function
