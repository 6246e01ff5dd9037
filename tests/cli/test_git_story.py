"""Whole stories with real git: `ratchet check` and `ratchet tighten` as people and hooks run them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.project import CART, FILES, Outcome, Project, without_time

ROOT = Path(__file__).parents[2]
DRIVER = f'PYTHONPATH="{ROOT}" "{sys.executable}" -m ratchet merge-driver %O %A %B %P'
BASELINE = "baselines/settings-override.tsv"

with_and_without_driver = pytest.mark.parametrize("driver", [True, False], ids=["driver", "no-driver"])
both_orders = pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["gate-first", "scale-first"])


def last_line(outcome: Outcome) -> str:
    """How a run ended."""
    return without_time(outcome.out).splitlines()[-1]


def total(project: Project) -> int:
    """How many sites the writer's baseline holds."""
    rows = [line for line in project.read(BASELINE).splitlines() if not line.startswith("#")]
    return sum(int(row.split("\t")[3]) for row in rows)


def with_driver(project: Project) -> None:
    """Install the merge driver as `ratchet init` says."""
    project.write(".gitattributes", "baselines/**/*.tsv merge=ratchet\n")
    project.git("config", "merge.ratchet.driver", DRIVER)
    project.commit("attributes")


# 39 sites: one in the gate, four where the engine scales (two of them twins), the rest elsewhere.
GATE = "def gate(settings):\n    settings.override('gate', chunked=False)\n    return 1\n"
SCALE = """\
def scale(settings):
    settings.override('scale', dp=2)
    settings.override('scale', ep=2)
    return 2


def rescale(settings):
    settings.override('rescale', dp=4)
    settings.override('rescale', dp=4)
    return 3
"""


def many(count: int) -> str:
    """A file with that many sites, each in a function of its own."""
    return "".join(f"def f{n}(settings):\n    settings.override('f', a=1)\n\n\n" for n in range(count))


@pytest.fixture
def seeds(tmp_path: Path) -> Project:
    """The tree of the seeds: 39 calls of the writer, adopted and committed."""
    project = Project.create(
        tmp_path / "seeds", {path: text for path, text in FILES.items() if "cart" not in path}
    )
    for path, text in (("a", many(17)), ("d", GATE), ("e", SCALE), ("z", many(17))):
        project.write(f"src/shop/{path}.py", text)
    outcome = project.run("adopt", "settings-override", "--expect=39")
    assert outcome.code == 0, outcome.err
    project.adopt()
    project.start_history()
    return project


def rewrite(project: Project, name: str) -> None:
    """One of the two branches: rewrites its sites and tightens."""
    if name == "gate":
        project.write("src/shop/d.py", "def gate(settings):\n    return 1\n")
    else:
        project.write(
            "src/shop/e.py", "def scale(settings):\n    return 2\n\n\ndef rescale(settings):\n    return 3\n"
        )
    assert project.run("check").code == 1
    assert project.run("tighten").code == 0
    assert project.run("check").code == 0


@with_and_without_driver
@both_orders
def test_39_to_38_beside_39_to_35_ends_at_34(seeds: Project, driver: bool, order: tuple[int, int]) -> None:
    if driver:
        with_driver(seeds)
    for name, count in (("gate", 38), ("scale", 35)):
        seeds.git("checkout", "--quiet", "-b", name, "main")
        rewrite(seeds, name)
        assert total(seeds) == count
        seeds.commit(f"Writer ratchet 39 -> {count}.")
    first, second = (("gate", "scale")[index] for index in order)
    seeds.git("checkout", "--quiet", "main")
    seeds.git("merge", "--quiet", first)
    seeds.git("merge", second, fails=not driver)
    if not driver:
        refused = seeds.run("check")
        assert refused.code == 3
        assert "holds a merge conflict: run `ratchet tighten settings-override`" in refused.out
        assert seeds.run("tighten").out == (
            f"merged {BASELINE}: run `git add` on it\nnothing to tighten: every row has its sites\n"
        )
        seeds.commit("merge")
    assert total(seeds) == 34
    assert last_line(seeds.run("check")) == "check: clean"
    assert seeds.git("status", "--porcelain") == ""


