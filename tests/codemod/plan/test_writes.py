"""Writes, and who owns a field: what moves together, what holds what, and what is left behind."""

from __future__ import annotations

import pytest

from ratchet.codemod.model import Refusal
from ratchet.codemod.sites import Selection
from tests.codemod.plan.shop import code, decided, plan, told

DEAD = "nothing reads the field on either store: the write is dead, --delete-dead deletes it"
CALL = 'get_context().override("example.f")'
READER = "def r():\n    return get_settings().timeout\n"
NET = "get_settings().timeout -> get_net().timeout"
HELD = "get_settings().timeout: owner-elsewhere"

MOVES = {
    "override": (
        "def f():\n    get_settings().override('calm', timeout=1)",
        ["get_settings().override(timeout) -> get_context().override('calm')"],
    ),
    "override with a named source": (
        "def f():\n    get_settings().override(source='calm', timeout=1)",
        ["get_settings().override(timeout) -> get_context().override('calm')"],
    ),
    "override without a source": (
        "def f():\n    get_settings().override(timeout=1)",
        [f"get_settings().override(timeout) -> {CALL}"],
    ),
    "override by a literal dict": (
        "def f():\n    get_settings().override('calm', **{'timeout': 1})",
        ["get_settings().override(timeout) -> get_context().override('calm')"],
    ),
    "override of two fields": (
        "def f():\n    get_settings().override('calm', timeout=1, retries=2)",
        [
            "get_settings().override(timeout) -> get_context().override('calm')",
            "get_settings().override(retries) -> get_context().override('calm')",
        ],
    ),
    "store": (
        "def f():\n    get_settings().timeout = 1",
        [f"get_settings().timeout -> {CALL}"],
    ),
    "store in a method": (
        "class A:\n    def f(self):\n        self.settings.timeout = 1",
        [f"self.settings.timeout -> {CALL}"],
    ),
    "augmented store": (
        "def f():\n    get_settings().timeout += 1",
        [f"get_settings().timeout -> {CALL}"],
    ),
    "store of a list": ("def f():\n    get_settings().hosts = []", [f"get_settings().hosts -> {CALL}"]),
    "annotated store": (
        "def f():\n    s = get_settings()\n    s.timeout: int = 1",
        [f"s.timeout -> {CALL}"],
    ),
    "several targets": (
        "def f():\n    s = get_settings()\n    a = s.timeout = 1\n    return a",
        [f"s.timeout -> {CALL}"],
    ),
    "literal setattr": (
        "def f():\n    setattr(get_settings(), 'timeout', 1)",
        [f"setattr(get_settings(), 'timeout') -> {CALL}"],
    ),
    "object's setattr": (
        "def f():\n    object.__setattr__(get_settings(), 'timeout', 1)",
        [f"object.__setattr__(get_settings(), 'timeout') -> {CALL}"],
    ),
    "on a parameter": (
        "def f(settings):\n    settings.override('calm', timeout=1)",
        ["settings.override(timeout) -> get_context().override('calm')"],
    ),
    "on another object's record": (
        "def f(worker):\n    worker.settings.override('calm', timeout=1)",
        ["worker.settings.override(timeout) -> get_context().override('calm')"],
    ),
}

STAYS = {
    "tuple target": (
        "def f():\n    get_settings().timeout, a = 1, 2",
        ["get_settings().timeout: not-a-statement"],
    ),
    "loop target": (
        "def f():\n    for get_settings().timeout in range(3):\n        pass",
        ["get_settings().timeout: not-a-statement"],
    ),
    "with target": (
        "def f(g):\n    with g() as get_settings().timeout:\n        pass",
        ["get_settings().timeout: not-a-statement"],
    ),
    "override as a value": (
        "def f():\n    return get_settings().override('calm', timeout=1)",
        ["get_settings().override(timeout): not-a-statement"],
    ),
    "deletion": ("def f():\n    del get_settings().timeout", ["get_settings().timeout: unsupported-form"]),
    "change in place": (
        "def f():\n    get_settings().hosts.append(1)",
        ["get_settings().hosts: unsupported-form"],
    ),
    "augmented list": (
        "def f(more):\n    get_settings().hosts += more",
        ["get_settings().hosts: unsupported-form"],
    ),
    "copy": (
        "import copy\ndef f():\n    s = copy.copy(get_settings())\n    s.timeout = 1",
        ["s.timeout: fork"],
    ),
    "replaced": (
        "import dataclasses\ndef f():\n    return dataclasses.replace(get_settings(), timeout=1)",
        ["dataclasses.replace(get_settings(), timeout): fork"],
    ),
    "constructed": (
        "from shop.settings import Settings\ndef f():\n    s = Settings()\n    s.timeout = 1",
        ["s.timeout: unpublished-process"],
    ),
    "computed": (
        "def f(**given):\n    get_settings().override('calm', **given)",
        ["get_settings().override(*): computed-name"],
    ),
    "setattr by a variable": (
        "def f(name):\n    setattr(get_settings(), name, 1)",
        ["setattr(get_settings(), name): computed-name"],
    ),
    "live": (
        "def f():\n    get_settings().override('calm', port=1)",
        ["get_settings().override(port): live-shadowed"],
    ),
    "without a namespace": (
        "def f():\n    get_settings().override('calm', region=1)",
        ["get_settings().override(region): no-namespace"],
    ),
    "of each worker": (
        "def f():\n    get_settings().override('calm', locale=1)",
        ["get_settings().override(locale): fork"],
    ),
    "import time": ("get_settings().timeout = 1", ["get_settings().timeout: import-time"]),
    "optional injection": (
        "def f(settings=None):\n    settings = settings or get_settings()\n    settings.timeout = 1",
        ["settings.timeout: optional-injection"],
    ),
    "beside a field that stays": (
        "def f():\n    get_settings().override('calm', region=1, timeout=2)",
        [
            "get_settings().override(region): no-namespace",
            "get_settings().override(timeout): owner-elsewhere",
        ],
    ),
}


