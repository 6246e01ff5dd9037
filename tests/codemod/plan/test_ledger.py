"""The ledger: ids that last, totals that agree with the count, and what it tells of one site."""

from __future__ import annotations

import pytest

from ratchet.codemod.ledger import entries_of, find, reasons_of, told, totals
from ratchet.codemod.model import Plan
from ratchet.codemod.sites import Selection
from ratchet.errors import UsageError
from tests.codemod.plan.shop import code, plan

TREE = {
    "a.py": code(
        "def f():\n    return get_settings().timeout + get_settings().timeout\n"
        "def g(settings):\n    return settings.accent, settings.port, settings.region\n"
    ),
    "engines/b.py": code("def f():\n    return get_settings().retries\n"),
}


def ids(found: Plan) -> dict[str, str]:
    return {entry.id: f"{entry.path} {entry.scope} {entry.before}" for entry in entries_of(found)}


def test_every_site_is_there_once() -> None:
    found = plan(TREE)
    assert len(ids(found)) == len(found.edits) + len(found.skips) == 6


def test_ids_survive_lines_that_shift() -> None:
    shifted = {path: "# one\n# more\n" + text for path, text in TREE.items()}
    assert ids(plan(shifted)) == ids(plan(TREE))


def test_ids_do_not_depend_on_what_is_asked() -> None:
    assert ids(plan(TREE, Selection(writes=True, parameters=True, chains=True))) == ids(plan(TREE))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("a.py", "def f", "def h"), id="scope"),
        pytest.param(("a.py", "settings.accent", "settings.theme"), id="field"),
    ],
)
def test_ids_change_with_what_they_stand_for(change: tuple[str, str, str]) -> None:
    path, old, new = change
    assert set(ids(plan({**TREE, path: TREE[path].replace(old, new)}))) != set(ids(plan(TREE)))


def test_totals() -> None:
    assert totals(plan(TREE)) == {"": 1, "net": 4, "ui.colors": 1}


def test_reasons_come_by_frequency() -> None:
    assert list(reasons_of(plan(TREE).skips).items()) == [
        ("boundary", 1),
        ("handed-parameter", 1),
        ("live-shadowed", 1),
        ("no-namespace", 1),
    ]


def test_what_is_told_of_a_skip() -> None:
    found = plan(TREE)
    skip = next(skip for skip in found.skips if skip.reason == "boundary")
    assert told(find(found, skip.id)) == (
        f"{skip.id}  engines/b.py:3:12",
        "  get_settings().retries",
        "  read of net.retries, global, in f",
        "  stays: boundary: engines share a process",
        "  The pack declares that the record stays here, and says why.",
    )


def test_what_is_told_of_an_edit() -> None:
    found = plan({"a.py": code("def f():\n    return getattr(get_settings(), 'timeout', 3)\n")})
    edit = found.edits[0]
    assert told(find(found, edit.id[:6])) == (
        f"{edit.id}  a.py:3:12",
        "  getattr(get_settings(), 'timeout', 3)",
        "  read of net.timeout, global, in f",
        "  moves: get_net().timeout, from shop.context",
        "  note: the default is dropped: the schema has the field",
    )


@pytest.mark.parametrize("id", ["", "zzzzzz"])
def test_an_id_of_no_site(id: str) -> None:
    with pytest.raises(UsageError, match="no site has the id"):
        find(plan(TREE), id)


def test_an_id_that_is_too_short() -> None:
    many = plan({"a.py": code("def f():\n" + "    get_settings().timeout\n" * 40)})
    first = max((entry.id[0] for entry in many.edits), key=[e.id[0] for e in many.edits].count)
    with pytest.raises(UsageError, match=f"sites have ids that begin with {first}: give more of it"):
        find(many, first)