TWINS = """\
def f(settings):
    settings.override('f', a=1)
    pause()
    pause()
    settings.override('f', a=1)
"""
FIRST, SECOND = (
    TWINS.replace("    settings.override('f', a=1)\n", "", 1),
    TWINS[: TWINS.rindex("    settings")],
)


@with_and_without_driver
def test_each_branch_takes_one_of_identical_twins(committed: Project, driver: bool) -> None:
    committed.write("src/shop/twins.py", TWINS)
    committed.run("allow", "settings-override", "twins.py", "--reason=both")
    committed.commit("twins")
    if driver:
        with_driver(committed)
    for name, text in (("first", FIRST), ("second", SECOND)):
        committed.git("checkout", "--quiet", "-b", name, "main")
        committed.write("src/shop/twins.py", text)
        assert committed.run("tighten").code == 0
        committed.commit(name)
    committed.git("merge", "first")
    stale = committed.run("check")
    assert (stale.code, last_line(stale)) == (1, "check: failed: 1 gone site")
    assert committed.run("tighten").out == (
        "settings-override  3 → 2  baselines/settings-override.tsv\n"
        "  - src/shop/twins.py in f: settings.override(a)\n"
    )
    assert committed.run("check").code == 0


NEW = CART + "\n    def slow(self):\n        self.settings.override('cart', retries=9)\n"


@with_and_without_driver
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["raised-first", "lowered-first"])
def test_one_branch_raises_and_one_lowers(committed: Project, driver: bool, order: tuple[int, int]) -> None:
    if driver:
        with_driver(committed)
    committed.git("checkout", "--quiet", "-b", "raised", "main")
    committed.write("src/shop/cart.py", NEW)
    assert committed.run("allow", "settings-override", "src/shop/cart.py", "--reason=soon").code == 0
    committed.commit("raise")
    committed.git("checkout", "--quiet", "-b", "lowered", "main")
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=60)', "pass")
    assert committed.run("tighten").code == 0
    committed.commit("lower")
    first, second = (("raised", "lowered")[index] for index in order)
    committed.git("checkout", "--quiet", first)
    committed.git("merge", second, fails=not driver)
    committed.run("tighten")
    rows = [line for line in committed.read(BASELINE).splitlines() if not line.startswith("#")]
    assert rows == [
        "cart.py\tCart.hasty\tself.settings.override(timeout)\t1",
        "cart.py\tCart.slow\tself.settings.override(retries)\t1\tsoon",
    ]
    assert committed.run("check").code == 0


def test_a_rename_with_an_edit(committed: Project) -> None:
    committed.git("mv", "src/shop/cart.py", "src/shop/basket.py")
    committed.edit("src/shop/basket.py", 'self.settings.override("cart", timeout=1)', "pass")
    outcome = committed.run("check")
    assert (outcome.code, last_line(outcome)) == (1, "check: failed: 1 gone site, 2 moved sites")
    assert committed.run("tighten").code == 0
    assert last_line(committed.run("check")) == "check: clean"
    assert last_line(committed.run("check", "--since=main")) == (
        "check: clean (1 gone site, 2 moved sites, which do not fail)"
    )


@pytest.mark.parametrize("format", ["text", "github"])
def test_what_went_since_a_commit_may_be_recorded_already(committed: Project, format: str) -> None:
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    unless = "where the baselines do not have it yet"
    now = committed.run("check", "--format", format).out
    assert ("ratchet tighten" in now, unless in now) == (True, False)
    assert committed.run("tighten").code == 0
    since = committed.run("check", "--since=main", "--format", format).out
    assert "check: clean (1 gone site, which does not fail)" in since
    assert ("ratchet tighten" in since, unless in since) == (True, True)


def test_a_revert_brings_rows_back(committed: Project) -> None:
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    committed.run("tighten")
    committed.commit("lower")
    assert total(committed) == 1
    committed.git("revert", "--no-edit", "HEAD")
    assert (total(committed), last_line(committed.run("check"))) == (2, "check: clean")


