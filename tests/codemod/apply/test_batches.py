"""Plans cut into slices: every edit once, exact limits, a stable order; what belongs together stays so."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from ratchet.codemod.batches import BatchBy, cut
from ratchet.codemod.model import Accessor, Edit
from ratchet.errors import UsageError
from ratchet.model import Operation, Span

WORDS = (
    "a/x.py:1:dp:parallel a/x.py:2:ep:parallel a/y.py:1:moe:exec b/x.py:1:dp2:parallel b/z.py:5:size:memory"
)


def edit(word: str) -> Edit:
    """An edit out of `path:line:field:namespace`, with `!` before the field where it is a write."""
    path, line, field, namespace = word.split(":")
    operation: Operation = "write" if field.startswith("!") else "read"
    name = field.removeprefix("!").partition("~")[0]
    span = Span(int(line), 1, int(line), 9)
    accessor = Accessor("m", "get")
    before = f"sa.{field.removeprefix('!').replace('~', '')}"
    return Edit(word, path, span, "f", operation, "global", name, namespace, before, "get().x", accessor)


def sliced(words: str, by: BatchBy | None = None, **limits: int) -> list[str]:
    """The slices, each as its key and its edits."""
    made = cut([edit(word) for word in words.split()], by, lambda path: f"@{path[0]}", **limits)
    return [f"{batch.key or '-'} {batch.number}: {' '.join(_short(batch.edits))}" for batch in made]


def _short(edits: Sequence[Edit]) -> list[str]:
    return [f"{edit.path}:{edit.span.line}" for edit in edits]


@pytest.mark.parametrize(
    ("by", "limits", "slices"),
    [
        pytest.param(None, {}, ["- 1: a/x.py:1 a/x.py:2 a/y.py:1 b/x.py:1 b/z.py:5"], id="one"),
        pytest.param(
            "namespace",
            {},
            ["exec 1: a/y.py:1", "memory 1: b/z.py:5", "parallel 1: a/x.py:1 a/x.py:2 b/x.py:1"],
            id="namespace",
        ),
        pytest.param(
            "directory", {}, ["a 1: a/x.py:1 a/x.py:2 a/y.py:1", "b 1: b/x.py:1 b/z.py:5"], id="directory"
        ),
        pytest.param(
            "owner", {}, ["@a 1: a/x.py:1 a/x.py:2 a/y.py:1", "@b 1: b/x.py:1 b/z.py:5"], id="owner"
        ),
        pytest.param(
            None,
            {"max_sites": 2},
            ["- 1: a/x.py:1 a/x.py:2", "- 2: a/y.py:1 b/x.py:1", "- 3: b/z.py:5"],
            id="sites",
        ),
        pytest.param(
            None,
            {"max_sites": 1},
            ["- 1: a/x.py:1", "- 2: a/x.py:2", "- 3: a/y.py:1", "- 4: b/x.py:1", "- 5: b/z.py:5"],
            id="one-site",
        ),
        pytest.param(
            None, {"max_files": 2}, ["- 1: a/x.py:1 a/x.py:2 a/y.py:1", "- 2: b/x.py:1 b/z.py:5"], id="files"
        ),
        pytest.param(
            "directory",
            {"max_files": 1, "max_sites": 5},
            ["a 1: a/x.py:1 a/x.py:2", "a 2: a/y.py:1", "b 1: b/x.py:1", "b 2: b/z.py:5"],
            id="both",
        ),
    ],
)
def test_slices(by: BatchBy | None, limits: dict[str, int], slices: list[str]) -> None:
    assert sliced(WORDS, by, **limits) == slices


def test_a_file_is_divided_only_where_it_is_too_much() -> None:
    words = "a.py:1:x:n b.py:1:x1:n b.py:2:x2:n b.py:3:x3:n"
    assert sliced(words, max_sites=3) == ["- 1: a.py:1", "- 2: b.py:1 b.py:2 b.py:3"]
    assert sliced(words, max_sites=2) == ["- 1: a.py:1 b.py:1", "- 2: b.py:2 b.py:3"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("a.py:1:!x:n b.py:1:x:n c.py:1:x~2:n", id="readers-and-writers-of-a-field"),
        pytest.param("a.py:1:x:n a.py:1:y:n", id="one-statement"),
        pytest.param("a.py:1:x:n a.py:7:x:n", id="one-row-of-a-baseline"),
        pytest.param("a.py:1:!x:n a.py:1:!y:n b.py:1:x:n c.py:1:y:n", id="fields-of-one-statement"),
    ],
)
def test_what_belongs_together(words: str) -> None:
    count = len(words.split())
    assert len(sliced(words, max_sites=count)) == 1
    with pytest.raises(UsageError, match=f"{count} sites in . files? have to move together"):
        sliced(words, max_sites=count - 1)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("a.py:1:x:n b.py:1:x:n", id="readers-in-two-files"),
        pytest.param("a.py:1:x~1:n a.py:2:x~2:n", id="two-rows"),
    ],
)
def test_what_may_part(words: str) -> None:
    assert len(sliced(words, max_sites=1)) == 2


def test_the_order_of_the_plan_does_not_matter() -> None:
    fields = ("x~", "y~", "!z~")
    words = [f"{path}:{line}:{fields[line % 3]}{line}:n" for path in "abc" for line in range(30)]
    expected = sliced(" ".join(words), max_sites=40)
    for seed in range(5):
        random.Random(seed).shuffle(words)
        assert sliced(" ".join(words), max_sites=40) == expected


@pytest.mark.parametrize(("limit", "option"), [("max_sites", "--max-sites"), ("max_files", "--max-files")])
def test_limits_are_positive(limit: str, option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} must be 1 or more, and is 0"):
        cut(
            [edit(word) for word in WORDS.split()],
            max_sites=0 if limit == "max_sites" else None,
            max_files=0 if limit == "max_files" else None,
        )


def test_nothing_to_cut() -> None:
    assert cut(()) == ()
