"""Batches: every edit once, counts that lead from one to the next, samples that do not change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratchet.checking.settled import settled_migration
from ratchet.history.agenda import Limits, agenda, sample_of
from ratchet.history.counted import CountedTree
from ratchet.history.left import WIDEST
from ratchet.session import Session, open_sessions
from ratchet.workspace import Options
from tests.cli.project import CONTEXT
from tests.history.dated import HASTY, PATIENT, Dated
from tests.trees import tree_of

READER = "from shop.context import get_settings\n\n\ndef f():\n    return get_settings().{}\n"


@pytest.fixture
def readers(project: Dated) -> Dated:
    """Five reads of two namespaces in files of two owners, and nothing that holds them."""
    for site in (HASTY, PATIENT):
        project.edit("src/shop/cart.py", site, "        pass\n")
    text = project.read("rules/shop/pack.toml")
    space = '[[namespace]]\npath = "ui"\naccessor = "shop.context.get_ui"\n\n[schema]'
    project.write("rules/shop/pack.toml", text.replace("[schema]", space))
    project.write("src/shop/context.py", f"{CONTEXT}\n\ndef get_ui():\n    return _ui\n")
    project.write("CODEOWNERS", "* @shop\nb*.py @bee\n")
    for name, field in (("a1", "timeout"), ("a2", "name"), ("b1", "timeout"), ("b2", "retries")):
        project.write(f"src/shop/{name}.py", READER.format(field))
    project.run("adopt", "--all")
    project.commit_on(2, "readers")
    return project


def test_the_text(readers: Dated) -> None:
    outcome = readers.run("plan", "--sample", "1")
    assert outcome.err == ""
    assert (
        outcome.out
        == """\
batch 1  net, @bee: 2 sites in 2 files
  settings-read  5 → 3
  read: src/shop/b1.py:5  get_settings().timeout → get_net().timeout

batch 2  net, @shop: 2 sites in 2 files
  settings-read  3 → 1
  read: src/shop/cart.py:10  get_settings().timeout → get_net().timeout

batch 3  ui, @shop: 1 site in 1 file
  settings-read  1 → 0
  read: src/shop/a2.py:5  get_settings().name → get_ui().name

5 sites can move in 3 batches
  settings-read  5 → 0
0 sites stay
"""
    )


def test_counts_lead_from_batch_to_batch(readers: Dated) -> None:
    report = readers.report("plan", "--max-sites", "1")
    steps = [change for batch in report["batches"] for change in batch["changes"]]
    assert [(step["before"], step["after"]) for step in steps] == [(5, 4), (4, 3), (3, 2), (2, 1), (1, 0)]
    assert report["changes"] == [{"rule": "settings-read", "before": 5, "after": 0}]
    assert [len(batch["ids"]) for batch in report["batches"]] == [1] * 5


SPELLED = """\
title = "the settings, by their spelling"
kind = "text"
mode = "ratchet"
why = "What is spelled out is found by a search only."
instead = "Read the namespace."

[match]
regex = 'get_settings\\(\\)\\.'

[[example]]
bad = "get_settings().timeout"
good = "get_net().timeout"
"""

SPLIT = """\
title = "reads off the record in functions that read the same namespace"
kind = "flow"
mode = "ratchet"
why = "It sees values of two times."
instead = "Read all of them off the namespace."

[match]
shape = "split-function"

[[example]]
bad = '''
from shop.context import get_net, get_settings

def f():
    return get_net().timeout + get_settings().retries
'''
good = '''
from shop.context import get_net

def f():
    return get_net().timeout + get_net().retries
'''
"""

PASSED = """\
title = "settings that are handed over"
kind = "text"
mode = "ratchet"
why = "Who is handed them can read more."
instead = "Read the namespace."

[match]
regex = 'settings: Settings'

[[example]]
bad = "def f(settings: Settings): pass"
good = "def f(): pass"
"""

HANDED = """\
from shop.context import get_settings
from shop.settings import Settings


