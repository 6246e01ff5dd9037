"""Branches that change the same baseline, merged by real git, with the merge driver and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratchet.baseline.unmerged import merge_unmerged
from ratchet.errors import JudgeError
from tests.baseline.samples import lines, rule, specs
from tests.git.repository import ATTRIBUTES, DRIVER, Repository, module

with_and_without_driver = pytest.mark.parametrize("driver", [DRIVER, None], ids=["driver", "no-driver"])
both_orders = pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first-second", "second-first"])

GATE = "sa.override(chunked_prefix)"
SCALE = ["sa.override(dp_size)", "sa.override(ep_size)"]


def seeds() -> dict[str, str]:
    """39 sites: one branch rewrites the one in the gate, another the four of elastic scaling, with twins.

    Their rows are neighbours: the one in `d.py` and those in `e.py`.
    """
    rest = {
        f"src/{name}.py": module(**{f"f{i}": ["sa.override(x)"] for i in range(17)}) for name in ("a", "z")
    }
    return rest | {
        "src/d.py": module(gate=[GATE]),
        "src/e.py": module(scale=SCALE) + module(rescale=SCALE[:1] * 2)[:-1] + "\n",
    }


def gate(repo: Repository) -> None:
    repo.replace("src/d.py", f"    {GATE}\n")


def scale(repo: Repository) -> None:
    for site in (*SCALE, SCALE[0], SCALE[0]):
        repo.replace("src/e.py", f"    {site}\n")


@with_and_without_driver
@both_orders
def test_39_to_38_beside_39_to_35_is_34(tmp_path: Path, driver: str | None, order: tuple[int, int]) -> None:
    repo = Repository.create(tmp_path / "repo", seeds(), driver)
    assert repo.baseline.total == 39
    for name, edit, total in (("gate", gate, 38), ("scale", scale, 35)):
        repo.branch(name)
        edit(repo)
        repo.tighten()
        assert repo.baseline.total == total
        repo.commit(f"39 -> {total}")
    names = [("gate", "scale")[index] for index in order]
    repo.switch("main")
    repo.git("merge", "--quiet", names[0])
    said = repo.git("merge", names[1], fails=driver is None)
    if driver is None:
        assert "CONFLICT (content): Merge conflict in baselines/writes.tsv" in said
        with pytest.raises(JudgeError, match="holds a merge conflict: run `ratchet tighten writes`"):
            repo.verdict()
        assert not repo.tighten().changes_file
        repo.commit("merge")
    assert repo.baseline.total == 34
    assert lines(repo.verdict()) == ["known 34"]
    assert repo.git("status", "--porcelain") == ""


NEIGHBOURS = {"src/a.py": module(f=["x(1)", "x(2)", "x(3)"], g=["y(1)"])}


@with_and_without_driver
@both_orders
def test_one_raised_and_one_lowered(tmp_path: Path, driver: str | None, order: tuple[int, int]) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS, driver)
    repo.branch("raised")
    repo.replace("src/a.py", "def g():\n    pass\n", "def g():\n    pass\n    y(0)\n")
    repo.allow("src/a.py", "until the launcher moves")
    repo.commit("raise")
    repo.branch("lowered")
    repo.replace("src/a.py", "    x(3)\n")
    repo.tighten()
    repo.commit("lower")
    names = [("raised", "lowered")[index] for index in order]
    repo.switch(names[0])
    repo.git("merge", names[1], fails=driver is None)
    repo.tighten()
    assert specs(repo.baseline.rows) == [
        "src/a.py f x(1) 1",
        "src/a.py f x(2) 1",
        "src/a.py g y(0) 1 until the launcher moves",
        "src/a.py g y(1) 1",
    ]
    assert lines(repo.verdict()) == ["known 4"]


def test_allowance_merges_without_a_driver_where_rows_are_apart(tmp_path: Path) -> None:
    repo = Repository.create(tmp_path / "repo", {f"src/{name}.py": module(f=["x"]) for name in "abcdefgh"})
    repo.branch("raised")
    repo.write("src/h.py", module(f=["x", "y"]))
    repo.allow("src/h.py", "why")
    repo.commit("raise")
    repo.branch("lowered")
    repo.write("src/a.py", module(f=[]))
    repo.tighten()
    repo.commit("lower")
    repo.git("merge", "raised")
    assert (lines(repo.verdict()), repo.baseline.total) == (["known 8"], 8)


@with_and_without_driver
@pytest.mark.parametrize("elsewhere", [False, True], ids=["nothing-else", "another-row-each"])
def test_each_branch_takes_one_of_identical_twins(
    tmp_path: Path, driver: str | None, elsewhere: bool
) -> None:
    apart = "    pass\n" * 8
    files = {f"src/{name}.py": module(f=["x"]) for name in "abcdefghijklmnop"}
    files["src/h.py"] = f"def f():\n    x\n{apart}    x\n"
    repo = Repository.create(tmp_path / "repo", files, driver)
    for name, rest, other in (("first", f"{apart}    x\n", "a"), ("second", f"    x\n{apart}", "p")):
        repo.branch(name)
        repo.write("src/h.py", f"def f():\n{rest}")
        if elsewhere:
            repo.write(f"src/{other}.py", module(f=[]))
        repo.tighten()
        repo.commit(name)
    repo.git("merge", "first")
    assert lines(repo.verdict())[1:] == ["gone src/h.py f x 1"]
    change = repo.tighten()
    assert specs(change.removed) == ["src/h.py f x 1"]
    assert lines(repo.verdict()) == [f"known {13 if elsewhere else 15}"]


@with_and_without_driver
@both_orders
def test_rename_with_an_edit(tmp_path: Path, driver: str | None, order: tuple[int, int]) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS, driver)
    repo.branch("renamed")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.replace("src/b.py", "    y(1)\n")
    assert lines(repo.verdict()) == [
        "moved src/b.py:3 f x(1) < src/a.py f",
        "moved src/b.py:4 f x(2) < src/a.py f",
        "moved src/b.py:5 f x(3) < src/a.py f",
        "gone src/a.py g y(1) 1",
    ]
    repo.tighten()
    repo.commit("rename")
    repo.branch("lowered")
    repo.replace("src/a.py", "    x(1)\n")
    repo.tighten()
    repo.commit("lower")
    names = [("renamed", "lowered")[index] for index in order]
    repo.switch(names[0])
    repo.git("merge", names[1], fails=driver is None)
    assert not (repo.folder / "src/a.py").exists()
    repo.tighten()
    assert specs(repo.baseline.rows) == ["src/b.py f x(2) 1", "src/b.py f x(3) 1"]
    assert lines(repo.verdict()) == ["known 2"]


@with_and_without_driver
def test_revert_after_a_neighbour_was_lowered(tmp_path: Path, driver: str | None) -> None:
    apart = {"src/a.py": module(f=["x"]), "src/b.py": module(f=["x"]), "src/c.py": module(f=["x"])}
    repo = Repository.create(tmp_path / "repo", apart, driver)
    for name in ("a", "b"):
        repo.write(f"src/{name}.py", module(f=[]))
        repo.tighten()
        repo.commit(f"rewrite {name}")
    repo.git("revert", "--no-edit", "HEAD~1", fails=driver is None)
    if driver is None:
        repo.tighten()
        repo.commit("revert")
    assert specs(repo.baseline.rows) == ["src/a.py f x 1", "src/c.py f x 1"]
    assert lines(repo.verdict()) == ["known 2"]


@with_and_without_driver
def test_cherry_pick_onto_a_branch_with_other_rows(tmp_path: Path, driver: str | None) -> None:
    files = {f"src/{name}.py": module(f=["x"]) for name in "abc"}
    repo = Repository.create(tmp_path / "repo", files, driver)
    repo.branch("release")
    repo.write("src/a.py", module(f=[]))
    repo.tighten()
    repo.commit("release lowers a")
    repo.switch("main")
    repo.write("src/b.py", module(f=[]))
    repo.tighten()
    repo.commit("main lowers b")
    repo.switch("release")
    repo.git("cherry-pick", "main", fails=driver is None)
    if driver is None:
        repo.tighten()
        repo.commit("pick")
    assert specs(repo.baseline.rows) == ["src/c.py f x 1"]
    assert lines(repo.verdict()) == ["known 1"]


@with_and_without_driver
def test_rebase(tmp_path: Path, driver: str | None) -> None:
    files = {f"src/{name}.py": module(f=["x"]) for name in "abc"}
    repo = Repository.create(tmp_path / "repo", files, driver)
    for branch, name in (("topic", "a"), ("other", "b")):
        repo.branch(branch)
        repo.write(f"src/{name}.py", module(f=[]))
        repo.tighten()
        repo.commit(f"lower {name}")
    repo.git("rebase", "topic", fails=driver is None)
    if driver is None:
        repo.tighten()
        repo.git("add", "--all")
        repo.git("rebase", "--continue")
    assert specs(repo.baseline.rows) == ["src/c.py f x 1"]
    assert lines(repo.verdict()) == ["known 1"]


@both_orders
def test_versions_of_a_rule_are_a_conflict(tmp_path: Path, order: tuple[int, int]) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS, DRIVER)
    repo.branch("changed")
    repo.rule = rule(fingerprint="beef")
    repo.adopt()
    repo.commit("adopt for the changed rule")
    repo.rule = rule()
    repo.branch("lowered")
    repo.replace("src/a.py", "    x(1)\n")
    repo.tighten()
    repo.commit("lower")
    names = [("changed", "lowered")[index] for index in order]
    repo.switch(names[0])
    said = repo.git("merge", names[1], fails=True)
    assert "the two sides of the baseline of writes were adopted for different versions of the rule" in said
    text = repo.file.read_text(encoding="utf-8")
    assert text.startswith("<<<<<<< ours\n# ratchet baseline format 1\n")
    with pytest.raises(JudgeError, match="holds a merge conflict"):
        repo.verdict()
    with pytest.raises(JudgeError, match="were adopted for different versions of the rule"):
        repo.tighten()
    assert repo.file.read_text(encoding="utf-8") == text


def conflict(tmp_path: Path, driver: str | None = None) -> Repository:
    """A repository in the middle of a merge whose baseline is not merged."""
    repo = Repository.create(tmp_path / "repo", {f"src/{name}.py": module(f=["x"]) for name in "abc"}, driver)
    for branch, name in (("first", "a"), ("second", "b")):
        repo.branch(branch)
        repo.write(f"src/{name}.py", module(f=[]))
        repo.tighten()
        repo.commit(branch)
    repo.git("merge", "first", fails=True)
    return repo


def test_driver_that_cannot_be_started_leaves_it_to_tighten(tmp_path: Path) -> None:
    repo = conflict(tmp_path, driver="no-such-command %O %A %B %P")
    assert lines(repo.verdict()) == ["known 1", "gone src/a.py f x 1"]
    assert not repo.tighten().changes_file
    assert lines(repo.verdict()) == ["known 1"]


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_every_style_of_conflict_is_explained(tmp_path: Path, style: str) -> None:
    repo = conflict(tmp_path)
    repo.git("checkout", f"--conflict={style}", "--", "baselines/writes.tsv")
    with pytest.raises(
        JudgeError, match=r"writes\.tsv:4: holds a merge conflict: run `ratchet tighten writes`"
    ):
        repo.verdict()


def test_unmerged_file_stays_unmerged_until_it_is_added(tmp_path: Path) -> None:
    repo = conflict(tmp_path)
    assert merge_unmerged(repo.baselines) == [repo.file]
    text = repo.file.read_bytes()
    assert merge_unmerged(repo.baselines) == [repo.file]
    assert repo.file.read_bytes() == text
    repo.git("add", "baselines/writes.tsv")
    assert merge_unmerged(repo.baselines) == []


def test_markers_that_were_added_are_never_guessed_at(tmp_path: Path) -> None:
    repo = conflict(tmp_path)
    repo.git("add", "--all")
    assert merge_unmerged(repo.baselines) == []
    with pytest.raises(JudgeError, match="holds a merge conflict"):
        repo.tighten()


@both_orders
def test_baseline_that_one_side_deleted(tmp_path: Path, order: tuple[int, int]) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS)
    repo.branch("deleted")
    repo.git("rm", "--quiet", "baselines/writes.tsv")
    repo.commit("retire the rule")
    repo.branch("lowered")
    repo.replace("src/a.py", "    x(1)\n")
    repo.tighten()
    repo.commit("lower")
    names = [("deleted", "lowered")[index] for index in order]
    repo.switch(names[0])
    repo.git("merge", names[1], fails=True)
    with pytest.raises(JudgeError, match=r"writes\.tsv was deleted on one side of the merge") as error:
        merge_unmerged(repo.baselines)
    assert ("side of the merge (ours)" in str(error.value)) is (order == (0, 1))


def test_stash_on_a_dirty_tree(tmp_path: Path) -> None:
    repo = Repository.create(tmp_path / "repo", {f"src/{name}.py": module(f=["x"]) for name in "abc"})
    repo.write("src/a.py", module(f=[]))
    repo.tighten()
    assert lines(repo.verdict()) == ["known 2"]
    repo.git("stash")
    repo.write("src/b.py", module(f=[]))
    repo.tighten()
    repo.commit("lower b")
    repo.git("stash", "pop", fails=True)
    repo.tighten()
    assert specs(repo.baseline.rows) == ["src/c.py f x 1"]
    assert lines(repo.verdict()) == ["known 1"]


def test_dirty_tree_is_judged_as_it_lies(tmp_path: Path) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS)
    repo.write("src/new.py", module(f=["x(1)"]))
    repo.git("mv", "src/a.py", "src/c.py")
    repo.replace("src/c.py", "    x(3)\n")
    assert lines(repo.verdict()) == [
        "new src/new.py:3 f x(1)",
        "moved src/c.py:3 f x(1) < src/a.py f",
        "moved src/c.py:4 f x(2) < src/a.py f",
        "moved src/c.py:11 g y(1) < src/a.py g",
        "gone src/a.py f x(3) 1",
    ]


def test_linked_work_tree(tmp_path: Path) -> None:
    repo = conflict(tmp_path)
    repo.git("merge", "--abort")
    repo.git("worktree", "add", "--quiet", "-b", "third", str(tmp_path / "linked"), "first")
    linked = Repository(tmp_path / "linked")
    linked.git("merge", "second", fails=True)
    assert merge_unmerged(repo.baselines) == []
    assert merge_unmerged(linked.baselines) == [linked.file]
    assert specs(linked.baseline.rows) == ["src/c.py f x 1"]
    assert lines(linked.verdict()) == ["known 1"]


@with_and_without_driver
def test_shallow_clones_without_a_common_commit(tmp_path: Path, driver: str | None) -> None:
    repo = conflict(tmp_path)
    repo.git("merge", "--abort")
    url = (tmp_path / "repo").as_uri()
    repo.git("clone", "--quiet", "--depth=1", "--branch=first", url, str(tmp_path / "shallow"))
    clone = Repository(tmp_path / "shallow")
    for name, value in (("user.name", "Tester"), ("user.email", "tester@example.com")):
        clone.git("config", name, value)
    if driver:
        clone.git("config", "merge.ratchet.driver", driver)
    clone.git("fetch", "--quiet", "--depth=1", "origin", "second:second")
    clone.git("merge", "--allow-unrelated-histories", "second", fails=True)
    clone.git("checkout", "--ours", "--", "src")
    clone.write("src/b.py", module(f=[]))
    change = clone.tighten()
    assert specs(change.removed) == ["src/a.py f x 1", "src/b.py f x 1"]
    assert lines(clone.verdict()) == ["known 1"]


def test_outside_of_a_repository_nothing_is_unmerged(tmp_path: Path) -> None:
    assert merge_unmerged(tmp_path) == []
    assert merge_unmerged(tmp_path / "missing") == []


def test_repository_without_a_baseline_folder_has_nothing_to_merge(tmp_path: Path) -> None:
    repo = Repository.create(tmp_path / "repo", NEIGHBOURS)
    assert merge_unmerged(repo.folder / "nothing") == []
    assert (repo.folder / ".gitattributes").read_text(encoding="utf-8") == ATTRIBUTES
