"""A run's verdict: every rule against its baseline, its exit code, and what keeps it from judging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ratchet.baseline.store import Baselines
from ratchet.model import Baseline, Mode, Rule, Site, Verdict
from ratchet.verdict import judge, twins
from tests.baseline.samples import baseline, census, lines, rule, sites

FOLDER = Path("baselines")


def verdict(
    rules: Sequence[Rule],
    found: dict[str, list[Site]],
    *known: Baseline,
    skipped: dict[str, str] | None = None,
) -> Verdict:
    baselines = Baselines(FOLDER, {each.rule: each for each in known})
    return judge(rules, found, baselines, census("a.py", "b.py"), skipped=skipped or {})


EXITS = [
    pytest.param("ratchet", ["a.py f x"], ["a.py f x"], True, 0, id="clean"),
    pytest.param("ratchet", ["a.py f x"], ["a.py f y"], True, 1, id="swap"),
    pytest.param("ratchet", [], ["a.py f x"], True, 1, id="new"),
    pytest.param("ratchet", [], ["a.py f x"], False, 1, id="new-fails-whatever-stale-does"),
    pytest.param("ratchet", ["a.py f x"], [], True, 1, id="gone"),
    pytest.param("ratchet", ["a.py f x"], [], False, 0, id="gone-may-only-warn"),
    pytest.param("ratchet", ["old.py f x"], ["a.py f x"], True, 1, id="moved"),
    pytest.param("ratchet", ["old.py f x"], ["a.py f x"], False, 0, id="moved-may-only-warn"),
    pytest.param("warn", [], ["a.py f x"], True, 0, id="warn-never-fails"),
    pytest.param("ban", [], [], True, 0, id="ban-kept"),
    pytest.param("ban", [], ["a.py f x"], True, 1, id="ban-broken"),
    pytest.param("ban", ["a.py f x"], ["a.py f x"], True, 1, id="ban-knows-no-allowance"),
]


@pytest.mark.parametrize(("mode", "rows", "now", "stale_fails", "code"), EXITS)
def test_exit_code(mode: Mode, rows: list[str], now: list[str], stale_fails: bool, code: int) -> None:
    baselines = Baselines(FOLDER, {"writes": baseline(*rows)})
    run = judge(
        [rule(mode=mode)], {"writes": sites(*now)}, baselines, census("a.py", "b.py"), stale_fails=stale_fails
    )
    assert run.exit_code == code


def test_ban_needs_no_baseline() -> None:
    run = verdict([rule(mode="ban")], {"writes": sites("a.py f x")})
    assert (run.rules[0].baseline, lines(run.rules[0])) == (0, ["new a.py:1 f x"])


def test_rules_come_out_by_id() -> None:
    run = verdict(
        [rule("b"), rule("a")],
        {"a": sites("a.py f x", rule="a"), "b": []},
        baseline(rule="b"),
        baseline("a.py f x", rule="a"),
    )
    assert [(entry.rule.id, entry.count, entry.baseline) for entry in run.rules] == [("a", 1, 1), ("b", 0, 0)]


def test_changed_rule_asks_for_adoption_and_blames_nobody() -> None:
    run = verdict([rule(fingerprint="beef")], {"writes": sites("a.py f x")}, baseline())
    assert run.faults == (
        "baselines/writes.tsv was adopted for another version of the rule writes:"
        " run `ratchet adopt writes --reason WHY`, which lists what the new version adds",
    )
    assert run.exit_code == 3
    assert (run.rules[0].baseline, run.rules[0].count, run.rules[0].new) == (None, 1, ())


def test_fault_of_a_baseline_under_a_former_name_says_where_it_lies() -> None:
    baselines = Baselines(FOLDER, {"writes": baseline(rule="old", fingerprint="beef")})
    run = judge([rule(formerly=("old",))], {"writes": []}, baselines, census("a.py"))
    assert run.faults[0].startswith("baselines/old.tsv was adopted for another version of the rule writes")


def test_faults_and_notes_of_the_baselines_are_the_verdicts() -> None:
    baselines = Baselines(FOLDER, {"writes": baseline()}, ("broken file",), ("old name",))
    run = judge(
        [rule()], {"writes": []}, baselines, census("a.py"), faults=["lost worker"], notes=["odd schema"]
    )
    assert (run.faults, run.notes) == (("lost worker", "broken file"), ("odd schema", "old name"))
    assert run.exit_code == 3


def test_skipped_rule_is_listed_with_nothing() -> None:
    run = verdict([rule()], {}, baseline(), skipped={"writes": "engine 0.5.18"})
    entry = run.rules[0]
    assert (entry.count, entry.baseline, entry.skipped, run.faults, run.exit_code) == (
        0,
        None,
        "engine 0.5.18",
        (),
        0,
    )


def test_skipped_rule_with_rows_is_no_progress() -> None:
    run = verdict([rule()], {}, baseline("a.py f x 18"), skipped={"writes": "engine 0.5.18 is not <0.5.18"})
    assert run.faults == (
        "baselines/writes.tsv still has 18 known sites of the rule writes, which does not apply"
        " (engine 0.5.18 is not <0.5.18): give the right --engine, or delete the file",
    )
    assert run.exit_code == 3


def test_rule_that_nobody_looked_for_is_a_fault() -> None:
    run = verdict([rule()], {}, baseline())
    assert run.exit_code == 3
    assert run.faults == (
        "the rule writes was not looked for in this run: please report this as a bug of ratchet",
    )


def test_no_files_are_no_verdict() -> None:
    run = judge([rule()], {"writes": []}, Baselines(FOLDER, {"writes": baseline("a.py f x")}), census())
    assert run.exit_code == 3


def test_problem_is_no_verdict() -> None:
    run = judge(
        [rule()],
        {"writes": []},
        Baselines(FOLDER, {"writes": baseline("a.py f x")}),
        census("b.py", problems=("a.py",)),
    )
    assert (run.exit_code, lines(run.rules[0])) == (3, [])


def test_twins_are_counted() -> None:
    run = verdict([rule()], {"writes": sites("a.py f x 3", "a.py f y")}, baseline("a.py f x 2"))
    assert twins(run.rules[0]) == {
        ("a.py", "f", "x"): "one of 3 identical ones in this scope, 2 of them known"
    }
