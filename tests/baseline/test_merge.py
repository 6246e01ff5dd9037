"""Three-way merges of baselines: what each pair of changes gives, and that no side is the better one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.baseline.format import dump, load
from ratchet.baseline.merge import drive, merge
from ratchet.errors import JudgeError
from ratchet.model import Baseline, Row
from tests.baseline.samples import baseline, specs

CASES = [
    pytest.param(["a.py f x 3"], ["a.py f x 3"], ["a.py f x 3"], ["a.py f x 3"], id="nothing-changed"),
    pytest.param(["a.py f x 3"], ["a.py f x 2"], ["a.py f x 3"], ["a.py f x 2"], id="one-side-lowered"),
    pytest.param(["a.py f x 3"], ["a.py f x 2"], ["a.py f x 1"], [], id="both-lowered-by-different-numbers"),
    pytest.param(
        ["a.py f x 39"], ["a.py f x 38"], ["a.py f x 35"], ["a.py f x 34"], id="the-story-in-one-row"
    ),
    pytest.param(["a.py f x"], [], [], [], id="both-removed-the-same-site"),
    pytest.param(
        ["a.py f x 2"], ["a.py f x 1"], ["a.py f x 1"], ["a.py f x 1"], id="each-took-a-twin-is-stale"
    ),
    pytest.param(["a.py f x 2"], [], ["a.py f x 1"], [], id="never-below-zero"),
    pytest.param(["a.py f x 1"], ["a.py f x 2"], [], ["a.py f x 1"], id="one-raised-one-removed"),
    pytest.param(
        ["a.py f x 1"], ["a.py f x 2"], ["a.py f x 4"], ["a.py f x 5"], id="both-raised-differently"
    ),
    pytest.param(["a.py f x 1"], ["a.py f x 2"], ["a.py f x 2"], ["a.py f x 2"], id="both-raised-alike"),
    pytest.param(
        ["a.py f x", "a.py f y"],
        ["a.py f x"],
        ["a.py f y"],
        [],
        id="neighbours-that-a-text-merge-cannot-take",
    ),
    pytest.param([], ["a.py f x"], ["b.py f x"], ["a.py f x 1", "b.py f x 1"], id="both-added"),
    pytest.param(
        ["a.py f x 1 why"],
        ["a.py f x 1 why"],
        ["a.py f x 1 for better"],
        ["a.py f x 1 for better"],
        id="reason-changed",
    ),
    pytest.param(
        ["a.py f x 1"],
        ["a.py f x 2 one"],
        ["a.py f x 3 two"],
        ["a.py f x 4 one; two"],
        id="both-reasons-are-kept",
    ),
    pytest.param(
        ["a.py f x 2 why"],
        [],
        ["a.py f x 4 why; more"],
        ["a.py f x 2 why; more"],
        id="who-removed-has-no-opinion",
    ),
]


@pytest.mark.parametrize(("base", "one", "other", "expected"), CASES)
def test_merge_in_both_orders(base: list[str], one: list[str], other: list[str], expected: list[str]) -> None:
    merged = merge(baseline(*base), baseline(*one), baseline(*other))
    swapped = merge(baseline(*base), baseline(*other), baseline(*one))
    assert specs(merged.rows) == specs(baseline(*expected).rows)
    assert swapped == merged


def test_without_a_base_the_higher_count_stands() -> None:
    merged = merge(None, baseline("a.py f x 2", "b.py f x"), baseline("a.py f x 1", "c.py f x"))
    assert specs(merged.rows) == ["a.py f x 2", "b.py f x 1", "c.py f x 1"]


def test_versions_of_a_rule_cannot_be_merged() -> None:
    with pytest.raises(JudgeError) as error:
        merge(baseline(), baseline(fingerprint="beef"), baseline())
    assert str(error.value) == (
        "the two sides of the baseline of writes were adopted for different versions of the rule:"
        " merge the rule first, take either side of the file (`git checkout --ours` or `--theirs`),"
        " then run `ratchet adopt writes --reason WHY`"
    )


def test_both_sides_adopted_the_new_version() -> None:
    new = baseline("a.py f x", fingerprint="beef")
    assert merge(baseline("a.py f x", "b.py f y"), new, new) == new


KEYS = st.tuples(st.sampled_from(["a.py", "b.py"]), st.sampled_from(["f", "g"]), st.just("x"))
BASELINES = st.dictionaries(KEYS, st.tuples(st.integers(1, 4), st.sampled_from(["", "why", "so"]))).map(
    lambda rows: Baseline("writes", "f00d", tuple(sorted(Row(*key, *rest) for key, rest in rows.items())))
)


@given(BASELINES, BASELINES, BASELINES)
def test_no_side_is_the_better_one(base: Baseline, ours: Baseline, theirs: Baseline) -> None:
    assert merge(base, ours, theirs) == merge(base, theirs, ours)
    assert merge(None, ours, theirs) == merge(None, theirs, ours)


@given(BASELINES, BASELINES)
def test_a_side_that_did_nothing_changes_nothing(base: Baseline, ours: Baseline) -> None:
    assert merge(base, ours, base) == ours
    assert merge(base, ours, ours) == ours
    assert merge(None, ours, ours) == ours


@given(BASELINES, BASELINES, BASELINES)
def test_lowering_never_raises(base: Baseline, ours: Baseline, theirs: Baseline) -> None:
    low, lower = _below(base, ours), _below(base, theirs)
    merged = {row.key: row.count for row in merge(base, low, lower).rows}
    highest = {row.key: row.count for row in low.rows}
    assert all(count <= highest.get(key, 0) for key, count in merged.items())


def _below(base: Baseline, other: Baseline) -> Baseline:
    limits = {row.key: row.count for row in base.rows}
    rows = tuple(row for row in other.rows if row.count <= limits.get(row.key, 0))
    return Baseline("writes", "f00d", rows)


def files(folder: Path, *texts: str) -> tuple[Path, Path, Path]:
    paths = (folder / "base", folder / "ours", folder / "theirs")
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def test_driver_writes_the_merged_baseline(tmp_path: Path) -> None:
    base, ours, theirs = files(
        tmp_path,
        dump(baseline("a.py f x", "a.py f y")),
        dump(baseline("a.py f x")),
        dump(baseline("a.py f y")),
    )
    assert drive(base, ours, theirs, "baselines/writes.tsv") is None
    assert load(ours, "writes") == baseline()


def test_driver_takes_an_empty_base(tmp_path: Path) -> None:
    base, ours, theirs = files(tmp_path, "", dump(baseline("a.py f x")), dump(baseline("a.py f x 2")))
    assert drive(base, ours, theirs, "baselines/writes.tsv") is None
    assert load(ours, "writes") == baseline("a.py f x 2")


REFUSED = [
    pytest.param(
        dump(baseline(fingerprint="beef")), "the two sides of the baseline of writes", id="other-version"
    ),
    pytest.param(
        "# ratchet baseline format 2\n",
        "their side cannot be merged: b/writes.tsv:1: has format 2",
        id="newer-format",
    ),
    pytest.param(
        "", "their side cannot be merged: b/writes.tsv:1: expected a line break at the end", id="empty-side"
    ),
    pytest.param(
        "cut off",
        "their side cannot be merged: b/writes.tsv:1: expected a line break at the end",
        id="cut-off",
    ),
]


@pytest.mark.parametrize(("theirs_text", "message"), REFUSED)
def test_driver_leaves_both_sides_between_markers(tmp_path: Path, theirs_text: str, message: str) -> None:
    ours_text = dump(baseline("a.py f x"))
    base, ours, theirs = files(tmp_path, ours_text, ours_text, theirs_text)
    conflict = drive(base, ours, theirs, "b/writes.tsv")
    assert conflict
    assert conflict.startswith(message)
    ending = "" if theirs_text.endswith("\n") or not theirs_text else "\n"
    assert ours.read_text(encoding="utf-8") == (
        f"<<<<<<< ours\n{ours_text}=======\n{theirs_text}{ending}>>>>>>> theirs\n"
    )
    with pytest.raises(JudgeError, match="holds a merge conflict"):
        load(ours, "writes")
