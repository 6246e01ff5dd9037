"""Everything written to copies of real releases: proved, type checked, counted again, and then done."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ratchet.checking.forecast import foresee
from ratchet.checking.migrating import Outcome, Writing, migrate_tree
from ratchet.checking.migration import Migration, Request, plan_migration, scan_tree, subject_of
from ratchet.checking.rewriting import Workbench
from ratchet.checking.typechecking import checker_of
from ratchet.checking.writing import undo_write
from ratchet.codemod.plan import plan_tree
from ratchet.codemod.proof import prove
from ratchet.frozen import replace
from ratchet.session import Options, Session, open_sessions
from tests.codemod.linting import complaints
from tests.trees import tree_of

EVERYTHING = Request(everything=True, writes=True)
RELEASES = ("0.5.16", "0.5.17")

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Copy:
    """A release, a copy of it that was migrated, and what became of that."""

    original: Path
    root: Path
    session: Session
    outcome: Outcome


def copied(release: str, folder: Path) -> Path:
    """A copy of the Python files of a release."""
    root = folder / "sglang"
    ignored = shutil.ignore_patterns("*.so", "*.cu", "*.cuh", "*.json", "*.h", "*.cpp", "*.pyc")
    shutil.copytree(tree_of(release), root, ignore=ignored)
    return root


def options(root: Path, cache: Path, folder: Path, jobs: int = 2) -> Options:
    """The options of a run that leaves nothing outside of the cache and `folder`."""
    return Options(root=root, cache_dir=cache, baselines=folder / "baselines", jobs=jobs)


@pytest.fixture(scope="module", params=RELEASES)
def written(
    request: pytest.FixtureRequest, trees_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Copy]:
    folder = tmp_path_factory.mktemp("written")
    root = copied(request.param, folder)
    with open_sessions(options(root, trees_cache, folder)) as (session,):
        yield Copy(tree_of(request.param), root, session, migrate_tree(session, EVERYTHING, Writing()))


def contents(root: Path) -> dict[str, bytes]:
    """Every Python file of a tree."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.py"))}


def test_all_is_written(written: Copy) -> None:
    (done,) = written.outcome.done
    assert (written.outcome.exit_code, done.prepared.failed) == (0, ())
    assert done.prepared.typecheck.status == "clean"
    assert done.prepared.typecheck.sites == len(done.prepared.edits) > 0
    assert [skip for skip in written.outcome.migration.plan.skips if skip.reason == "type-error"] == []


def test_only_the_planned_files_changed(written: Copy) -> None:
    before, after = contents(written.original), contents(written.root)
    (done,) = written.outcome.done
    changed = [path for path in before if before[path] != after[path]]
    assert changed == sorted(file.path for file in done.prepared.files)


def test_the_recount_is_what_was_predicted(written: Copy, trees_cache: Path, tmp_path: Path) -> None:
    counts = []
    for root in (written.original, written.root):
        with open_sessions(options(root, trees_cache, tmp_path)) as (session,):
            counts.append(session.count(session.tree(session.work_tree())).sites)
    before, after = counts
    differing = {
        rule: (len(before[rule]), len(after[rule]))
        for rule in before
        if len(before[rule]) != len(after[rule])
    }
    assert differing == {count.rule: (count.before, count.after) for count in written.outcome.counts}
    if written.original.parent.name == "0.5.16":
        assert "text-override" in differing


def test_the_plan_tells_what_is_counted_afterwards(written: Copy, trees_cache: Path, tmp_path: Path) -> None:
    with open_sessions(options(written.original, trees_cache, tmp_path)) as (session,):
        plan, _ = foresee(session, EVERYTHING)
        again, _ = foresee(session, EVERYTHING)
    (done,) = written.outcome.done
    assert done.written is not None
    assert plan.baseline == again.baseline == written.outcome.counts
    assert [site.key for site in plan.new] == [site.key for site in done.written.new]
    assert again.new == plan.new != ()


def test_a_second_run_writes_nothing(written: Copy) -> None:
    before = contents(written.root)
    again = migrate_tree(written.session, EVERYTHING, Writing(typecheck=False))
    assert [one.written.files for one in again.done if one.written] == [()]
    assert contents(written.root) == before


def test_linters_find_nothing_new(written: Copy) -> None:
    assert complaints(written.root) - complaints(written.original) == Counter()


def test_any_number_of_processes_writes_the_same(written: Copy, trees_cache: Path, tmp_path: Path) -> None:
    root = copied(written.original.parent.name, tmp_path)
    with open_sessions(options(root, trees_cache, tmp_path, jobs=1)) as (session,):
        migrate_tree(session, EVERYTHING, Writing(typecheck=False))
        assert contents(root) == contents(written.root)
        undo_write(session)
    after = contents(root)
    assert {path: data for path, data in contents(written.original).items() if after[path] != data} == {}


def test_a_planted_wrong_map_is_caught(trees_cache: Path, tmp_path: Path) -> None:
    """Every field of one namespace is given to another after the stubs were made."""
    with open_sessions(options(tree_of("0.5.16"), trees_cache, tmp_path)) as (session,):
        right = plan_migration(session, EVERYTHING)
        with checker_of(right.tree) as checker:
            fields = {
                name: replace(field, namespace="memory") if field.namespace == "schedule" else field
                for name, field in right.tree.schema.fields.items()
            }
            tree = replace(right.tree, schema=replace(right.tree.schema, fields=fields))
            plan = plan_tree(subject_of(tree, scan_tree(session, tree)), right.selection)
            bench = Workbench(session, Migration(tree, right.selection, plan, (), right.census))
            files = bench.rewrite()
            assert [problem for file in files for problem in prove(file, bench.style)] == []
            refused = checker.objections(files).edits
        known = right.tree.schema.fields
        wrong = {edit.id for edit in bench.edits if known[edit.field].namespace == "schedule"}
        assert wrong <= refused.keys()
        assert len(wrong) > 10
        calls = {edit.span for edit in bench.edits if edit.id in wrong}
        assert {edit.id for edit in bench.edits if edit.id in refused and edit.span not in calls} == set()