def test_a_cherry_pick_onto_a_release(committed: Project) -> None:
    committed.write("src/shop/other.py", "def f(settings):\n    settings.override('f', a=1)\n")
    committed.run("allow", "settings-override", "other.py", "--reason=new")
    committed.commit("other")
    committed.git("checkout", "--quiet", "-b", "release")
    committed.write("src/shop/other.py", "")
    committed.run("tighten")
    committed.commit("release lowers")
    committed.git("checkout", "--quiet", "main")
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    committed.run("tighten")
    committed.commit("main lowers")
    committed.git("checkout", "--quiet", "release")
    with_driver(committed)
    committed.git("cherry-pick", "main")
    assert (total(committed), last_line(committed.run("check"))) == (1, "check: clean")


# Where the tree comes from


def test_a_dirty_tree_is_judged_as_it_lies(committed: Project) -> None:
    committed.write("src/shop/cart.py", NEW)
    committed.write("src/shop/untracked.py", "import os\nos.system('x')\n")
    assert last_line(committed.run("check")) == "check: failed: 2 new sites"
    assert last_line(committed.run("check", "--staged")) == "check: clean"


def test_staged_reads_the_index_and_nothing_else(committed: Project) -> None:
    committed.write("src/shop/cart.py", NEW)
    committed.git("add", "src/shop/cart.py")
    committed.write("src/shop/cart.py", "def f(settings:\n")
    outcome = committed.run("check", "--staged")
    assert (outcome.code, last_line(outcome)) == (1, "check: failed: 1 new site")
    assert "    self.settings.override('cart', retries=9)" in outcome.out.splitlines()
    partial = committed.run("check", "--staged", "src/shop/cart.py", "src/shop/context.py")
    assert (partial.code, last_line(partial)) == (1, "check: failed: 1 new site")
    assert "2 files discovered" in partial.out


def test_staged_reads_the_staged_baseline(committed: Project) -> None:
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    committed.git("add", "src")
    assert committed.run("tighten").code == 0
    assert last_line(committed.run("check", "--staged")) == "check: failed: 1 gone site"
    committed.git("add", "baselines")
    assert last_line(committed.run("check", "--staged")) == "check: clean"


def test_staged_before_the_first_commit(adopted: Project) -> None:
    adopted.git("init", "--quiet", "--initial-branch=main")
    unstaged = adopted.run("check", "--staged")
    assert (unstaged.code, unstaged.out) == (2, "")
    assert "no baseline of settings-override, settings-read is staged" in unstaged.err
    adopted.git("add", "--all")
    assert last_line(adopted.run("check", "--staged")) == "check: clean"


def test_an_unmerged_index(committed: Project) -> None:
    for name, value in (("left", 7), ("right", 8)):
        committed.git("checkout", "--quiet", "-b", name, "main")
        committed.edit("src/shop/cart.py", "timeout=60", f"timeout={value}")
        committed.commit(name)
    committed.git("merge", "left", fails=True)
    staged = committed.run("check", "--staged")
    assert (staged.code, last_line(staged)) == (3, "check: could not judge: 1 problem")
    on_disk = committed.run("check")
    assert (on_disk.code, "cart.py:9: not judged: does not parse" in on_disk.out) == (3, True)
    assert committed.run("tighten").code == 3


def test_since_judges_a_branch_by_what_it_added(committed: Project) -> None:
    # Somebody broke main: a new site without a row.
    committed.write("src/shop/red.py", "import os\nos.system('x')\n")
    committed.commit("red main")
    committed.git("checkout", "--quiet", "-b", "topic")
    committed.write("src/shop/fine.py", "x = 1\n")
    committed.commit("innocent")
    assert last_line(committed.run("check")) == "check: failed: 1 new site"
    assert last_line(committed.run("check", "--since=main")) == "check: clean"
    committed.write("src/shop/cart.py", NEW)
    outcome = committed.run("check", "--since=main")
    assert (outcome.code, last_line(outcome)) == (1, "check: failed: 1 new site")
    assert committed.run("allow", "settings-override", "cart.py", "--reason=soon").code == 0
    assert last_line(committed.run("check", "--since=main")) == "check: clean"


def test_since_looks_at_the_merge_base(committed: Project) -> None:
    committed.git("checkout", "--quiet", "-b", "topic")
    committed.write("src/shop/fine.py", "x = 1\n")
    committed.commit("innocent")
    committed.git("checkout", "--quiet", "main")
    committed.edit("src/shop/cart.py", 'self.settings.override("cart", timeout=1)', "pass")
    committed.run("tighten")
    committed.commit("main lowers")
    committed.git("checkout", "--quiet", "topic")
    assert last_line(committed.run("check", "--since=main")) == "check: clean"


