"""A rule's own replacement put in the place of an expression; text that stands in both is kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from ratchet.analysis.lines import Lines
from ratchet.codemod.expressions import printed
from ratchet.codemod.imports import Spelling
from ratchet.codemod.model import Accessor, Edit, Refusal
from ratchet.codemod.splice import Splice
from ratchet.codemod.survey import Found
from ratchet.syntax.document import Document

_ATOMS = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.Set,
    ast.JoinedStr, ast.ListComp, ast.SetComp, ast.DictComp,
)  # fmt: skip
_BARE_NOWHERE = (ast.Tuple, ast.NamedExpr, ast.GeneratorExp, ast.Yield, ast.YieldFrom, ast.Starred)
_DELIMITING = (ast.keyword, ast.List, ast.Set, ast.Dict)


def replaced(document: Document, found: Found, code: str) -> list[Splice] | Refusal:
    """Return the splices that put some code in an expression's place, in parentheses where it needs them."""
    if any(isinstance(part, ast.JoinedStr) for part in found.parents) and re.search(r"['\"\\{}\n]", code):
        return Refusal("uncertain-text", "what it becomes cannot be written inside of an f-string")
    start, end = document.start(found.node), document.end(found.node)
    if _is_expression(code) and _wants_parentheses(found, code):
        code = f"({code})"
    before, after = document.text[start - 1 : start] if start else "", document.text[end : end + 1]
    code = " " * (_is_letter(before) and _is_letter(code[0])) + code
    code += " " * (_is_letter(code[-1]) and _is_letter(after))
    debug = [part for part in found.parents if isinstance(part, ast.FormattedValue)][-1:]
    return [Splice(start, end, code), *printed(document, debug)]


def respelled(code: str, accessor: Accessor, spelling: Spelling) -> str:
    """Return some code with an accessor's own name replaced by what the file calls it."""
    if spelling.text == accessor.name:
        return code
    around = ("(", "\n)") if _is_expression(code) else ("", "")
    lines = Lines(text := code.join(around))
    names = [
        lines.starts[node.lineno - 1] + lines.column(node.lineno, node.col_offset) - 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id == accessor.name
    ]
    for offset in sorted(names, reverse=True):
        text = text[:offset] + spelling.text + text[offset + len(accessor.name) :]
    return text[len(around[0]) : len(text) - len(around[1])]


def gaps_between(start: int, end: int, kept: Iterable[tuple[int, int]]) -> list[Splice]:
    """The parts of a range that are not kept, as splices that take them out."""
    gaps = []
    for first, last in sorted(kept):
        gaps.append(Splice(start, max(start, first), ""))
        start = max(start, last)
    return [gap for gap in (*gaps, Splice(start, end, "")) if gap.start < gap.end]


def holders(edits: Iterable[Edit], refused: Iterable[Edit]) -> list[Edit]:
    """The edits whose new text has other edits in it that were refused: they cannot be made as planned."""
    gone = list(refused)
    return [
        edit
        for edit in edits
        if edit.uses is not None and any(other is not edit and _within(other, edit) for other in gone)
    ]


def _within(inner: Edit, outer: Edit) -> bool:
    first, last = (outer.span.line, outer.span.column), (outer.span.end_line, outer.span.end_column)
    return first <= (inner.span.line, inner.span.column) and (
        (inner.span.end_line, inner.span.end_column) <= last
    )


def _is_expression(code: str) -> bool:
    try:
        ast.parse(f"({code}\n)", mode="eval")
    except SyntaxError:
        return False
    return True


def _wants_parentheses(found: Found, code: str) -> bool:
    node = ast.parse(f"({code}\n)", mode="eval").body
    if "\n" in code and not _stands_alone(code):
        return True
    if isinstance(node, _BARE_NOWHERE):
        return not (code.startswith("(") and isinstance(node, ast.Tuple | ast.GeneratorExp))
    if isinstance(node, _ATOMS) or not found.parents:
        return isinstance(node, ast.Constant) and isinstance(node.value, int) and _is_base(found)
    parent = found.parents[-1]
    argument = isinstance(parent, ast.Call) and parent.func is not found.node
    return not (argument or isinstance(parent, _DELIMITING))


def _is_base(found: Found) -> bool:
    """Whether an attribute is taken of the expression: `1.real` would be read otherwise."""
    return bool(found.parents) and isinstance(found.parents[-1], ast.Attribute)


def _stands_alone(code: str) -> bool:
    try:
        ast.parse(code, mode="eval")
    except SyntaxError:
        return False
    return True


def _is_letter(text: str) -> bool:
    return bool(text) and (text.isalnum() or text == "_")
