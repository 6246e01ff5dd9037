"""Which names of a file have to be looked at before its edits are made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from ratchet.codemod.dropping import bounds
from ratchet.codemod.imports import Imports
from ratchet.codemod.model import Drop, Edit
from ratchet.codemod.style import Style
from ratchet.codemod.survey import Survey, survey
from ratchet.syntax.document import Document

_FREE_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_COMMON = frozenset(("self", "cls"))
_ROUNDS = 8


def words_of(edits: Iterable[Edit]) -> frozenset[str]:
    """The names that edits speak of: of the accessors and their modules, and those that are replaced."""
    words = {word for edit in edits for word in _FREE_NAME.findall(edit.before)}
    words |= {item.name for edit in edits for item in edit.accessors}
    words |= {item.module.rpartition(".")[2] for edit in edits for item in edit.accessors}
    return frozenset(words - _COMMON)


def look(document: Document, edits: Sequence[Edit], style: Style, drops: Sequence[Drop]) -> Imports:
    """The imports of a file, with all names surveyed that may gain or lose a use."""
    accessors = {item for edit in edits for item in edit.accessors}
    spans = [edit.span for edit in edits]
    words = set(words_of(edits))
    for drop in drops:
        start, end = bounds(document, drop)
        words |= set(_FREE_NAME.findall(document.text[start:end]))
    words -= _COMMON
    for _ in range(_ROUNDS):
        imports = Imports(document.path, survey(document, words, spans), style)
        more = {name for accessor in accessors for name in imports.names_for(accessor)}
        more |= set(_names_behind(imports.survey)) - _COMMON
        more |= set(_names_deleted(imports.survey, edits)) - _COMMON
        if more <= words:
            break
        words |= more
        imports.survey.forget()
    return imports


def _names_behind(seen: Survey) -> Iterator[str]:
    """The names in the expressions that the surveyed names stand for, and in those that are replaced."""
    for items in seen.occurrences.values():
        for item in items:
            value = getattr(item.place.statement, "value", None)
            if item.use == "store" and isinstance(value, ast.expr):
                parts = value.elts if isinstance(value, ast.Tuple) else [value]
                for part in parts:
                    yield from _free_names(part)
    for found in seen.found.values():
        for place in found:
            yield from _free_names(place.node)


def _names_deleted(seen: Survey, edits: Sequence[Edit]) -> Iterator[str]:
    """The names in statements that go as a whole."""
    for edit in edits:
        for found in seen.found.get(edit.span, ()) if not edit.after else ():
            yield from (node.id for node in ast.walk(found.place.statement) if isinstance(node, ast.Name))


def _free_names(node: ast.AST) -> Iterator[str]:
    """The names in an expression that could be a record: chains of attributes and calls, choices."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute | ast.NamedExpr | ast.Subscript):
        yield from _free_names(node.value)
    elif isinstance(node, ast.Call | ast.IfExp | ast.BoolOp | ast.Compare):
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                yield from _free_names(part)
