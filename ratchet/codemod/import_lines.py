"""Import statements changed and added, as isort's black profile writes them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence

from ratchet.codemod.splice import Splice
from ratchet.codemod.survey import Imported
from ratchet.syntax.document import Document

_NUMBERS = re.compile(r"(\d+)")
Key = tuple[int, list[tuple[int, int, str]]]


def member_key(name: str) -> Key:
    """The order of imported names: CONSTANTS, Classes, the rest; in each without case, numbers by value."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return (kind, _natural(name))


def module_key(name: str) -> list[tuple[int, int, str]]:
    """The order of modules: without case, numbers by value."""
    return _natural(name)


def _natural(text: str) -> list[tuple[int, int, str]]:
    parts = _NUMBERS.split(text.lower())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def from_import(
    head: str, names: Sequence[str], indent: str, length: int, newline: str, note: str = ""
) -> str:
    """Return a from-import as one line where it fits, else with a name on each line.

    `head` is what stands before the names, `note` a comment at its end.
    """
    line = f"{head} {', '.join(names)}"
    comment = f"  {note}" if note else ""
    if len(indent) + len(line) + len(comment) <= length:
        return line + comment
    rows = "".join(f"{indent}    {name},{newline}" for name in names)
    return f"{head} ({comment}{newline}{rows}{indent})"


def change_import(
    document: Document, item: Imported, add: Iterable[str], drop: Collection[ast.alias], length: int
) -> list[Splice]:
    """Return the splices that add names to an import and take others out; some name has to be left.

    A statement with comments inside is changed name by name, so that they stay; any other is written anew.
    """
    node = item.node
    start, end = document.start(node), document.end(node)
    text = document.text[start:end]
    if isinstance(node, ast.Import):
        kept = [document.code(alias) for alias in node.names if alias not in drop]
        return [Splice(start, end, f"import {', '.join(kept)}")]
    if "#" in text:
        return [*_inserted(document, node, add), *_dropped(document, node, drop)]
    names = [document.code(alias) for alias in node.names if alias not in drop]
    for name in sorted(set(add), key=member_key):
        names.insert(_position(names, name), name)
    head = " ".join(re.split(r"\bimport\b", text, maxsplit=1)[0].replace("\\", " ").split()) + " import"
    tail = document.line_end(end)
    note = document.text[end:tail].strip()
    own_line = note.startswith("#")
    indent = document.indentation(start)
    made = from_import(head, names, indent, length, document.newline, note if own_line else "")
    return [Splice(start, tail if own_line else end, made)]


def _position(names: Sequence[str], name: str) -> int:
    """Where a name goes in a sorted list; at the end of one that is not sorted."""
    keys = [member_key(known) for known in names]
    if keys != sorted(keys):
        return len(names)
    return sum(key <= member_key(name) for key in keys)


def _inserted(document: Document, node: ast.ImportFrom, add: Iterable[str]) -> list[Splice]:
    known = [document.code(alias) for alias in node.names]
    made = []
    for name in sorted(set(add), key=member_key):
        position = _position(known, name)
        if position == len(node.names):
            made += _appended(document, node.names[-1], name)
            continue
        start = document.start(node.names[position])
        line = document.line_start(start)
        if document.text[line:start].strip():
            made.append(Splice(start, start, f"{name}, "))
        else:
            made.append(Splice(line, line, f"{document.text[line:start]}{name},{document.newline}"))
    return made


def _appended(document: Document, last: ast.alias, name: str) -> list[Splice]:
    end = document.end(last)
    comma = re.compile(r"\s*,").match(document.text, end)
    rest = document.text[comma.end() if comma else end : document.line_end(end)]
    if rest.lstrip().startswith(")"):
        return [Splice(end, end, f", {name}")]
    at = document.next_line(end)
    blanks = document.indentation(document.start(last))
    added = Splice(at, at, f"{blanks}{name},{document.newline}")
    return [added] if comma else [Splice(end, end, ","), added]


def _dropped(document: Document, node: ast.ImportFrom, drop: Collection[ast.alias]) -> list[Splice]:
    made = []
    for number, alias in enumerate(node.names):
        if alias not in drop:
            continue
        start, end = document.start(alias), document.end(alias)
        comma = re.compile(r"\s*,").match(document.text, end)
        after = comma.end() if comma else end
        rest = document.text[after : document.line_end(after)].strip()
        if document.indentation(start) and (not rest or rest.startswith("#")):
            made.append(Splice(document.line_start(start), document.next_line(after), ""))
        elif number + 1 < len(node.names):
            made.append(Splice(start, document.start(node.names[number + 1]), ""))
        else:
            made.append(Splice(start, after, ""))
    return made
