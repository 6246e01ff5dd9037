"""The proof of a rewritten file, before it is written: what changed is what was planned, and nothing else."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from ratchet.codemod.aliases import is_kept_import, may_die
from ratchet.codemod.imports import Imports
from ratchet.codemod.lockstep import Lockstep, Mismatch
from ratchet.codemod.model import Edit, Rewritten
from ratchet.codemod.scopes import Occurrence, Scope
from ratchet.codemod.splice import Splice, splice
from ratchet.codemod.style import Style
from ratchet.codemod.survey import Survey, survey
from ratchet.model import Problem
from ratchet.syntax.document import Document, read_document

_LINE_END = re.compile(r"\r\n|\r|\n")
_SEPARATORS = " \t\f;\\"
"""What stands between statements and belongs to none."""

Replan = Callable[[str, bytes], Iterable[Edit]]
"""Plans a file again, given its path and its new bytes."""


def prove(
    rewritten: Rewritten,
    style: Style,
    replan: Replan | None = None,
    refused: Collection[str] = (),
    old: Document | None = None,
    new: Document | Problem | None = None,
) -> tuple[Problem, ...]:
    """Return what is wrong with a rewritten file; nothing where it may be written.

    The new text parses; both trees are the same but for the planned edits and drops, and what they made dead;
    lines of comment are the same; the touched names are bound and used as before; and a second plan finds
    nothing but what was `refused` (ids of edits). `old` and `new` are the documents of the old bytes and of
    the new ones, where they are at hand.
    """
    path = rewritten.path
    before = old or read_document(path, rewritten.old)
    after = new or read_document(path, rewritten.new)
    for side in (before, after):
        if isinstance(side, Problem):
            return (side,)
    assert isinstance(before, Document)
    assert isinstance(after, Document)
    lockstep = Lockstep(before, after, rewritten.edits, style, rewritten.drops)
    try:
        lockstep.compare()
    except Mismatch as mismatch:
        return (Problem(path, mismatch.line, mismatch.message),)
    except RecursionError:
        return (Problem(path, 0, "is nested too deeply to be proved"),)
    found = [*_bytes(before, after, rewritten, lockstep.touched), *_layout(before, after)]
    found += [*_names(before, after, lockstep, style)]
    if replan is not None and not found:
        found += second_plan(rewritten, replan(rewritten.path, rewritten.new), refused)
    return tuple(found)


def _bytes(old: Document, new: Document, rewritten: Rewritten, touched: Collection[int]) -> Iterator[Problem]:
    """Everything outside of the changes is the same, and a change is where a statement changed."""
    changes = [Splice(*change) for change in rewritten.changes]
    if splice(old.text, changes) != new.text or new.encode(new.text) != rewritten.new:
        yield Problem(old.path, 0, "its bytes differ outside of the changes")
    for change in changes:
        first = old.lines.line_of(change.start)
        for number, line in enumerate(_LINE_END.split(old.text[change.start : change.end]), first):
            if line.strip(_SEPARATORS) and number not in touched:
                yield Problem(old.path, number, "a line changed that belongs to no changed statement")


def _layout(old: Document, new: Document) -> Iterator[Problem]:
    """What a tree does not show: byte order mark, encoding, line ends, comments, the end of the file."""
    if (old.mark, old.encoding) != (new.mark, new.encoding):
        yield Problem(old.path, 1, "its byte order mark or its encoding changed")
    if old.newline != new.newline or _is_open(old.text) != _is_open(new.text):
        yield Problem(old.path, 0, "its line ends changed")
    lost = Counter(_comments(old.text))
    lost.subtract(Counter(_comments(new.text)))
    for comment, count in lost.items():
        if count:
            yield Problem(old.path, 0, f"the comment `{comment}` was lost or doubled")


def _is_open(text: str) -> bool:
    """Whether the last line lacks its line end."""
    return not text.endswith(("\n", "\r"))


def _comments(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if "#" in line and line.lstrip().startswith("#"):
            yield line.strip()


def _names(old: Document, new: Document, lockstep: Lockstep, style: Style) -> Iterator[Problem]:
    """Names that the change left undefined or unused, among those that it touched."""
    words = {dotted.rpartition(".")[2] for dotted in lockstep.planned} | lockstep.removed.keys()
    words |= lockstep.unused | {
        name for name, meant in lockstep.bound.items() if meant & (lockstep.planned | lockstep.modules)
    }
    before, after = survey(old, words), survey(new, words)
    known = _unused(old, Imports(old.path, before, style))
    for name in sorted(words):
        undefined = _undefined(after, name)
        if len(undefined) > len(_undefined(before, name)):
            yield Problem(new.path, undefined[0], f"`{name}` is not defined there any more")
    for (scope, name), line in sorted(_unused(new, Imports(new.path, after, style)).items()):
        if (scope, name) not in known:
            yield Problem(new.path, line, f"`{name}` is bound and not used in {scope or 'the module'}")
    before.forget()
    after.forget()


def _undefined(seen: Survey, name: str) -> list[int]:
    """The lines on which a name is read that nothing binds, or nothing above in the same function."""
    return [
        getattr(item.node, "lineno", 0)
        for item in seen.of(name)
        if item.use == "load" and not _is_bound(item, seen.meant(item))
    ]


def _is_bound(item: Occurrence, owner: Scope | None) -> bool:
    if owner is None or owner.kind != "function" or item.scope.function() is not owner:
        return owner is not None
    bound = owner.bound[item.name]
    return any(one.use == "parameter" or _position(one.node) < _position(item.node) for one in bound)


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _unused(document: Document, imports: Imports) -> dict[tuple[str, str], int]:
    """The imports, and the locals that stand for a record, which nothing reads; by scope and name."""
    found, seen = {}, imports.survey
    for name, items in seen.occurrences.items():
        owners = {id(owner): owner for item in items if (owner := seen.meant(item)) is not None}
        for owner in owners.values():
            if any(True for _ in seen.uses(name, owner)) or not may_die(document, imports, owner, name):
                continue
            for item in seen.meaning(name, owner):
                if item.use != "import" or not is_kept_import(document, imports, item):
                    found[_qualified(owner), name] = getattr(item.node, "lineno", 0)
    return found


def _qualified(scope: Scope) -> str:
    names = []
    current: Scope | None = scope
    while current is not None and current.parent is not None:
        names.append(getattr(current.node, "name", "<expression>"))
        current = current.parent
    return ".".join(reversed(names))


def second_plan(rewritten: Rewritten, edits: Iterable[Edit], refused: Collection[str]) -> Iterator[Problem]:
    """Say which edits a second plan still has for a rewritten file, beside those that were refused."""
    for edit in edits:
        if edit.id not in refused:
            text = f"`{edit.before}` would move in a second run, so this one is not complete"
            yield Problem(rewritten.path, edit.span.line, text)
