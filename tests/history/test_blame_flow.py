"""Since when the sites of rules about a whole tree are there, and which commit turned main red."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.history.dated import Dated

CONTEXT = "from sglang.srt.runtime_context import get_context, get_schedule\n\n"
PLACEMENT = "srt/eplb/placement.py"
GATE = "def close(server_args):\n    server_args.override('gate', page_size=1)\n"
READER = f"{CONTEXT}def pages():\n    return get_schedule().page_size\n"
STALE = "def nodes(server_args):\n    return server_args.ep_size\n"
GROW = f"{CONTEXT}def grow(ranks):\n    get_context().override('grow', ep_size=ranks)\n"


@pytest.fixture
def engine(tmp_path: Path) -> Dated:
    """A tree of the engine in git, with adopted baselines, and no site."""
    project = Dated(tmp_path / "work")
    project.folder.mkdir()
    project.git("init", "--quiet", "--initial-branch=main")
    project.write("ratchet.toml", "root = 'sglang'\npacks = ['sglang']\n")
    project.write("sglang/_version.py", "__version__ = '0.5.17'\n")
    for path, text in (("srt/pool.py", "# soon\n"), ("srt/gate.py", "# soon\n"), (PLACEMENT, STALE)):
        project.write(f"sglang/{path}", text)
    assert project.run("adopt", "--all").code == 0
    project.commit_on(1, "start", "Ann")
    return project


def told(project: Dated, rule: str) -> list[tuple[str, str, str, str]]:
    return [
        (each["path"], each["code"], each["commit"]["author"], each["commit"]["subject"])
        for each in project.report("blame", rule)["sites"]
    ]


def red(project: Dated, rule: str) -> tuple[str, int] | None:
    found = project.report("blame", rule)["red"]
    return found and (found["commit"]["subject"], found["unrecorded"])


def test_a_pair_of_path_and_field_begins_with_its_first_read(engine: Dated) -> None:
    engine.write("sglang/srt/scale.py", GROW)
    engine.commit_on(2, "the namespace is overridden", "Bea")
    engine.write(
        f"sglang/{PLACEMENT}", f"def first(server_args):\n    return server_args.ep_size\n\n\n{STALE}"
    )
    engine.commit_on(3, "one more read above", "Cem")
    assert told(engine, "stale-read") == [(PLACEMENT, "ep_size", "Ann", "start")]
    assert red(engine, "stale-read") == ("the namespace is overridden", 1)


def test_a_lost_write_turns_main_red_where_the_reader_moves(engine: Dated) -> None:
    engine.write("sglang/srt/gate.py", GATE)
    engine.commit_on(2, "a gate", "Bea")
    engine.write("sglang/srt/pool.py", READER)
    engine.commit_on(3, "the reader moves", "Cem")
    engine.write("sglang/srt/gate.py", f"# a comment\n\n\n{GATE.replace('1', '2')}")
    engine.commit_on(4, "another value", "Dee")
    site = ("srt/gate.py", "server_args.override(page_size)", "Bea", "a gate")
    assert told(engine, "lost-write") == [site]
    assert red(engine, "lost-write") == ("the reader moves", 1)
    assert engine.run("blame", "lost-write").out.partition("lost-write: ")[2] == (
        "1 site by 1 author\n"
        "the code is as old as that; what makes it a site may be younger:"
        " ratchet history lost-write --recount\n"
        f"red since 2026-01-03 {engine.git('rev-parse', 'HEAD~1')[:9]}  Cem: the reader moves\n"
        "  HEAD holds 1 site that its baseline lacks\n"
    )


def test_the_burn_down_is_counted_where_an_end_changes(engine: Dated) -> None:
    engine.write("sglang/srt/gate.py", GATE)
    engine.commit_on(2, "a gate")
    engine.write("sglang/srt/pool.py", READER)
    engine.commit_on(3, "the reader moves")
    engine.write("sglang/srt/pool.py", "# gone\n")
    engine.commit_on(4, "the reader goes")
    steps = engine.story("--recount", rule="lost-write")["steps"]
    assert [(step["subject"], step["committed"], step["counted"]) for step in steps] == [
        ("start", 0, 0),
        ("the reader moves", 0, 1),
        ("the reader goes", 0, 0),
    ]
