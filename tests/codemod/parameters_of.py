"""Small trees whose handed parameters move, in memory: what becomes of the files, and what stays and why."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from ratchet.codemod.families import Families
from ratchet.codemod.model import Drop, Edit, Parameter, Rewritten
from ratchet.codemod.parameters import Dead, dead_parameters, settle_parameters
from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.sites import Selection
from ratchet.codemod.style import Style
from ratchet.model import Problem
from ratchet.syntax.document import read_document
from tests.codemod.plan.shop import PACK, plan

STYLE = Style(PACK.package, frozenset(("shop.context.get_settings",)))
NET = "from shop.context import get_net\n"


def tree_of(files: Mapping[str, str]) -> dict[str, str]:
    """The files of a table: without their common indentation."""
    return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}


def moved(files: Mapping[str, str]) -> tuple[dict[str, str], tuple[Parameter, ...]]:
    """The files of a tree after a run with handed parameters, every one proved, and the dead parameters."""
    edits = plan(files, Selection(parameters=True)).edits
    families = Families(list(files), lambda path: files[path].encode(), STYLE)
    parameters: tuple[Parameter, ...] = ()
    while True:
        drops = [drop for parameter in parameters for drop in parameter.drops]
        rewritten = [one for path in files if (one := made(path, files[path], edits, drops)) is not None]
        dead = {one for item in rewritten for one in dead_in(item)}
        again = settle_parameters(sorted(dead), rewritten, families)
        if again == parameters:
            break
        parameters = again
    assert [problem for item in rewritten for problem in prove(item, STYLE)] == []
    return {**files, **{item.path: item.new.decode() for item in rewritten}}, parameters


def dead_in(item: Rewritten) -> frozenset[Dead]:
    """The parameters that one file leaves dead."""
    before, after = (read_document(item.path, data) for data in (item.old, item.new))
    return dead_parameters(item, before, after, PACK.package)


def made(path: str, text: str, edits: tuple[Edit, ...], drops: list[Drop]) -> Rewritten | None:
    """One file rewritten; None where nothing in it changes."""
    own = [edit for edit in edits if edit.path == path]
    outcome = rewrite(path, text.encode(), own, STYLE, [drop for drop in drops if drop.path == path])
    assert not isinstance(outcome, Problem)
    assert outcome.skips == ()
    return outcome.rewritten