def f():
    return get_settings().timeout + get_settings().retries


def g(settings: Settings):
    return settings.timeout


def h():
    return g(get_settings())
"""

ESCAPE = """\
title = "settings that leave"
kind = "access"
mode = "ratchet"
why = "Nobody can see which fields are used."
instead = "Hand over the values."

[match]
operations = ["escape"]

[[example]]
bad = '''
from shop.context import get_settings

def f():
    print(get_settings())
'''
good = "def f(): pass"
"""


@pytest.fixture
def ruled(readers: Dated) -> Dated:
    """The readers, a function that is handed the record, and rules over the text and over the whole tree."""
    for name, rule in (("spelled", SPELLED), ("split", SPLIT), ("passed", PASSED)):
        readers.write(f"rules/shop/{name}.toml", rule)
    readers.write("src/shop/a3.py", HANDED)
    return readers


IN_NET = ("plan", "--namespace", "net", "--max-sites", "1", "--sample", "0")
WHOLE = """\
batch 1  net, @bee: 1 site in 1 file
  settings-read  7 → 6
  spelled  7 → 6

batch 2  net, @bee: 1 site in 1 file
  settings-read  6 → 5
  spelled  6 → 5

batch 3  net, @shop: 1 site in 1 file
  settings-read  5 → 4
  spelled  5 → 4

batch 4  net, @shop: 1 site in 1 file
  settings-read  4 → 3
  spelled  4 → 3
  split  0 → 1

batch 5  net, @shop: 1 site in 1 file
  settings-read  3 → 2
  spelled  3 → 2
  split  1 → 0

batch 6  net, @shop: 1 site in 1 file
  passed  1 → 0

batch 7  net, @shop: 1 site in 1 file
  settings-read  2 → 1
  spelled  2 → 1

7 sites can move in 7 batches
  passed  1 → 0
  settings-read  7 → 1
  spelled  7 → 1
  with 1 parameter dropped that nothing uses then
