"""How a baseline changes: adopted, tightened, allowed to grow, and when each is refused."""

from __future__ import annotations

import pytest
from hypothesis import given

from ratchet.baseline.operations import (
    adopt,
    allow,
    from_sites,
    tighten,
    tighten_all,
    with_allowances,
    without_lapsed,
)
from ratchet.comparison import compare
from ratchet.errors import JudgeError, RatchetError, UsageError
from ratchet.model import Baseline, Census, Mode, RuleVerdict, Verdict
from tests.baseline.samples import baseline, census, rule, sites, specs
from tests.baseline.test_comparison import World, worlds

TREE = census("a.py", "b.py")


def verdict(rows: list[str], now: list[str], mode: Mode = "ratchet") -> RuleVerdict:
    return compare(rule(mode=mode), sites(*now), baseline(*rows), TREE)


def test_first_adoption_counts_twins() -> None:
    change = adopt(rule(), sites("a.py f x 2", "b.py - y"), TREE)
    assert change.new == baseline("a.py f x 2", "b.py - y")
    assert (change.old, change.changes_file) == (None, True)
    assert specs(change.added) == ["a.py f x 2", "b.py - y 1"]


def test_reason_of_a_first_adoption_is_no_allowance() -> None:
    assert adopt(rule(), sites("a.py f x"), TREE, reason="we start").new == baseline("a.py f x")


def test_zero_sites_are_adopted_as_a_file_without_rows() -> None:
    change = adopt(rule(), [], TREE)
    assert (change.new, change.changes_file) == (baseline(), True)


def test_expected_number_is_taken_over() -> None:
    assert adopt(rule(), sites("a.py f x 18"), TREE, expect=18).new.total == 18


def test_changed_rule_adds_with_a_reason_and_keeps_reasons() -> None:
    old = baseline("a.py f x 1 the launcher", "a.py f gone", fingerprint="beef")
    change = adopt(rule(), sites("a.py f x", "b.py g y"), TREE, old, reason=" aliases count now ")
    assert specs(change.new.rows) == ["a.py f x 1 the launcher", "b.py g y 1 aliases count now"]
    assert change.new.fingerprint == "f00d"
    assert specs(change.added) == ["b.py g y 1 aliases count now"]
    assert specs(change.removed) == ["a.py f gone 1"]


def test_changed_rule_that_adds_nothing_needs_no_reason() -> None:
    old = baseline("a.py f x 2", fingerprint="beef")
    assert adopt(rule(), sites("a.py f x"), TREE, old).new == baseline("a.py f x")


def test_adopting_again_changes_nothing() -> None:
    old = baseline("a.py f x 1 why")
    assert not adopt(rule(), sites("a.py f x"), TREE, old).changes_file


ADOPT_REFUSED = [
    pytest.param(
        {"expect": 17},
        None,
        "the rule writes has 2 sites, not 17 as --expect says: run `ratchet sites writes` to see them",
        id="other-number",
    ),
    pytest.param(
        {"reason": "I want to"},
        baseline("a.py f x"),
        "the rule writes already has a baseline, which adopting would raise by 1 site:"
        " rewrite them, or run `ratchet allow writes PATH --reason WHY`",
        id="raising-the-same-rule",
    ),
    pytest.param(
        {"reason": "I want to"},
        baseline("a.py f x", "a.py f y"),
        "the rule writes already has a baseline, which adopting would raise by 1 site:"
        " rewrite them, or run `ratchet allow writes PATH --reason WHY`",
        id="swap",
    ),
    pytest.param(
        {"reason": "  "},
        baseline(fingerprint="beef"),
        "the new version of the rule writes adds 2 sites, in a.py (f), b.py (module level):"
        " run `ratchet adopt writes --reason WHY`",
        id="changed-rule-without-a-reason",
    ),
]


