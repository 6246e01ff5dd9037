"""The folder of baselines: what is read, what is missing, what belongs to nobody, and how it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.baseline.format import dump
from ratchet.baseline.store import read_baseline, read_baselines, write_baselines, write_renamed
from ratchet.errors import UsageError
from ratchet.model import Baseline, Rule
from tests.baseline.samples import baseline, rule


def write(folder: Path, *baselines: Baseline) -> None:
    for each in baselines:
        (folder / f"{each.rule}.tsv").write_text(dump(each), encoding="utf-8")


def test_reads_what_it_wrote(tmp_path: Path) -> None:
    folder = tmp_path / "baselines" / "main"
    known = [baseline("a.py f x", rule="a"), baseline("caf\udce9.py f é", rule="b")]
    write_baselines(folder, known)
    found = read_baselines(folder, [rule("a"), rule("b")])
    assert (found.by_rule, found.faults, found.notes) == ({"a": known[0], "b": known[1]}, (), ())
    assert sorted(path.name for path in folder.iterdir()) == ["a.tsv", "b.tsv"]


MISSING = [
    pytest.param([rule("a")], "the rule a has no baseline in {}: run `ratchet adopt a`", id="one"),
    pytest.param(
        [rule("b"), rule("a")],
        "2 rules have no baseline in {}: run `ratchet adopt a b`",
        id="all-in-one-sentence",
    ),
    pytest.param(
        [rule(name) for name in "abcdef"],
        "6 rules have no baseline in {}: run `ratchet adopt --all`",
        id="a-whole-pack",
    ),
    pytest.param(
        [rule("a", mode="warn")], "the rule a has no baseline in {}: run `ratchet adopt a`", id="warning"
    ),
]


@pytest.mark.parametrize(("rules", "message"), MISSING)
def test_rule_without_baseline(tmp_path: Path, rules: list[Rule], message: str) -> None:
    with pytest.raises(UsageError) as error:
        read_baselines(tmp_path, rules)
    assert str(error.value) == message.format(tmp_path)


def test_many_rules_without_baseline_beside_one_that_has_it(tmp_path: Path) -> None:
    write(tmp_path, baseline(rule="g"))
    with pytest.raises(UsageError, match=r"6 rules .*: run `ratchet adopt a b c d e f`$"):
        read_baselines(tmp_path, [rule(name) for name in "abcdefg"])


def test_bans_and_skipped_rules_need_none(tmp_path: Path) -> None:
    found = read_baselines(tmp_path / "nowhere", [rule("a", mode="ban"), rule("b")], skipped={"b": "engine"})
    assert (found.by_rule, found.faults, found.notes) == ({}, (), ())


def test_one_damaged_file_does_not_hide_another(tmp_path: Path) -> None:
    write(tmp_path, baseline(rule="b"))
    (tmp_path / "a.tsv").write_bytes(b"<<<<<<< HEAD\n")
    (tmp_path / "c.tsv").write_bytes(b"")
    found = read_baselines(tmp_path, [rule("a"), rule("b"), rule("c")])
    assert list(found.by_rule) == ["b"]
    assert [fault.split(": ")[0].rpartition("/")[2] for fault in found.faults] == ["a.tsv:1", "c.tsv:1"]


def test_dangling_link_is_no_missing_baseline(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").symlink_to(tmp_path / "nowhere")
    found = read_baselines(tmp_path, [rule("a")])
    assert len(found.faults) == 1
    assert found.faults[0].startswith(
        f"{tmp_path}/a.tsv is not a regular file: a baseline is one; restore it"
    )


def test_former_name_is_used_with_a_note(tmp_path: Path) -> None:
    write(tmp_path, baseline("a.py f x", rule="old"))
    found = read_baselines(tmp_path, [rule("new", formerly=("older", "old"))])
    assert found.by_rule == {"new": baseline("a.py f x", rule="old")}
    assert found.notes == ("the rule new uses old.tsv, its former name: run `ratchet tighten new`",)
    assert found.faults == ()


def test_own_name_comes_before_former_ones(tmp_path: Path) -> None:
    write(tmp_path, baseline("a.py f x", rule="old"), baseline(rule="new"))
    found = read_baselines(tmp_path, [rule("new", formerly=("old",))])
    assert found.by_rule == {"new": baseline(rule="new")}
    assert len(found.faults) == 1


def test_file_of_no_rule_is_a_fault(tmp_path: Path) -> None:
    write(tmp_path, baseline(rule="a"), baseline("a.py f x", rule="b"))
    (tmp_path / "README.md").write_text("kept", encoding="utf-8")
    found = read_baselines(tmp_path, [rule("a")])
    assert found.faults == (
        f"{tmp_path}/b.tsv belongs to no rule:"
        " delete it, bring the rule back, or name it in `formerly` of another",
    )


def test_file_of_a_ban_is_not_used(tmp_path: Path) -> None:
    write(tmp_path, baseline("a.py f x", rule="a"))
    found = read_baselines(tmp_path, [rule("a", mode="ban")])
    assert found.notes == (f"{tmp_path}/a.tsv is not used, since the rule a is a ban: delete it",)


def test_read_one(tmp_path: Path) -> None:
    write(tmp_path, baseline("a.py f x", rule="old"))
    assert read_baseline(tmp_path, rule("new")) is None
    assert read_baseline(tmp_path, rule("new", formerly=("old",))) == baseline("a.py f x", rule="old")


def test_renamed_file_leaves_no_old_one(tmp_path: Path) -> None:
    old = baseline("a.py f x", rule="old")
    write(tmp_path, old)
    write_renamed(tmp_path, baseline("a.py f x", rule="new"), old)
    assert [path.name for path in tmp_path.iterdir()] == ["new.tsv"]


def test_lapsed_allowance_is_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, baseline("a.py f x 1 why (until 2026-04-30)", "b.py f x", rule="a"))
    found = read_baselines(tmp_path, [rule("a")], today="2026-05-01")
    assert found.by_rule == {"a": baseline("b.py f x", rule="a")}
    assert found.notes == (
        f"{tmp_path}/a.tsv allows a.py no more, since its reason has ended: why (until 2026-04-30)",
    )


def test_allowance_that_lasts_is_kept_without_a_word(tmp_path: Path) -> None:
    known = baseline("a.py f x 1 why (until 2026-05-01)", rule="a")
    write(tmp_path, known)
    found = read_baselines(tmp_path, [rule("a")], today="2026-05-01")
    assert (found.by_rule, found.notes) == ({"a": known}, ())
