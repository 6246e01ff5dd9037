"""What the planner would write at a site, as lines before and after."""

from __future__ import annotations

from collections.abc import Sequence

from ratchet.codemod.model import Edit
from ratchet.page.model import Proposal

_EXPRESSION = "the expression alone: its place in the line is left to the migration"
_CALL = "a write: the migration takes its value over from the file"
_GONE = "the statement is deleted: what it writes is read nowhere"


def propose(edit: Edit, lines: Sequence[str]) -> Proposal:
    """What an edit makes of the lines of its file; imports, and names that a file uses, are left out.

    A read is put into its lines where the text at its place is the code that the plan knows. Of a write the
    call is shown, for only the rewriter sees the whole statement.
    """
    span = edit.span
    if edit.operation != "read":
        if not edit.after:
            return Proposal(span.line, (edit.before,), (), _GONE)
        return Proposal(span.line, (edit.before,), (_with_field(edit),), _CALL)
    old = tuple(lines[span.line - 1 : span.end_line])
    if len(old) != span.end_line - span.line + 1:
        return Proposal(span.line, (edit.before,), (edit.after,), _EXPRESSION)
    head, tail = old[0][: span.column - 1], old[-1][span.end_column - 1 :]
    replaced = "\n".join(old)[len(head) : len("\n".join(old)) - len(tail)]
    if _squeezed(replaced) != _squeezed(edit.before):
        return Proposal(span.line, (edit.before,), (edit.after,), _EXPRESSION)
    return Proposal(span.line, old, tuple(f"{head}{edit.after}{tail}".split("\n")))


def _with_field(edit: Edit) -> str:
    """The override call with its field; the value stands for itself."""
    comma = "" if edit.after.endswith("()") else ", "
    return f"{edit.after[:-1]}{comma}{edit.field}=…)" if edit.after.endswith(")") else edit.after


def _squeezed(code: str) -> str:
    """Code without what a formatter may change."""
    return "".join(code.split()).replace("'", '"')