@pytest.mark.parametrize(("text", "expected"), MOVES.values(), ids=MOVES)
def test_moves(text: str, expected: list[str]) -> None:
    assert decided(text, "writes") == expected


@pytest.mark.parametrize(("text", "expected"), STAYS.values(), ids=STAYS)
def test_stays(text: str, expected: list[str]) -> None:
    assert decided(text, "writes") == expected


@pytest.mark.parametrize(("text", "_moved"), MOVES.values(), ids=MOVES)
def test_nothing_is_written_unasked(text: str, _moved: list[str]) -> None:
    assert {line.rpartition(": ")[2] for line in decided(text)} == {"owner-elsewhere"}


# Who owns a field

WRITER = "def f():\n    get_settings().override('calm', timeout=1)\n"
WRITTEN = "get_settings().override(timeout) -> get_context().override('calm')"

OWNERS = {
    "no writer": ({"a.py": READER}, "", [NET]),
    "a writer": (
        {"a.py": READER, "w.py": WRITER},
        "",
        [HELD, "get_settings().override(timeout): owner-elsewhere"],
    ),
    "a writer that moves": ({"a.py": READER, "w.py": WRITER}, "writes", [NET, WRITTEN]),
    "a writer of another field": (
        {"a.py": READER, "w.py": WRITER.replace("timeout", "retries")},
        "",
        [NET, "get_settings().override(retries): owner-elsewhere"],
    ),
    "a writer in the pipeline": ({"a.py": READER, "pipeline/w.py": WRITER}, "", [NET]),
    "a writer in a boundary": (
        {"a.py": READER, "engines/w.py": WRITER},
        "writes",
        [HELD, "get_settings().override(timeout): boundary"],
    ),
    "a writer with a record of its own": (
        {"a.py": READER, "desks/w.py": WRITER},
        "writes",
        [NET, "get_settings().override(timeout): boundary"],
    ),
    "a writer where nothing is published": (
        {"a.py": READER, "tools/w.py": WRITER},
        "",
        [NET, "get_settings().override(timeout): unpublished-process"],
    ),
    "a writer of a computed name": (
        {"a.py": READER, "w.py": "def f(**given):\n    get_settings().override('calm', **given)\n"},
        "",
        [NET, "get_settings().override(*): computed-name"],
    ),
    "a writer on a copy": (
        {
            "a.py": READER,
            "w.py": "import copy\ndef f():\n    s = copy.copy(get_settings())\n    s.timeout = 1\n",
        },
        "writes",
        [HELD, "s.timeout: fork"],
    ),
    "one of two writers stays": (
        {"a.py": READER, "engines/w.py": WRITER, "w.py": WRITER},
        "writes",
        [
            HELD,
            "get_settings().override(timeout): boundary",
            "get_settings().override(timeout): owner-elsewhere",
        ],
    ),
    "a change in place": (
        {
            "a.py": READER.replace("timeout", "hosts"),
            "w.py": "def f():\n    get_settings().hosts.append(1)\n",
        },
        "writes",
        ["get_settings().hosts: owner-elsewhere", "get_settings().hosts: unsupported-form"],
    ),
    "a writer beside one that stays": (
        {
            "a.py": READER,
            "b.py": "def f():\n    get_settings().override('x', timeout=1, retries=2)\n",
            "c.py": "def f():\n    get_settings().override('y', retries=2, region=3)\n",
        },
        "writes",
        [
            HELD,
            "get_settings().override(timeout): owner-elsewhere",
            "get_settings().override(retries): owner-elsewhere",
            "get_settings().override(retries): owner-elsewhere",
            "get_settings().override(region): no-namespace",
        ],
    ),
    "chains come along": (
        {"a.py": "def r(worker):\n    return worker.settings.timeout\n", "w.py": WRITER},
        "writes",
        ["worker.settings.timeout -> get_net().timeout", WRITTEN],
    ),
    "chains of other fields do not": (
        {"a.py": "def r(worker):\n    return worker.settings.retries\n", "w.py": WRITER},
        "writes",
        ["worker.settings.retries: borrowed", WRITTEN],
    ),
    "handed parameters hold nothing": (
        {"a.py": "def r(settings):\n    return settings.timeout\n", "w.py": WRITER},
        "writes",
        ["settings.timeout: handed-parameter", WRITTEN],
    ),
}