@pytest.mark.parametrize(("arguments", "old", "message"), ADOPT_REFUSED)
def test_adoption_is_refused(arguments: dict[str, str], old: Baseline | None, message: str) -> None:
    with pytest.raises(UsageError) as error:
        adopt(rule(), sites("a.py f x", "b.py - y"), TREE, old, **arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_ban_is_never_adopted() -> None:
    with pytest.raises(UsageError, match="the rule writes is a ban, which allows no site"):
        adopt(rule(mode="ban"), sites("a.py f x"), TREE)


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        pytest.param(
            census("a.py", problems=("b.py",)),
            "b.py:1: invalid syntax: a file that cannot be judged may hold sites of the rule writes,"
            " so mend it first, then run `ratchet adopt writes`",
            id="problem",
        ),
        pytest.param(
            census("a.py", complete=False),
            "a baseline holds all sites of a tree, and this run saw only a part of it:"
            " run `ratchet adopt writes --root FOLDER`",
            id="partial",
        ),
        pytest.param(
            census(),
            "a baseline holds all sites of a tree, and this run saw no file:"
            " run `ratchet adopt writes --root FOLDER`",
            id="no-files",
        ),
    ],
)
def test_tree_that_was_not_judged_is_not_adopted(seen: Census, message: str) -> None:
    with pytest.raises(JudgeError) as error:
        adopt(rule(), sites("a.py f x"), seen)
    assert str(error.value) == message


TIGHTEN = [
    pytest.param(["a.py f x"], ["a.py f x"], ["a.py f x 1"], id="nothing-to-do"),
    pytest.param(["a.py f x 3 why"], ["a.py f x"], ["a.py f x 1 why"], id="lowered-keeps-its-reason"),
    pytest.param(["a.py f x"], [], [], id="emptied"),
    pytest.param(["a.py f x"], ["a.py f y"], [], id="swap-lowers-and-adds-nothing"),
    pytest.param(["a.py f x"], ["a.py f x", "b.py f x"], ["a.py f x 1"], id="new-is-not-added"),
    pytest.param(["old.py f x 1 why"], ["b.py f x"], ["b.py f x 1 why"], id="moved-keeps-its-reason"),
    pytest.param(
        ["b.py f x 1 one", "old.py f x 2 two"],
        ["b.py f x 2"],
        ["b.py f x 2 one; two"],
        id="moved-onto-a-twin",
    ),
    pytest.param(["a.py f x 2 why"], ["a.py g x 2"], ["a.py g x 2 why"], id="scope-renamed"),
]


@pytest.mark.parametrize(("rows", "now", "expected"), TIGHTEN)
def test_tighten(rows: list[str], now: list[str], expected: list[str]) -> None:
    change = tighten(baseline(*rows), verdict(rows, now))
    assert specs(change.new.rows) == specs(baseline(*expected).rows)


@given(worlds())
def test_tightening_never_raises_and_leaves_nothing_stale(world: World) -> None:
    entry = compare(rule(), world.sites, world.rows, world.census)
    change = tighten(world.rows, entry)
    assert change.new.total == world.rows.total - sum(row.count for row in entry.gone)
    again = compare(rule(), world.sites, change.new, world.census)
    assert (again.gone, again.moved, again.new) == ((), (), entry.new)
    assert tighten(change.new, again).new == change.new


def test_former_name_becomes_the_present_one() -> None:
    old = baseline("a.py f x", rule="old")
    change = tighten(old, verdict(["a.py f x"], ["a.py f x"]))
    assert (change.changes_file, change.new) == (True, baseline("a.py f x"))


def run(entry: RuleVerdict, seen: Census = TREE, faults: tuple[str, ...] = ()) -> Verdict:
    return Verdict((entry,), seen, faults)


def test_tightening_a_run_lists_what_changes() -> None:
    entry = verdict(["a.py f x 2"], ["a.py f x"])
    changes = tighten_all(run(entry), {"writes": baseline("a.py f x 2")})
    assert [(specs(change.new.rows), specs(change.removed)) for change in changes] == [
        (["a.py f x 1"], ["a.py f x 1"])
    ]


def test_tightening_a_clean_run_changes_nothing() -> None:
    assert tighten_all(run(verdict(["a.py f x"], ["a.py f x"])), {"writes": baseline("a.py f x")}) == []


@pytest.mark.parametrize(
    ("unjudged", "cause"),
    [
        pytest.param(run(verdict(["a.py f x"], []), faults=("no rule",)), "no rule", id="fault"),
        pytest.param(
            run(verdict(["a.py f x"], []), census("a.py", problems=("b.py",))),
            "b.py:1: invalid syntax",
            id="problem",
        ),
        pytest.param(run(verdict(["a.py f x"], []), census()), "no file was found", id="no-files"),
    ],
)
def test_nothing_is_tightened_where_a_run_could_not_judge(unjudged: Verdict, cause: str) -> None:
    with pytest.raises(JudgeError) as error:
        tighten_all(unjudged, {"writes": baseline("a.py f x")})
    assert str(error.value) == f"nothing was tightened, since this run could not judge everything: {cause}"


