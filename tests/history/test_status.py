"""How far a migration is: every site moves, stays for a reason, or is nobody's; and the baselines of then."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ratchet.checking.settled import settled_migration
from ratchet.history.left import WIDEST, leftover
from ratchet.history.status import status
from ratchet.session import open_sessions
from ratchet.workspace import Options
from tests.history.dated import HASTY, LOUD, PATIENT, REFUSED, Dated
from tests.trees import tree_of


def named(entries: Any) -> dict[str, Any]:
    return {each["name"]: each for each in entries}


def test_rules_stand_beside_their_first_baseline(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone")
    first = project.git("rev-list", "--max-parents=0", "HEAD").strip()
    rules = named(project.report("status")["rules"])
    told = {name: (each["now"], each["first"], each["since"]) for name, each in rules.items()}
    assert told == {
        "settings-override": (1, 2, first),
        "settings-read": (1, 1, first),
        "shell": (0, None, None),
    }


def test_every_site_has_a_fate(project: Dated) -> None:
    report = project.report("status")
    for each in (*report["rules"], *report["namespaces"], *report["owners"]):
        assert each["moves"] + sum(each["stays"].values()) + each["others"] == each["now"]
    assert sum(each["now"] for each in report["namespaces"]) == sum(each["now"] for each in report["rules"])
    assert sum(each["now"] for each in report["owners"]) == sum(each["now"] for each in report["rules"])


def test_owners_of_now_and_of_then(project: Dated) -> None:
    project.write("CODEOWNERS", "* @shop\ncart.py @cart\n")
    project.write("src/shop/new.py", "from shop.context import get_settings\n\nget_settings().timeout\n")
    project.commit_on(2, "owners")
    owners = named(project.report("status")["owners"])
    assert {name: (each["now"], each["first"]) for name, each in owners.items()} == {
        "@cart": (3, 3),
        "@shop": (1, 0),
    }


def test_without_a_repository_the_first_numbers_are_not_known(tmp_path: Path) -> None:
    project = Dated(Dated.create(tmp_path / "new").folder)
    report = project.report("status")
    assert {each["first"] for each in (*report["rules"], *report["owners"])} == {None}
    assert "the first baselines are not known: baselines lies in no git repository" in report["notes"][-1]


def test_a_file_that_cannot_be_judged_ends_in_3(project: Dated) -> None:
    project.write("src/shop/bad.py", "def (get_settings\n")
    outcome = project.run("status")
    assert outcome.code == 3
    assert "bad.py:1: not judged:" in outcome.err


def test_the_text(project: Dated) -> None:
    project.write(
        "src/shop/new.py", "from shop.context import get_settings\n\n\ndef f():\n    get_settings().name\n"
    )
    project.commit_on(2, "one more")
    assert (
        project.run("status").out
        == """\
rule               now  first  can move  stay  because
settings-override    2      2         0     2  no-namespace 2
settings-read        2      1         0     2  no-namespace 1, owner-elsewhere 1
shell                0      -         0     0

namespace  now  can move  stay  because
(none)       2         0     2  no-namespace 2
net          1         0     1  owner-elsewhere 1
ui           1         0     1  no-namespace 1