def test_since_needs_no_baseline_of_a_rule_that_is_new(committed: Project) -> None:
    rule = FILES["rules/shop/settings-override.toml"].replace('formerly = ["settings-writer"]\n', "")
    committed.write("rules/shop/settings-twin.toml", rule)
    assert committed.run("check").code == 2
    assert last_line(committed.run("check", "--since=main")) == "check: clean"


def test_since_where_a_file_of_then_does_not_parse(committed: Project) -> None:
    committed.write("src/shop/broken.py", "def f(settings:\n")
    committed.commit("broken")
    committed.git("checkout", "--quiet", "-b", "topic")
    committed.write("src/shop/broken.py", "def f(settings):\n    settings.override('f', a=1)\n")
    outcome = committed.run("check", "--since=main")
    assert (outcome.code, last_line(outcome)) == (1, "check: failed: 1 new site")
    assert "note: broken.py could not be judged in the tree of main: all its sites are new" in outcome.out


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        pytest.param("origin/main", "there is no commit `origin/main`", id="no-such-ref"),
        pytest.param("-x", "there is no commit `-x`", id="like-an-option"),
        pytest.param("HEAD:src", "there is no commit `HEAD:src`", id="a-tree"),
    ],
)
def test_since_what_is_no_commit(committed: Project, ref: str, sentence: str) -> None:
    outcome = committed.run("check", f"--since={ref}")
    assert (outcome.code, outcome.out) == (3, "")
    assert sentence in outcome.err


def test_a_shallow_clone(committed: Project, tmp_path: Path) -> None:
    for number in range(3):
        committed.write("src/shop/fine.py", f"x = {number}\n")
        committed.commit(f"step {number}")
    committed.git("branch", "old", "HEAD~3")
    source = committed.folder.as_uri()
    committed.git("clone", "--quiet", "--depth=1", source, str(tmp_path / "shallow"))
    clone = Project(tmp_path / "shallow")
    assert last_line(clone.run("check")) == "check: clean"
    clone.git("fetch", "--quiet", "--depth=1", "origin", "old:old")
    outcome = clone.run("check", "--since=old")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith("; run `git fetch --unshallow`\n")
    missing = clone.run("check", "--since=v1")
    assert (missing.code, "run `git fetch --unshallow`" in missing.err) == (3, True)
    clone.git("fetch", "--quiet", "--unshallow")
    assert last_line(clone.run("check", "--since=old")) == "check: clean"


def test_a_linked_work_tree(committed: Project, tmp_path: Path) -> None:
    committed.git("worktree", "add", "--quiet", "-b", "topic", str(tmp_path / "linked"))
    linked = Project(tmp_path / "linked")
    linked.write("src/shop/cart.py", NEW)
    linked.git("add", "--all")
    for arguments in ([], ["--staged"], ["--since=main"]):
        assert last_line(linked.run("check", *arguments)) == "check: failed: 1 new site"
        assert last_line(committed.run("check", *arguments)) == "check: clean"


def test_a_submodule_is_a_repository_of_its_own(committed: Project, tmp_path: Path) -> None:
    outer = Project.create(tmp_path / "outer", {"README.md": "outer\n"})
    outer.start_history()
    outer.git("submodule", "add", "--quiet", str(committed.folder), "inner")
    outer.commit("submodule")
    inner = Project(outer.folder / "inner")
    inner.write("src/shop/cart.py", NEW)
    assert last_line(inner.run("check", "--since=main")) == "check: failed: 1 new site"
    assert last_line(inner.run("check", "--staged")) == "check: clean"
    from_outside = outer.run("check", "--config=inner/ratchet.toml", "--since=HEAD")
    assert last_line(from_outside) == "check: failed: 1 new site"


def test_inside_of_a_hook_the_index_of_the_commit_counts(
    committed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.write("src/shop/cart.py", NEW)
    monkeypatch.setenv("GIT_DIR", str(committed.folder / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert last_line(committed.run("check", "--staged")) == "check: clean"
    assert last_line(committed.run("check", "--since=HEAD")) == "check: failed: 1 new site"