0 sites stay
"""


def test_the_counts_are_those_of_every_rule(ruled: Dated) -> None:
    """Between two batches a function reads both stores; a parameter goes with the batch of its last use."""
    assert ruled.run(*IN_NET).out == WHOLE
    assert ruled.run(*IN_NET).out == WHOLE, "out of the cache"
    assert ruled.report(*IN_NET)["dropped"] == 1


def test_a_known_plan_is_cut_anew(ruled: Dated) -> None:
    ruled.run(*IN_NET[:3])
    assert ruled.run(*IN_NET).out == WHOLE


def test_each_batch_is_counted_by_what_it_changes(ruled: Dated, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = calls_of(monkeypatch, CountedTree, "__init__")
    steps = calls_of(monkeypatch, CountedTree, "step")
    assert ruled.run(*IN_NET).out == WHOLE
    assert (len(whole), len(steps)) == (1, 7)


def test_batches_that_do_not_lead_to_the_sum_are_counted_whole(
    ruled: Dated, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CountedTree, "step", lambda self, source: True)
    whole = calls_of(monkeypatch, Session, "count")
    assert ruled.run(*IN_NET).out == WHOLE
    assert len(whole) == 2 + 8, "the tree as it is and as it becomes, and with each batch"


def calls_of(monkeypatch: pytest.MonkeyPatch, holder: type, name: str) -> list[str]:
    """The calls of a method from now on."""
    calls: list[str] = []
    method = getattr(holder, name)

    def called(*args: object) -> object:
        calls.append(name)
        return method(*args)

    monkeypatch.setattr(holder, name, called)
    return calls


def test_batches_are_what_migrate_writes_of_them(ruled: Dated) -> None:
    """Nobody owns anything here, so that both cut the plan alike."""
    (ruled.folder / "CODEOWNERS").unlink()
    ruled.run("adopt", "--all")
    ruled.commit_on(3, "rules")
    planned = [batch["changes"] for batch in ruled.report(*IN_NET)["batches"]]
    asked = ("--writes", "--parameters", "--chains", "--max-sites", "1", "--no-typecheck")
    how = ("--write", "--commit", "--allow-new", "the next one mends it")
    written = ruled.report("migrate", "--namespace", "net", *asked, *how)
    assert [one["baseline"] for one in written["slices"]] == planned
    assert sum(bool(changes) for changes in planned) == 7


def test_a_batch_leaves_what_is_counted_when_it_is_written(readers: Dated) -> None:
    readers.write("rules/shop/spelled.toml", SPELLED)
    expected = {change["rule"]: change["after"] for change in readers.report("plan")["batches"][0]["changes"]}
    for path in ("src/shop/b1.py", "src/shop/b2.py"):
        text = readers.read(path)
        readers.write(path, text.replace("get_settings", "get_net"))
    counts = {rule["id"]: rule["count"] for rule in readers.report("count")["rules"]}
    assert expected == {rule: counts[rule] for rule in expected}
    assert set(expected) == {"settings-read", "spelled"}


def test_one_namespace(readers: Dated) -> None:
    report = readers.report("plan", "--namespace", "ui")
    assert [(batch["namespace"], batch["owner"], batch["paths"]) for batch in report["batches"]] == [
        ("ui", "@shop", ["a2.py"])
    ]


def test_a_limit_that_was_asked_for_is_kept(readers: Dated) -> None:
    readers.write("src/shop/a1.py", READER.format("timeout + get_settings().timeout"))
    outcome = readers.run("plan", "--max-sites", "1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "2 sites in 1 file have to move together" in outcome.err


def test_samples_are_stable_and_seeded(readers: Dated) -> None:
    plain = readers.run("plan", "--sample", "1").out
    assert readers.run("plan", "--sample", "1").out == plain
    seeds = {readers.run("plan", "--sample", "1", "--seed", seed).out for seed in "abcdef"}
    assert len(seeds) > 1
    assert "read:" not in readers.run("plan", "--sample", "0").out


@given(st.lists(st.text(max_size=4), unique=True), st.integers(0, 6), st.text(max_size=3))
def test_a_sample_is_in_order_and_does_not_lose_its_own(names: list[str], count: int, seed: str) -> None:
    """What is left out of a sample can go without changing it."""
    chosen = sample_of(names, count, seed, str)
    assert len(chosen) == min(count, len(names))
    assert [name for name in names if name in chosen] == list(chosen)
    assert sample_of(chosen, count, seed, str) == chosen


@pytest.mark.slow
def test_all_batches_together_are_the_plan(tmp_path: Path, trees_cache: Path) -> None:
    options = Options(root=tree_of("0.5.17"), packs=("sglang",), cache_dir=trees_cache)
    with open_sessions(options, cwd=tmp_path) as (session,):
        made = agenda(session, WIDEST, Limits())
        plan = settled_migration(session, WIDEST).plan
    assert sorted(edit.id for part in made.parts for edit in part.edits) == sorted(
        edit.id for edit in plan.edits
    )
    last = {change.rule: change.after for part in made.parts for change in part.changes}
    assert sum(len(part.writes) for part in made.parts) >= 1
    assert made.dropped > 0
    assert last == {change.rule: change.after for change in made.changes}


def test_a_hand_over_goes_with_its_parameter_and_is_in_no_plan_by_itself(ruled: Dated) -> None:
    ruled.write("rules/shop/escape.toml", ESCAPE)
    told = ruled.run("status", "escape").out.splitlines()
    assert [line.split() for line in told if line.startswith("escape")] == [
        ["escape", "1", "0", "1", "not", "planned", "1"]
    ]
    plan = ruled.run("plan", "--namespace", "net").out.splitlines()
    assert plan.count("  escape  1 → 0") == 2
    assert "  with 1 parameter dropped that nothing uses then" in plan
