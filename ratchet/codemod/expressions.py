"""Expressions replaced where they stand; as much of their text as is the same in both stays."""

from __future__ import annotations

import ast
import re

from ratchet.codemod.imports import Spelling
from ratchet.codemod.model import Accessor, Refusal
from ratchet.codemod.splice import Splice
from ratchet.codemod.survey import Found
from ratchet.syntax.document import Document

_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.JoinedStr)
_PURE = frozenset({"getattr", "hasattr", "vars", "cast"})
_TRIVIA = re.compile(r"(?:\s|\\\r?\n|#[^\r\n]*)*")
_CLOSING = re.compile(r"(?:(?:\s|\\\r?\n|#[^\r\n]*)*\))*")
_DEBUG = re.compile(r"[\s)]*=\s*(?=[!:}])")


def replace_expression(
    document: Document, found: Found, after: str, accessor: Accessor, spelling: Spelling
) -> list[Splice] | Refusal:
    """Return the splices that put `after` in an expression's place, its accessor called as the file does."""
    new = ast.parse(after, mode="eval").body
    whole = found.node
    assert isinstance(whole, ast.expr), "a read or a call, never a statement"
    old = whole
    if isinstance(old, ast.Call) and isinstance(new, ast.Call) and isinstance(old.func, ast.Attribute):
        old, new = old.func, new.func  # an override call: its arguments stay
    while isinstance(old, ast.Attribute) and isinstance(new, ast.Attribute) and old.attr == new.attr:
        old, new = old.value, new.value
    start, end = document.start(found.node), _with_parentheses(document, whole, old)
    text = document.text[start:end]
    code = spelled(ast.get_source_segment(after, new) or after, accessor, spelling)
    refusal = _unsafe(found, old, text, code)
    if refusal is not None:
        return refusal
    if not isinstance(new, _PRIMARY) and old is found.node and found.parents and not _is_argument(found):
        code = f"({code})"
    code = " " * document.text[start - 1 : start].isidentifier() * (start > 0) + code
    code += " " * (code[-1].isidentifier() and document.text[end : end + 1].isidentifier())
    debug = [part for part in found.parents if isinstance(part, ast.FormattedValue)][-1:]
    return [Splice(start, end, code), *printed(document, debug)]


def spelled(code: str, accessor: Accessor, spelling: Spelling) -> str:
    """Return an expression's code with the accessor's own name replaced by what the file calls it."""
    names = [
        node.col_offset
        for node in ast.walk(ast.parse(code, mode="eval"))
        if isinstance(node, ast.Name) and node.id == accessor.name
    ]
    for offset in sorted(names, reverse=True):
        code = code[:offset] + spelling.text + code[offset + len(accessor.name) :]
    return code


def _with_parentheses(document: Document, whole: ast.expr, part: ast.expr) -> int:
    """The offset behind the part with which an expression starts, and behind the parentheses around that."""
    end = document.end(part)
    if part is whole:
        return end
    closing = _CLOSING.match(document.text, end)
    return closing.end() if closing else end


def _unsafe(found: Found, old: ast.expr, text: str, code: str) -> Refusal | None:
    if "#" in text and _has_comment(text):
        return Refusal("comment-inside", "a comment stands inside of the text that would be replaced")
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) for node in ast.walk(old)):
        return Refusal("uncertain-text", "the record is awaited or yielded in the expression itself")
    called = next(filter(_does_more, ast.walk(old)), None)
    if called is not None:
        return Refusal("uncertain-text", f"`{ast.unparse(called)}` may do more than to give the record")
    if isinstance(old, ast.Call) and any(
        isinstance(node, ast.Call) for part in old.args[2:] for node in ast.walk(part)
    ):
        return Refusal("uncertain-text", "the default that would be dropped calls something")
    if any(isinstance(part, ast.JoinedStr) for part in found.parents):
        # Before Python 3.12 the parser guesses where the parts of an f-string stand.
        if not _reads_as(text, old):
            return Refusal("uncertain-text", "where it stands in the f-string cannot be told for certain")
        if re.search(r"['\"\\{}\n]", code):
            return Refusal("uncertain-text", "what it becomes cannot be written inside of an f-string")
    return None


def _does_more(node: ast.AST) -> bool:
    """Whether a call is given something: a getter without arguments is taken for what only returns."""
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return False
    return not (isinstance(node.func, ast.Name | ast.Attribute) and _last_name(node.func) in _PURE)


def _last_name(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _has_comment(text: str) -> bool:
    import io
    import tokenize

    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline))
    except (tokenize.TokenError, SyntaxError):
        return True
    return any(token.type == tokenize.COMMENT for token in tokens)


def _reads_as(text: str, node: ast.expr) -> bool:
    try:
        return ast.dump(ast.parse(f"({text}\n)", mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError):
        return False


def _is_argument(found: Found) -> bool:
    parent = found.parents[-1]
    return isinstance(parent, ast.keyword) or (isinstance(parent, ast.Call) and parent.func is not found.node)


def printed(document: Document, fields: list[ast.FormattedValue]) -> list[Splice]:
    """The text that `f"{x=}"` prints of its expression, written out, since the expression becomes another."""
    if not fields:
        return []
    text, value = document.text, fields[0].value
    end = document.end(value)
    equals = _DEBUG.match(text, end)
    if not equals:
        return []
    brace = text.rindex("{", 0, document.start(value))
    shown = text[brace + 1 : equals.end()].replace("{", "{{").replace("}", "}}")
    bare = text[equals.end()] == "}"
    at = len(text[: text.index("=", end)].rstrip())
    return [Splice(brace, brace, shown), Splice(at, equals.end(), "!r" if bare else "")]
