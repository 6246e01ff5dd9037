"""A wrong rewrite that every proof lets pass is caught by the type check alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from ratchet.checking.migration import Migration, Request, plan_migration, scan_tree, subject_of
from ratchet.checking.rewriting import Workbench
from ratchet.checking.typechecking import checker_of
from ratchet.codemod.plan import plan_tree
from ratchet.codemod.proof import prove
from ratchet.frozen import replace
from ratchet.session import Options, Session, open_sessions
from ratchet.tree import Tree
from tests.cli.project import Project
from tests.codemod.write.shop import MENU, needs_checker

WRITER = '\n\ndef slow():\n    get_settings().override("slow", timeout=9)\n'


@pytest.fixture
def session(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    monkeypatch.chdir(project.folder)
    project.write("src/shop/menu.py", MENU + WRITER)
    with open_sessions(Options(jobs=1)) as sessions:
        yield sessions[0]


def fields(tree: Tree) -> Tree:
    """The schema gives `retries` to another namespace."""
    known = tree.schema.fields
    wrong = {**known, "retries": replace(known["retries"], namespace="ui")}
    return replace(tree, schema=replace(tree.schema, fields=wrong))


def accessors(tree: Tree) -> Tree:
    """The pack takes the accessor of one namespace for that of another."""
    net, ui = tree.pack.namespaces
    wrong = (replace(net, accessor=ui.accessor), ui)
    return replace(tree, pack=replace(tree.pack, namespaces=wrong))


def unknown(tree: Tree) -> Tree:
    """The pack names an accessor that there is not."""
    net, ui = tree.pack.namespaces
    return replace(
        tree, pack=replace(tree.pack, namespaces=(replace(net, accessor="shop.context.get_nets"), ui))
    )


def refused(session: Session, corrupt: Callable[[Tree], Tree]) -> list[str]:
    """What the type check says of a plan whose map is corrupted after the stubs were made; proofs hold."""
    request = Request(everything=True, writes=True)
    right = plan_migration(session, request)
    with checker_of(right.tree) as checker:
        tree = corrupt(right.tree)
        plan = plan_tree(subject_of(tree, scan_tree(session, tree)), right.selection)
        bench = Workbench(session, Migration(tree, right.selection, plan, (), right.census))
        files = bench.rewrite()
        assert [problem for file in files for problem in prove(file, bench.style)] == []
        refusals = checker.objections(files).edits
    assert {refusal.reason for refusal in refusals.values()} <= {"type-error"}
    return sorted(edit.after for edit in bench.edits if edit.id in refusals and edit.operation == "read")


@needs_checker
def test_the_right_map(session: Session) -> None:
    assert refused(session, lambda tree: tree) == []


@needs_checker
@pytest.mark.parametrize(
    ("corrupt", "expected"),
    [
        pytest.param(fields, ["get_ui().retries"], id="field"),
        pytest.param(accessors, ["get_ui().retries", "get_ui().timeout"], id="accessor"),
        pytest.param(unknown, ["get_nets().retries", "get_nets().timeout"], id="unknown"),
    ],
)
def test_a_wrong_map_is_caught(
    session: Session, corrupt: Callable[[Tree], Tree], expected: list[str]
) -> None:
    assert refused(session, corrupt) == expected
