"""The count after a write: out of the cache where the tree is what was counted before, and never blindly."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ratchet.checking.migrating import Writing, migrate_tree
from ratchet.checking.migration import Request
from ratchet.errors import JudgeError
from ratchet.flow.known import flows_key
from ratchet.frozen import replace
from ratchet.roles.restricted import roles_key
from ratchet.scan import Progress, index_key
from ratchet.session import Options, Session, open_sessions
from ratchet.source.overlay import Overlay
from ratchet.tally import remember_as
from ratchet.tree import plan_of
from tests.cli.project import Project
from tests.codemod.write.shop import create

REQUEST = Request(everything=True)
HELPER = "from shop.context import get_settings\n\n\ndef helper():\n    return get_settings()\n"
USER = "from shop.helper import helper\n\n\ndef f():\n    return helper().retries\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project with a value that one file hands to another, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    made = create(tmp_path / "work")
    made.write("src/shop/helper.py", HELPER)
    made.write("src/shop/user.py", USER)
    time.sleep(0.1)  # a file that has just been written may change again unseen, so it is not remembered
    for baseline in (made.folder / "baselines").glob("*.tsv"):
        baseline.unlink()
    made.adopt()
    return made


def migrated(project: Project, step: Callable[[str], None], progress: Progress | None = None) -> None:
    with open_sessions(Options(), cwd=project.folder, progress=progress) as (session,):
        assert migrate_tree(session, REQUEST, Writing(typecheck=False, step=step)).exit_code == 0


def told(session: Session) -> list[str | None]:
    """What the cache says to counts of parts of the tree on disk."""
    tree = session.tree(session.work_tree())
    mark = plan_of(tree).fingerprint
    keys = (index_key(mark, tree.root), flows_key(tree, mark), roles_key(tree, mark))
    return [session.cache.get_result(key) for key in keys]


def test_nothing_is_judged_again(project: Project) -> None:
    seen: list[str] = []
    migrated(project, seen.append, Progress(start=lambda total: seen.append(f"judge {total}")))
    assert "finish" in seen
    assert seen[seen.index("finish") :] == ["finish"]
    assert any(one.startswith("judge") for one in seen)


@pytest.mark.parametrize("path", ["src/shop/menu.py", "src/shop/late.py"], ids=["written", "another"])
def test_a_change_at_the_last_moment_is_seen(project: Project, path: str) -> None:
    def change(step: str) -> None:
        if step == "finish":
            project.write(path, "from shop.context import get_settings\nx = get_settings().retries\n")

    with pytest.raises(JudgeError, match=r"^the written tree has \d+ sites? of the rule .*meanwhile"):
        migrated(project, change)


def test_parts_are_told_what_a_count_of_the_written_tree_says(project: Project) -> None:
    with open_sessions(Options(), cwd=project.folder) as (session,):
        session.count(session.tree(session.work_tree()))
        before = told(session)
        migrate_tree(session, REQUEST, Writing(typecheck=False))
        after = told(session)
    fresh = Options(cache_dir=project.folder / "another-cache")
    with open_sessions(fresh, cwd=project.folder) as (session,):
        session.count(session.tree(session.work_tree()))
        assert (told(session), after != before) == (after, True)


def test_parts_are_told_nothing_of_another_tree(project: Project) -> None:
    with open_sessions(Options(), cwd=project.folder) as (session,):
        disk = session.tree(session.work_tree())
        session.count(disk)
        before = told(session)
        planned = {"menu.py": b"from shop.context import get_net\n"}
        session.count(session.tree(Overlay(disk.source, planned), "#planned"))
        other = Overlay(disk.source, {"helper.py": b"x = 1\n"})
        remember_as(replace(disk, source=other, root=f"{disk.root}#planned"), disk.root, session.cache)
        assert told(session) == before