def test_allow_raises_one_file_only() -> None:
    entry = verdict(["a.py f x"], ["a.py f x 2", "a.py g y", "b.py f x"])
    change = allow(baseline("a.py f x"), entry, "a.py", " until the launcher moves ")
    assert specs(change.new.rows) == [
        "a.py f x 2 until the launcher moves",
        "a.py g y 1 until the launcher moves",
    ]
    assert specs(change.added) == [
        "a.py f x 1 until the launcher moves",
        "a.py g y 1 until the launcher moves",
    ]


def test_allow_keeps_an_older_reason() -> None:
    entry = verdict(["a.py f x 1 one"], ["a.py f x 2"])
    change = allow(baseline("a.py f x 1 one"), entry, "a.py", "two", until="2030-01-31")
    assert specs(change.new.rows) == ["a.py f x 2 one; two (until 2030-01-31)"]


ALLOW_REFUSED = [
    pytest.param(
        verdict([], ["a.py f x"]),
        "a.py",
        " ",
        "allowing sites of the rule writes needs a reason: run `ratchet allow writes a.py --reason WHY`",
        id="no-reason",
    ),
    pytest.param(
        verdict([], ["a.py f x"]),
        "b.py",
        "why",
        "the rule writes has no new site in b.py, so there is nothing to allow:"
        " run `ratchet check` to see where new sites are",
        id="nothing-new-there",
    ),
    pytest.param(
        verdict(["old.py f x"], ["a.py f x"]),
        "a.py",
        "why",
        "the rule writes has no new site in a.py, so there is nothing to allow:"
        " run `ratchet check` to see where new sites are",
        id="moved-is-not-new",
    ),
    pytest.param(
        verdict([], ["a.py f x"], mode="ban"),
        "a.py",
        "why",
        "the rule writes is a ban, which allows no site and has no baseline:"
        " rewrite the sites that `ratchet sites writes` lists",
        id="ban",
    ),
]


@pytest.mark.parametrize(("entry", "path", "reason", "message"), ALLOW_REFUSED)
def test_allowance_is_refused(entry: RuleVerdict, path: str, reason: str, message: str) -> None:
    with pytest.raises(RatchetError) as error:
        allow(baseline(), entry, path, reason)
    assert (str(error.value), error.value.exit_code) == (message, 2)


LAPSES = [
    pytest.param("why (until 2026-05-01)", False, id="its-last-day"),
    pytest.param("why (until 2026-04-30)", True, id="the-day-after"),
    pytest.param("one (until 2027-01-01); two (until 2026-01-01)", True, id="the-earliest-counts"),
    pytest.param("until 2026-01-01 we wait", False, id="prose-is-no-date"),
    pytest.param("", False, id="no-allowance"),
]


@pytest.mark.parametrize(("reason", "lapsed"), LAPSES)
def test_allowance_lapses(reason: str, lapsed: bool) -> None:
    rows = baseline(f"a.py f x 1 {reason}".rstrip(), "b.py f x")
    kept = without_lapsed(rows, "2026-05-01")
    assert specs(kept.rows) == specs(rows.rows[1:] if lapsed else rows.rows)


def test_branch_is_judged_by_the_merge_base_and_its_own_allowances() -> None:
    then = from_sites(rule(), sites("a.py f x 2", "b.py f y"))
    before = baseline("a.py f x 2", "b.py g z 1 old")
    now = baseline("a.py f x 3 needed", "b.py g z 1 old", "b.py h z 1 new", "b.py k z")
    assert specs(with_allowances(then, before, now).rows) == [
        "a.py f x 3 needed",
        "b.py f y 1",
        "b.py h z 1 new",
    ]


@pytest.mark.parametrize("before", [None, baseline(fingerprint="beef")], ids=["none", "of-another-rule"])
def test_branch_that_adopted_the_rule_has_no_room_for_twins(before: Baseline | None) -> None:
    then = from_sites(rule(), sites("a.py f x", "b.py g y"))
    now = baseline("a.py f x 1 the rule sees aliases", "b.py g y", "b.py h z 1 needed", "b.py k z")
    assert specs(with_allowances(then, before, now).rows) == [
        "a.py f x 1 the rule sees aliases",
        "b.py g y 1",
        "b.py h z 1 needed",
    ]
