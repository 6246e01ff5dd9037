"""A planner for these tests alone: every access that a predicate chooses moves, whatever would hold it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ratchet.analysis import accesses_of
from ratchet.codemod.model import Accessor, Edit, Outcome, Rewritten
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite, rewrite_document
from ratchet.codemod.sketch import read_sketch
from ratchet.codemod.style import Style
from ratchet.codemod.survey import LeftOut
from ratchet.model import Access, Problem
from ratchet.schema import load_snapshot
from ratchet.syntax.document import Document
from tests.shipped import PACK, PROJECT

SCHEMA = load_snapshot(PROJECT / "rules" / "sglang" / "schema", "0.5.17")
CONTEXT = "sglang.srt.runtime_context"
ACCESSORS = frozenset(
    [name for item in PACK.objects for name in item.accessors]
    + [space.accessor for space in PACK.namespaces]
    + [context.accessor for context in PACK.contexts]
)
STYLE = Style("sglang", ACCESSORS)
EXAMPLE = "srt/example.py"
LIVE = {name for space in PACK.namespaces for name in space.live}

Wanted = Callable[[Access], bool]


def global_reads(access: Access) -> bool:
    """The accesses that move by default: reads of the process-wide record, and of `self.server_args`."""
    return access.operation in ("read", "mutate") and (access.origin == "global" or access.root == "self")


def with_writes(access: Access) -> bool:
    """The same, and writes wherever they come from."""
    return access.operation == "write" or global_reads(access)


def plan(
    path: str, text: str, wanted: Wanted = global_reads, namespaces: Collection[str] = ()
) -> Iterator[Edit]:
    """The edits of a file's text."""
    for number, access in enumerate(accesses_of(text, PACK, SCHEMA, path)):
        chosen = access.namespace is not None and access.origin != "namespace" and wanted(access)
        if chosen and access.field not in LIVE and (not namespaces or access.namespace in namespaces):
            yield edit_of(path, number, access)


def edit_of(path: str, number: int, access: Access) -> Edit:
    """The edit that moves an access to its namespace, or to an override of the context."""
    field, bag = access.field or "", access.namespace or ""
    head, _, rest = bag.partition(".")
    module, _, getter = next(s.accessor for s in PACK.namespaces if s.path == head).rpartition(".")
    read = ".".join(filter(None, (f"{getter}()", rest, field)))
    is_write = access.operation == "write"
    source = f"{path.removesuffix('.py').replace('/', '.')}.{access.scope}".rstrip(".")
    return Edit(
        id=f"{number}",
        path=path,
        span=access.span,
        scope=access.scope,
        operation=access.operation,
        origin=access.origin,
        field=field,
        namespace=bag,
        before=access.code,
        after=f'get_context().override("{source}")' if is_write else read,
        accessor=Accessor(CONTEXT, "get_context") if is_write else Accessor(module, getter),
        reading=read if is_write else "",
        reading_accessor=Accessor(module, getter) if is_write else None,
    )


def rewrite_text(
    text: str, style: Style = STYLE, path: str = EXAMPLE, wanted: Wanted = global_reads
) -> Outcome:
    """What becomes of a file's text."""
    made = rewrite(path, text.encode(), tuple(plan(path, text, wanted)), style)
    assert not isinstance(made, Problem), made
    return made


def rewritten(text: str, style: Style = STYLE, path: str = EXAMPLE, wanted: Wanted = global_reads) -> str:
    """The new text of a file all of whose edits are made; the same where there is none."""
    outcome = rewrite_text(text, style, path, wanted)
    assert outcome.skips == ()
    return text if outcome.rewritten is None else outcome.rewritten.new.decode()


def in_part(path: str, data: bytes, edits: tuple[Edit, ...]) -> tuple[Outcome, list[str], int]:
    """What becomes of a file that is parsed in part, what is wrong with it, and how much was left out."""
    words: frozenset[str] = frozenset()
    while True:
        document = read_sketch(path, data, edits, words)
        assert isinstance(document, Document)
        try:
            outcome = rewrite_document(document, data, edits, STYLE)
            made = outcome.rewritten
            found = prove(made, STYLE, old=document) if made is not None else ()
            return outcome, [problem.message for problem in found], len(document.gaps)
        except LeftOut as missing:
            words |= missing.words


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The Python files of a tree with their paths below it."""
    for file in sorted(folder.rglob("*.py")):
        yield file.relative_to(folder).as_posix(), file.read_bytes()


def result(rewritten: Rewritten | None) -> bytes:
    """The new bytes of what was rewritten."""
    assert rewritten is not None
    return rewritten.new
