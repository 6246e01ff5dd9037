"""Rules about a whole tree, counted from commit to commit: the same as in each tree by itself."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ratchet.flow.matching import findings_of
from ratchet.history import joined as history_joined
from ratchet.history.counted import CountedTree
from ratchet.history.recount import Counted, recount
from ratchet.model import Rule
from ratchet.roles.known import follow_roles
from ratchet.session import open_sessions
from ratchet.source.log import log
from ratchet.workspace import Options
from tests.history.dated import Dated
from tests.roles.engine import DRAWER, TREE

HEAD = "from sglang.srt.runtime_context import get_context, get_exec, get_schedule\n\n"
# What files are made of: the ends of a few fields, callers, and code that a role reaches.
PIECES = (
    "def close{n}(server_args):\n    server_args.override('gate', page_size={n})\n",
    "def pages{n}():\n    return get_schedule().page_size\n",
    "def open{n}():\n    get_context().override('open', page_size={n}, enable_lora=True)\n",
    "def old{n}(server_args):\n    return server_args.page_size, get_schedule().max_running_requests\n",
    "class Draft{n}:\n    def __init__(self, server_args):\n        server_args.page_size = {n}\n"
    "        self.server_args = server_args\n\n    def size(self):\n        return self.server_args.page_size\n",  # noqa: E501
    "def choose{n}(server_args):\n    server_args.grammar_backend = 'none'\n",
    "def use{n}(server_args):\n    return server_args.grammar_backend\n",
    "def both(server_args):\n    choose{n}(server_args)\n    use{n}(server_args)\n",
    "def again{n}(server_args):\n    server_args.enable_lora = False\n    return server_args.enable_lora\n",
    "SIZE = get_schedule().page_size\n",
    "def at_import():\n    return get_exec().moe\n\nat_import()\n",
    "def method(server_args):\n    return server_args.settled()\n",
    "def control():\n    return get_schedule().page_size\n",
    "# nothing\n",
    "def broken(server_args:\n",
)
SERVER_ARGS = "srt/arg_groups/hook.py"
MAKER = (
    "def settle(server_args):\n    server_args.enable_lora = {0}\n    return server_args.grammar_backend\n",
    "# nothing\n",
)


def count(project: Dated, *, whole: bool = False) -> tuple[Counted, ...]:
    with open_sessions(Options(), cwd=project.folder) as (session,):
        commits = log(project.folder, "HEAD", [session.place.prefix])[::-1]
        return recount(session, project.folder, commits[0].commit, commits[1:], whole=whole)


def begun(folder: Path) -> Dated:
    project = Dated(folder)
    folder.mkdir()
    project.git("init", "--quiet", "--initial-branch=main")
    project.write("ratchet.toml", "root = 'sglang'\npacks = ['sglang']\n")
    project.write("sglang/_version.py", "__version__ = '0.5.17'\n")
    for path, text in TREE.items():
        project.write(f"sglang/{path}", text)
    project.commit_on(1, "start")
    return project


def joined(found: Counted) -> dict[str, int]:
    wanted = ("-write", "-read", "split-function", "message-bus")
    return {rule: sites.total() for rule, sites in found.sites.items() if rule.endswith(wanted)}


@pytest.mark.parametrize("seed", [1])
def test_random_histories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The oracle scans every tree by itself."""
    chance = random.Random(seed)
    project = begun(tmp_path / "work")
    for number in range(60):
        path = f"sglang/srt/managers/{chance.choice(('a', 'b', 'c', 'drawer'))}.py"
        kind = chance.random()
        if kind < 0.15 and (project.folder / path).exists():
            (project.folder / path).unlink()
        elif kind < 0.3:
            project.write(f"sglang/{SERVER_ARGS}", chance.choice(MAKER).format(chance.choice((True, False))))
        else:
            pieces = chance.sample(PIECES[:-1], 3) + [PIECES[-1]] * (chance.random() < 0.1)
            drawer = DRAWER if "drawer" in path and chance.random() < 0.7 else ""
            project.write(path, drawer + HEAD + "\n".join(pieces).format(n=1))
        project.commit_on(2, f"commit {number}")
    scans = 0
    scan = CountedTree.__init__

    def scanned(self: CountedTree, *given: object) -> None:
        nonlocal scans
        scans += 1
        scan(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(CountedTree, "__init__", scanned)
    found = count(project)
    steps = scans
    assert found == count(project, whole=True)
    assert steps < 30
    counts = [joined(each) for each in found]
    for rule in (
        "lost-write", "stale-read", "dead-write", "redundant-write", "split-function", "shared-write",
        "message-bus", "unpublished-read", "role-undeclared-read",
    ):  # fmt: skip
        assert len({each.get(rule) for each in counts}) > 1, rule


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        pytest.param(("server-args-override",), set(), id="a-file-alone"),
        pytest.param(("lost-write",), {"lost-write"}, id="flow"),
        pytest.param(("role-undeclared-read",), {"role"}, id="role"),
        pytest.param(("lost-write", "text-override"), {"lost-write"}, id="two"),
    ],
)
def test_no_more_is_looked_for_than_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: tuple[str, ...], kinds: set[str]
) -> None:
    project = begun(tmp_path / "work")
    for number in (1, 2):
        project.write("sglang/srt/managers/a.py", HEAD + "\n\n".join(PIECES[:number]).format(n=number))
        project.commit_on(number + 1, f"change {number}")
    looked: set[str] = set()

    def findings(rule: Rule, *others: Any) -> Any:
        looked.add(rule.id)
        return findings_of(rule, *others)

    def follow(*arguments: Any) -> Any:
        looked.add("role")
        return follow_roles(*arguments)

    monkeypatch.setattr(history_joined, "findings_of", findings)
    monkeypatch.setattr(history_joined, "follow_roles", follow)
    told = {rule: project.story("--recount", rule=rule) for rule in rules}
    looked.clear()
    named = project.report("history", *rules, "--recount")["rules"]
    assert looked == kinds
    assert {each["id"]: each for each in named} == told
    assert any(each["steps"] for each in named)
    for rule in rules:
        looked.clear()
        project.report("blame", rule)
        assert looked <= kinds
