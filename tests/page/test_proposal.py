"""What is proposed at a site: whole lines where the text is known, else the expression, and never a guess."""

from __future__ import annotations

import pytest

from ratchet.codemod.model import Accessor, Edit
from ratchet.model import Operation, Span
from ratchet.page.proposal import propose


def edit(span: tuple[int, int, int, int], before: str, after: str, operation: Operation = "read") -> Edit:
    """An edit of the field `port`."""
    return Edit(
        "1",
        "a.py",
        Span(*span),
        "f",
        operation,
        "global",
        "port",
        "net",
        before,
        after,
        Accessor("shop.context", "get_net"),
    )


@pytest.mark.parametrize(
    ("text", "planned", "old", "new", "note"),
    [
        pytest.param(
            "x = get().port + 1",
            edit((1, 5, 1, 15), "get().port", "get_net().port"),
            ("x = get().port + 1",),
            ("x = get_net().port + 1",),
            "",
            id="in-a-line",
        ),
        pytest.param(
            'x = [\n    getattr(\n        get(), "port"\n    ), 1]',
            edit((2, 5, 4, 6), "getattr(get(), 'port')", "get_net().port"),
            ("    getattr(", '        get(), "port"', "    ), 1]"),
            ("    get_net().port, 1]",),
            "",
            id="over-lines",
        ),
        pytest.param(
            'x = "é", get().port',
            edit((1, 10, 1, 20), "get().port", "get_net().port"),
            ('x = "é", get().port',),
            ('x = "é", get_net().port',),
            "",
            id="columns-are-characters",
        ),
        pytest.param(
            "x = f'{get().port}'",
            edit((1, 1, 1, 11), "get().port", "get_net().port"),
            ("get().port",),
            ("get_net().port",),
            "the expression alone: its place in the line is left to the migration",
            id="another-text-at-its-place",
        ),
        pytest.param(
            "",
            edit((7, 5, 7, 15), "get().port", "get_net().port"),
            ("get().port",),
            ("get_net().port",),
            "the expression alone: its place in the line is left to the migration",
            id="no-such-line",
        ),
        pytest.param(
            "get().port = 9",
            edit((1, 1, 1, 11), "get().port", 'context().override("a.f")', "write"),
            ("get().port",),
            ('context().override("a.f", port=…)',),
            "a write: the migration takes its value over from the file",
            id="write",
        ),
        pytest.param(
            "get().port = 9",
            edit((1, 1, 1, 11), "get().port", "context().override()", "write"),
            ("get().port",),
            ("context().override(port=…)",),
            "a write: the migration takes its value over from the file",
            id="write-without-a-source",
        ),
        pytest.param(
            "get().port = 9",
            edit((1, 1, 1, 11), "get().port", "", "write"),
            ("get().port",),
            (),
            "the statement is deleted: what it writes is read nowhere",
            id="dead-write",
        ),
    ],
)
def test_proposals(text: str, planned: Edit, old: tuple[str, ...], new: tuple[str, ...], note: str) -> None:
    proposal = propose(planned, text.split("\n"))
    assert (proposal.line, proposal.old, proposal.new, proposal.note) == (planned.span.line, old, new, note)
