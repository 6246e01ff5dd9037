"""What looks at a file lets go of its tree: whole trees of files are looked at while the collector rests."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from operator import attrgetter

import pytest

from ratchet.codemod.callsites import look
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite_document
from ratchet.codemod.rule_plan import RulePlanner
from ratchet.model import Codemod, NameMatch, Rule, Site
from ratchet.syntax.document import Document, read_document
from tests.codemod.rewrite.planning import EXAMPLE, STYLE, plan

TEXT = """\
from sglang.srt.runtime_context import get_server_args


class Engine:
    def __init__(self, server_args):
        self.server_args = server_args

    def step(self, size=1):
        rows = [get_server_args().dp_size for _ in range(size)]
        return rows, self.server_args.ep_size


def run(engine: Engine):
    return engine.step(size=2)
"""
DATA = TEXT.encode()
RULE = Rule(
    "the-rule",
    "call",
    NameMatch(("sglang.srt.runtime_context.get_server_args",)),
    "ratchet",
    "title",
    "why",
    "instead",
    "",
    own_codemod=Codemod(
        replace=(("sglang.srt.runtime_context.get_server_args", "sglang.srt.runtime_context.get_args()"),)
    ),
)


def rewrites(document: Document) -> None:
    made = rewrite_document(document, DATA, tuple(plan(EXAMPLE, TEXT)), STYLE).rewritten
    assert made is not None


def proves(document: Document) -> None:
    made = rewrite_document(document, DATA, tuple(plan(EXAMPLE, TEXT)), STYLE).rewritten
    assert made is not None
    assert prove(made, STYLE, old=document) == ()


def looks_for_calls(document: Document) -> None:
    assert look(document, {"step", "Engine"}, STYLE).mentions


def plans_for_a_rule(document: Document) -> None:
    access = next(edit for edit in plan(EXAMPLE, TEXT) if edit.before.startswith("get_server_args()"))
    call = document.span(document.tree.body[1].body[1].body[0].value.elt.value)  # type: ignore[attr-defined]
    site = Site(RULE.id, EXAMPLE, call, access.scope, "get_server_args()", None, None, None, None)
    planner = RulePlanner(RULE, "sglang", lambda _path, _scope: None, texts={"app.other": "other.py"})
    edits, skips = planner.plan(document, [site])
    assert edits, skips


@pytest.mark.parametrize(
    "looked", [rewrites, proves, looks_for_calls, plans_for_a_rule], ids=attrgetter("__name__")
)
def test_a_tree_is_let_go_without_the_collector(looked: Callable[[Document], None]) -> None:
    document = read_document(EXAMPLE, DATA)
    assert isinstance(document, Document)
    tree = weakref.ref(document.tree)
    gc.disable()
    try:
        looked(document)
        del document
        assert tree() is None
    finally:
        gc.enable()