@pytest.mark.parametrize(("files", "asked", "expected"), OWNERS.values(), ids=OWNERS)
def test_owners(files: dict[str, str], asked: str, expected: list[str]) -> None:
    tree = {path: code(text) for path, text in files.items()}
    assert told(plan(tree, Selection(writes=asked == "writes"))) == expected


def test_the_owners_are_listed() -> None:
    tree = {"a.py": code(READER), "engines/w.py": code(WRITER), "w.py": code(WRITER)}
    (held,) = (skip for skip in plan(tree).skips if skip.path == "a.py")
    assert held.detail == (
        "the record's own value is written by engines/w.py:3 (f: boundary); w.py:3 (f: owner-elsewhere)"
    )


def test_what_goes_stale_is_listed_beside_the_write() -> None:
    tree = {
        "a.py": code("def r(settings):\n    return settings.timeout\n"),
        "engines/b.py": code(READER),
        "w.py": code(WRITER),
    }
    (edit,) = plan(tree, Selection(writes=True)).edits
    assert edit.note == (
        "these reads stay on the record and go stale: a.py:3 (handed-parameter), engines/b.py:3 (boundary)"
    )


@pytest.mark.parametrize(
    ("readers", "note"),
    [
        pytest.param({}, DEAD, id="nobody"),
        pytest.param({"a.py": READER}, "", id="the-record"),
        pytest.param(
            {"a.py": "from shop.context import get_net\ndef r():\n    return get_net().timeout\n"},
            "",
            id="the-bag",
        ),
        pytest.param(
            {"a.py": "def r():\n    return vars(get_settings())\n"},
            DEAD,
            id="a-readback-of-everything",
        ),
    ],
)
def test_dead_writes_are_noted(readers: dict[str, str], note: str) -> None:
    tree = {path: code(text) for path, text in {**readers, "w.py": WRITER}.items()}
    edits = plan(tree, Selection(writes=True)).edits
    assert [edit.note for edit in edits if edit.path == "w.py"] == [note]


def test_computed_writes_are_counted_in_a_note() -> None:
    tree = {"w.py": code("def f(**given):\n    get_settings().override('calm', **given)\n")}
    assert plan(tree).notes == ("1 write computes the name of its field and holds none: w.py:3",)


def test_what_a_later_stage_refuses_takes_its_company_along() -> None:
    tree = {"a.py": code(READER), "w.py": code(WRITER)}
    first = plan(tree, Selection(writes=True))
    write = next(edit for edit in first.edits if edit.operation == "write")
    again = plan(tree, Selection(writes=True), refused={write.id: Refusal("comment-inside", "a comment")})
    assert told(again) == [HELD, "get_settings().override(timeout): comment-inside"]


def test_a_reader_that_cannot_be_rewritten_holds_its_field() -> None:
    other = "def other():\n    return get_settings().timeout, get_settings().retries\n"
    tree = {"a.py": code(READER), "b.py": code(other), "w.py": code(WRITER)}
    first = plan(tree, Selection(writes=True))
    reader = next(edit for edit in first.edits if edit.path == "a.py")
    again = plan(tree, Selection(writes=True), refused={reader.id: Refusal("comment-inside", "a comment")})
    assert told(again) == [
        "get_settings().timeout: comment-inside",
        HELD,
        "get_settings().retries -> get_net().retries",
        "get_settings().override(timeout): owner-elsewhere",
    ]
    (write,) = (skip for skip in again.skips if skip.path == "w.py")
    assert "a.py:3" in write.detail


def test_a_write_whose_reader_is_not_selected_stays() -> None:
    tree = {"a.py": code(READER), "w.py": code(WRITER)}
    assert told(plan(tree, Selection(paths=("w.py",), writes=True))) == [
        "get_settings().override(timeout): owner-elsewhere"
    ]


def test_a_reader_whose_writer_is_not_selected_stays() -> None:
    tree = {"a.py": code(READER), "w.py": code(WRITER)}
    assert told(plan(tree, Selection(paths=("a.py",), writes=True))) == [HELD]


def test_an_augmented_store_says_how_the_field_is_read() -> None:
    tree = {"w.py": code("def f():\n    get_settings().timeout += 1\n")}
    (edit,) = plan(tree, Selection(writes=True)).edits
    assert edit.reading_accessor is not None
    assert (edit.reading, edit.reading_accessor.module) == ("get_net().timeout", "shop.context")
