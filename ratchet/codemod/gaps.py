"""Texts that the tree of a document leaves out, found again in another document as complete statements.

Where a text is complete statements of one block, it is the same statements wherever a block of that
indentation has it on lines of its own: the parser knows nothing else of it. So a tree in which a function
stands for such a text is the tree of the whole, but for these statements.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ratchet.codemod.shapes import begin
from ratchet.syntax.document import Document


def is_gap(document: Document, node: ast.stmt) -> bool:
    """Whether a statement stands for a text that was left out."""
    return bool(document.gaps) and isinstance(node, ast.FunctionDef) and node.lineno in document.gaps


def filled(old: Document, node: ast.stmt, new: Document, news: Sequence[ast.stmt]) -> int:
    """How many statements of the new text, from the first of `news` on, are the text that a gap leaves out.

    0 where it is not there, where it does not begin and end with statements, and where more follows on its
    last line.
    """
    start, end = old.gaps[node.lineno]
    whole = old.text[start:end]
    if not news:
        return 0
    begins = begin(new, news[0])
    first = new.line_start(begins)
    is_alone = new.text[first:begins].strip() in ("", "@")
    if not is_alone or not new.text.startswith(whole, first):
        return 0
    count, last = 0, first + len(whole)
    while count < len(news) and begin(new, news[count]) < last:
        count += 1
    ends = new.end(news[count - 1]) if count else last + 1
    rest = new.text[ends:last].splitlines()
    is_complete = ends <= last and all(not line.strip() or line.lstrip().startswith("#") for line in rest)
    return count if is_complete else 0
