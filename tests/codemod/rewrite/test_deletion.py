"""Dead writes that are deleted: statements before and after, and those that are not deleted."""

from __future__ import annotations

import pytest

from ratchet.codemod.proof import prove
from ratchet.codemod.rewrite import rewrite
from ratchet.codemod.sites import Selection
from ratchet.model import Problem
from tests.codemod.parameters_of import STYLE
from tests.codemod.plan.shop import code, plan, told

ASKED = Selection(writes=True, delete_dead=True)
REST = "from shop.context import get_context\n"

DELETED = {
    "an override": (
        "def f():\n    get_settings().override('calm', timeout=1)\n    return 1\n",
        "def f():\n    return 1\n",
    ),
    "the only statement": (
        "def f():\n    get_settings().timeout = 1\n",
        "def f():\n    pass\n",
    ),
    "all statements": (
        "def f():\n    get_settings().timeout = 1\n    get_settings().retries = 2\n",
        "def f():\n    pass\n",
    ),
    "with the local it needed": (
        "def f():\n    s = get_settings()\n    s.timeout = 1\n",
        "def f():\n    pass\n",
    ),
    "under a comment": (
        "def f(x):\n    # calm\n    get_settings().timeout = x  # now\n    return x\n",
        "def f(x):\n    # calm\n    return x\n",
    ),
    "augmented": ("def f():\n    get_settings().timeout += 1\n    return 1\n", "def f():\n    return 1\n"),
    "in a branch": (
        "def f(x):\n    if x:\n        get_settings().timeout = x\n    return x\n",
        "def f(x):\n    if x:\n        pass\n    return x\n",
    ),
    "setattr": (
        "def f():\n    setattr(get_settings(), 'timeout', 1)\n    return 1\n",
        "def f():\n    return 1\n",
    ),
}

REFUSED = {
    "a call": ("def f(g):\n    get_settings().timeout = g()\n", "not-a-statement"),
    "a call in an override": (
        "def f(g):\n    get_settings().override('calm', timeout=g())\n",
        "not-a-statement",
    ),
    "a value that is only for it": (
        "def f(g):\n    x = g()\n    get_settings().timeout = x\n",
        "not-a-statement",
    ),
    "several targets": ("def f():\n    x = get_settings().timeout = 1\n    return x\n", "not-a-statement"),
    "a comment": (
        "def f():\n    get_settings().override(\n        'calm',\n        # why\n        timeout=1,\n    )\n",
        "comment-inside",
    ),
}


@pytest.mark.parametrize(("text", "expected"), DELETED.values(), ids=DELETED)
def test_deleted(text: str, expected: str) -> None:
    files = {"a.py": code(text)}
    edits = plan(files, ASKED).edits
    assert {edit.after for edit in edits} == {""}
    outcome = rewrite("a.py", files["a.py"].encode(), edits, STYLE)
    assert not isinstance(outcome, Problem)
    assert outcome.rewritten is not None
    assert outcome.rewritten.new.decode() == REST + expected
    assert prove(outcome.rewritten, STYLE) == ()


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, reason: str) -> None:
    files = {"a.py": code(text)}
    outcome = rewrite("a.py", files["a.py"].encode(), plan(files, ASKED).edits, STYLE)
    assert not isinstance(outcome, Problem)
    assert (outcome.rewritten, [skip.reason for skip in outcome.skips]) == (None, [reason])


def test_only_on_request() -> None:
    files = {"a.py": code("def f():\n    get_settings().timeout = 1\n")}
    (edit,) = plan(files, Selection(writes=True)).edits
    assert (edit.after, "--delete-dead" in edit.note) == ('get_context().override("a.f")', True)


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param("from shop.context import get_net\ndef r():\n    return get_net().timeout\n", id="bag"),
        pytest.param("def r():\n    return get_settings().timeout\n", id="record"),
        pytest.param("def r(settings):\n    return settings.timeout\n", id="handed"),
    ],
)
def test_a_write_that_something_reads_is_moved(reader: str) -> None:
    files = {"a.py": code("def f():\n    get_settings().timeout = 1\n"), "b.py": code(reader)}
    assert [edit.after for edit in plan(files, ASKED).edits if edit.path == "a.py"] == [
        'get_context().override("a.f")'
    ]


def test_a_call_that_writes_a_read_field_too_is_moved() -> None:
    text = "def f():\n    get_settings().override('calm', timeout=1, retries=2)\n"
    files = {"a.py": code(text), "b.py": code("def r():\n    return get_settings().retries\n")}
    assert told(plan(files, ASKED)) == [
        "get_settings().override(timeout) -> get_context().override('calm')",
        "get_settings().override(retries) -> get_context().override('calm')",
        "get_settings().retries -> get_net().retries",
    ]
