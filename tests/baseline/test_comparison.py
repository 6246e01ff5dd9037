"""Sites against rows: what is known, new, moved and gone, and what a run may not say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.comparison import compare
from ratchet.model import Baseline, Census, Row, Site, Span
from tests.baseline.samples import baseline, census, lines, rule, sites

CASES = [
    pytest.param([], [], [], id="nothing"),
    pytest.param(["a.py f x"], ["a.py f x"], ["known 1"], id="known"),
    pytest.param([], ["a.py f x"], ["new a.py:1 f x"], id="new"),
    pytest.param(["a.py f x"], [], ["gone a.py f x 1"], id="gone"),
    pytest.param(["a.py f x"], ["a.py f y"], ["new a.py:1 f y", "gone a.py f x 1"], id="swap-in-one-scope"),
    pytest.param(["a.py f x"], ["b.py f y"], ["new b.py:1 f y", "gone a.py f x 1"], id="swap-across-files"),
    pytest.param(
        ["a.py f x 2"], ["a.py f x 3"], ["known 2", "new a.py:3 f x"], id="one-of-three-twins-is-new-the-last"
    ),
    pytest.param(["a.py f x 3"], ["a.py f x"], ["known 1", "gone a.py f x 2"], id="two-of-three-twins-gone"),
    pytest.param(
        ["a.py f x"], ["b.py f x"], ["new b.py:1 f x", "gone a.py f x 1"], id="twin-elsewhere-is-gone-and-new"
    ),
    pytest.param(
        ["old.py f x"], ["b.py f x"], ["moved b.py:1 f x < old.py f"], id="moved-from-a-file-that-is-gone"
    ),
    pytest.param(
        ["old.py f x"], ["b.py g x"], ["new b.py:1 g x", "gone old.py f x 1"], id="file-and-scope-changed"
    ),
    pytest.param(
        ["old.py f x"],
        ["a.py f x", "b.py f x"],
        ["new b.py:2 f x", "moved a.py:1 f x < old.py f"],
        id="moved-and-copied",
    ),
    pytest.param(
        ["old.py f x 2"],
        ["b.py f x 1"],
        ["moved b.py:1 f x < old.py f", "gone old.py f x 1"],
        id="moved-in-part",
    ),
    pytest.param(
        ["b.py f x", "old.py f x"],
        ["b.py f x 2"],
        ["known 1", "moved b.py:2 f x < old.py f"],
        id="moved-next-to-its-twin",
    ),
    pytest.param(["a.py f x"], ["a.py g x"], ["moved a.py:1 g x < a.py f"], id="scope-renamed"),
    pytest.param(
        ["a.py A.f x", "a.py A.g x"],
        ["a.py B.g x", "a.py B.f x"],
        ["moved a.py:1 B.g x < a.py A.g", "moved a.py:2 B.f x < a.py A.f"],
        id="class-renamed-keeps-its-methods-apart",
    ),
    pytest.param(
        ["a.py f x", "a.py f y"],
        ["a.py f y", "a.py g x"],
        ["known 1", "new a.py:2 g x", "gone a.py f x 1"],
        id="old-scope-is-still-there",
    ),
    pytest.param(
        ["a.py f x", "a.py g y"],
        ["a.py g y", "a.py g x"],
        ["known 1", "new a.py:2 g x", "gone a.py f x 1"],
        id="new-scope-was-there-before",
    ),
    pytest.param(
        ["a.py f x"],
        ["a.py - x"],
        ["new a.py:1 - x", "gone a.py f x 1"],
        id="moved-to-module-level-is-no-rename",
    ),
    pytest.param(
        ["a.py - x"],
        ["a.py f x"],
        ["new a.py:1 f x", "gone a.py - x 1"],
        id="moved-from-module-level-is-no-rename",
    ),
]


@pytest.mark.parametrize(("rows", "now", "expected"), CASES)
def test_whole_tree(rows: list[str], now: list[str], expected: list[str]) -> None:
    entry = compare(rule(), sites(*now), baseline(*rows), census("a.py", "b.py"))
    assert lines(entry) == expected


def test_totals() -> None:
    entry = compare(rule(), sites("a.py f x 3"), baseline("a.py f x 2", "b.py f y 4"), census("a.py", "b.py"))
    assert (entry.baseline, entry.count) == (6, 3)


def test_sites_come_out_by_position() -> None:
    shuffled = sites("b.py f x", "a.py f y", "a.py f x")[::-1]
    entry = compare(rule(), shuffled, baseline(), census("a.py", "b.py"))
    assert lines(entry) == ["new a.py:2 f y", "new a.py:3 f x", "new b.py:1 f x"]


PARTIAL = [
    pytest.param(["a.py f x", "b.py f x"], [], {}, ["gone a.py f x 1"], id="judges-only-what-it-read"),
    pytest.param(
        ["old.py f x"], ["a.py f x"], {}, ["new a.py:1 f x"], id="does-not-know-that-a-file-is-gone"
    ),
    pytest.param(
        ["old.py f x"],
        ["a.py f x"],
        {"a.py": "old.py"},
        ["moved a.py:1 f x < old.py f"],
        id="git-says-renamed",
    ),
    pytest.param(["old.py f x"], [], {"a.py": "old.py"}, ["gone old.py f x 1"], id="renamed-and-edited"),
    pytest.param(["old.py f x"], [], {"b.py": "old.py"}, [], id="renamed-to-a-file-that-was-not-read"),
    pytest.param(
        ["a.py f x"], [], {"b.py": "a.py"}, ["gone a.py f x 1"], id="renamed-file-that-was-made-again"
    ),
]


@pytest.mark.parametrize(("rows", "now", "renames", "expected"), PARTIAL)
def test_partial_run(rows: list[str], now: list[str], renames: dict[str, str], expected: list[str]) -> None:
    entry = compare(rule(), sites(*now), baseline(*rows), census("a.py", complete=False), renames)
    assert lines(entry) == expected


def test_new_name_known_to_git_comes_first() -> None:
    entry = compare(
        rule(),
        sites("a.py f x", "b.py f x"),
        baseline("old1.py f x", "old2.py f x"),
        census("a.py", "b.py"),
        {"b.py": "old1.py", "a.py": "old2.py"},
    )
    assert lines(entry) == ["moved a.py:1 f x < old2.py f", "moved b.py:2 f x < old1.py f"]


@pytest.mark.parametrize("judged", [(), ("a.py",)], ids=["never-judged", "judged-and-faulty"])
def test_file_with_a_problem_is_never_gone(judged: tuple[str, ...]) -> None:
    entry = compare(
        rule(), sites("b.py f x"), baseline("a.py f x"), census("b.py", *judged, problems=("a.py",))
    )
    assert lines(entry) == ["new b.py:1 f x"]


@pytest.mark.parametrize(
    ("still", "expected"),
    [
        pytest.param(set(), ["moved a.py:1 g x < a.py f"], id="old-scope-is-no-more"),
        pytest.param(
            {("a.py", "f")}, ["new a.py:1 g x", "gone a.py f x 1"], id="old-scope-lost-its-last-site"
        ),
    ],
)
def test_source_says_whether_a_scope_was_renamed(still: set[tuple[str, str]], expected: list[str]) -> None:
    entry = compare(
        rule(), sites("a.py g x"), baseline("a.py f x"), census("a.py"), defines=lambda *scope: scope in still
    )
    assert lines(entry) == expected


NAMES = st.sampled_from(["a", "b", "c"])
PATHS = st.sampled_from(["a.py", "b.py", "old.py"])
COUNTS = st.dictionaries(st.tuples(PATHS, NAMES, NAMES), st.integers(1, 3), max_size=12)
Keys = dict[tuple[str, str, str], int]


@dataclass(frozen=True)
class World:
    rows: Baseline
    sites: list[Site]
    census: Census


@st.composite
def worlds(draw: st.DrawFn) -> World:
    rows, found = draw(COUNTS), draw(COUNTS)
    judged = draw(st.sets(PATHS))
    here = {key: count for key, count in found.items() if key[0] in judged}
    placed = [
        Site("writes", key[0], Span(line, 1, line, 2), key[1], key[2])
        for line, key in enumerate(Counter(here).elements())
    ]
    return World(
        Baseline("writes", "f00d", tuple(sorted(Row(*key, count) for key, count in rows.items()))),
        draw(st.permutations(placed)),
        census(*judged, complete=draw(st.booleans())),
    )


@given(worlds())
def test_agrees_with_a_multiset(world: World) -> None:
    entry = compare(rule(), world.sites, world.rows, world.census)
    now = Counter(site.key for site in world.sites)
    before = Counter({row.key: row.count for row in world.rows.rows})
    told = {key for key in before if world.census.complete or key[0] in world.census.judged}
    added = now - before
    lost = Counter({key: count for key, count in (before - now).items() if key in told})
    arrived = Counter(move.site.key for move in entry.moved)
    left = Counter(move.row.key for move in entry.moved)
    assert Counter(site.key for site in entry.known) == now & before
    assert Counter(site.key for site in entry.new) + arrived == added
    assert Counter({row.key: row.count for row in entry.gone}) + left == lost


@given(worlds())
def test_moves_are_honest_and_none_is_overlooked(world: World) -> None:
    entry = compare(rule(), world.sites, world.rows, world.census)
    for move in entry.moved:
        if move.site.path == move.row.path:
            assert (move.site.code, move.site.scope != move.row.scope) == (move.row.code, True)
        else:
            assert (move.site.scope, move.site.code) == (move.row.scope, move.row.code)
            assert move.row.path not in world.census.judged
    gone_files = {(row.scope, row.code) for row in entry.gone if row.path not in world.census.judged}
    assert not gone_files & {(site.scope, site.code) for site in entry.new}


@given(worlds(), st.randoms())
def test_order_of_sites_does_not_matter(world: World, random: Random) -> None:
    shuffled = list(world.sites)
    random.shuffle(shuffled)
    first = compare(rule(), world.sites, world.rows, world.census)
    assert compare(rule(), shuffled, world.rows, world.census) == first