owner   now  first  can move  stay  because
(none)    4      3         0     4  no-namespace 3, owner-elsewhere 1
"""
    )


@pytest.mark.parametrize("option", ["--no-cache", "--cache-dir=cache"])
def test_what_the_rewriter_refuses_stays(project: Dated, option: str) -> None:
    project.write("src/shop/new.py", REFUSED)
    for _ in range(2):  # remembered, too
        rules = named(project.report("status", option)["rules"])
        assert (rules["settings-read"]["moves"], rules["settings-read"]["stays"]) == (
            0,
            {"optional-injection": 1, "owner-elsewhere": 1},
        )
        stays = project.report("plan", option)["stays"]
        told = project.report("migrate", "--all", "--writes", "--chains", "--parameters", option)
        assert stays == dict(Counter(skip["reason"] for skip in told["skips"]))


@pytest.mark.parametrize("option", ["--no-cache", "--cache-dir=cache"])
def test_what_the_codemod_of_a_rule_moves(project: Dated, option: str) -> None:
    project.write("rules/shop/loud.toml", LOUD)
    project.write("src/shop/log.py", "def get_log(): ...\n")
    project.write("src/shop/new.py", "print('a')\nprint('b')\nTEXT = f'{print(1)}'\n")
    for _ in range(2):  # remembered, too
        loud = named(project.report("status", option)["rules"])["loud"]
        assert (loud["moves"], loud["stays"], loud["others"]) == (2, {"uncertain-text": 1}, 0)
        told = project.report("migrate", "--rule", "loud", option)
        assert (len(told["edits"]), [skip["reason"] for skip in told["skips"]]) == (2, ["uncertain-text"])
    project.write("rules/shop/loud.toml", LOUD.replace("info($WHAT)", "info($WHAT, $WHAT)"))
    project.write("src/shop/new.py", "print(call())\nprint('b')\nTEXT = f'{print(1)}'\n")
    loud = named(project.report("status", option)["rules"])["loud"]
    assert (loud["moves"], loud["others"]) == (1, 0)


ENDS = """\
from sglang.srt.runtime_context import get_context, get_schedule


def plain(server_args):
    return server_args.page_size, get_schedule().max_running_requests


def fresh(server_args):
    server_args = server_args or ServerArgs()
    return server_args.page_size, get_schedule().max_running_requests


def grow(ranks):
    get_context().override("grow", ep_size=ranks)


def nodes(server_args):
    return server_args.ep_size


SIZE = get_schedule().page_size
"""


def test_ends_that_are_out_of_step_move_as_the_accesses_that_they_are(tmp_path: Path) -> None:
    project = Dated(tmp_path)
    project.write("ratchet.toml", "root = 'sglang'\npacks = ['sglang']\n")
    project.write("sglang/_version.py", "__version__ = '0.5.17'\n")
    project.write("sglang/srt/pool.py", ENDS)
    rules = named(project.report("status")["rules"])
    found = {name: each for name, each in rules.items() if each["now"]}
    told = {name: (each["moves"], each["stays"], each["others"]) for name, each in found.items()}
    assert told == {
        "global-config-read": (0, {"mixed-origin": 1}, 0),
        "split-function": (1, {"mixed-origin": 1}, 0),
        "stale-read": (1, {}, 0),
        "supplied-config-read": (2, {}, 0),
        "unpublished-read": (0, {}, 1),
    }


@pytest.mark.slow
def test_what_can_move_is_what_the_plan_predicts(tmp_path: Path, trees_cache: Path) -> None:
    """The oracle counts again, by the accesses as they become."""
    options = Options(root=tree_of("0.5.17"), packs=("sglang",), cache_dir=trees_cache)
    with open_sessions(options, cwd=tmp_path) as (session,):
        moves = {each.rule.id: each.standing.moves for each in status(session).rules}
        predicted = {
            each.rule: each.before - each.after for each in settled_migration(session, WIDEST).baseline
        }
        # Others are told by a count of the whole tree, or moved by codemods of their own.
        others = {rule.id for rule in session.rules if rule.kind != "access"}
        assert {rule: count for rule, count in moves.items() if count and rule not in others} == predicted
        assert sum(len(sites) for _, sites in leftover(session).rules) > 1000


def test_a_table_of_nothing_is_left_out(project: Dated) -> None:
    for site in (HASTY, PATIENT):
        project.edit("src/shop/cart.py", site, "        pass\n")
    assert project.run("status", "settings-override").out == (
        "rule               now  first  can move  stay  because\n"
        "settings-override    0      2         0     0\n"
        "\n"
        "owner   now  first  can move  stay  because\n"
        "(none)    0      2         0     0\n"
    )
