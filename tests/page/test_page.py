"""The page without a browser: what is known, what is missing, and that nothing of the tree is markup."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ratchet.page.document import SCRIPTS
from ratchet.report.values import head
from ratchet.wording import NO_FILES
from tests.history.dated import HASTY, LOUD, REFUSED, Dated
from tests.page import hostile

ASSETS = Path(__file__).parents[2] / "ratchet" / "page" / "assets"
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def written(project: Dated, *arguments: str, code: int = 0) -> str:
    """The page of a project, from a command that ends with this code."""
    outcome = project.run("report", "--html", "page.html", *arguments)
    assert outcome.code == code, outcome.err
    return project.read("page.html")


def data_of(page: str) -> Any:
    """The data that stands in a page."""
    (found,) = DATA.findall(page)
    return json.loads(found)


def by_name(entries: Any) -> dict[str, Any]:
    return {each["name"]: each for each in entries}


def test_rules_stand_as_in_status_and_check(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone")
    project.write("src/shop/new.py", "from shop.context import get_settings\n\nget_settings().timeout\n")
    data = data_of(written(project))
    rules = by_name(data["rules"])
    told = {name: (each["now"], each["baseline"], each["new"], each["first"]) for name, each in rules.items()}
    assert told == {
        "settings-override": (1, 1, 0, 2),
        "settings-read": (2, 1, 1, 1),
        "shell": (0, 0, 0, None),
    }
    status = by_name(project.report("status")["rules"])
    assert {name: each["stays"] for name, each in status.items()} == {
        name: dict(each["stays"]) for name, each in rules.items()
    }
    assert data["alarms"] == []


def test_every_site_has_its_code_and_its_fate(project: Dated) -> None:
    data = data_of(written(project))
    rows = data["sites"]["rows"]
    assert len(rows) == sum(each["now"] for each in data["rules"])
    for row in rows:
        line, moves, reason, start, lines = row[2], row[9], row[10], row[11], row[13]
        assert project.read(f"src/shop/{data['sites']['paths'][row[1]]}").split("\n")[line - 1] in lines
        assert start <= line < start + len(lines)
        assert not (moves and reason)


READER = """\
from shop.context import get_settings


def wait():
    settings = get_settings()
    return [settings.retries, 1]
"""


def hunks_of(data: Any, path: str) -> Any:
    """What the page proposes for a file."""
    sites = data["sites"]
    return sites["rewrites"][str(sites["paths"].index(path))]


def test_what_is_proposed_is_what_the_migration_writes(project: Dated) -> None:
    project.write("src/shop/new.py", READER)
    data = data_of(written(project))
    (row,) = (row for row in data["sites"]["rows"] if row[6] == "retries")
    rewrite = hunks_of(data, "new.py")
    assert (row[9], row[14]) == (1, [2])
    assert rewrite == {
        "hunks": [
            [1, ["from shop.context import get_settings"], ["from shop.context import get_net"]],
            [5, ["    settings = get_settings()"], []],
            [6, ["    return [settings.retries, 1]"], ["    return [get_net().retries, 1]"]],
        ],
        "along": [0, 1],
    }
    lines = READER.split("\n")
    for line, old, new in reversed(rewrite["hunks"]):
        lines[line - 1 : line - 1 + len(old)] = new
    project.commit_on(2, "a reader")
    project.run("migrate", "--all", "--writes", "--chains", "--write", "--no-typecheck")
    assert project.read("src/shop/new.py") == "\n".join(lines)


def test_what_the_codemod_of_a_rule_makes_is_said_in_words(project: Dated) -> None:
    """The lines that the page shows are those of the migration."""
    project.write("rules/shop/loud.toml", LOUD)
    project.write("src/shop/log.py", "def get_log(): ...\n")
    project.write("src/shop/new.py", f"{READER}\n\nprint(get_settings().retries)\n")
    assert project.run("adopt", "loud").code == 0
    (row,) = (row for row in data_of(written(project))["sites"]["rows"] if row[0] == "loud")
    said = "`ratchet migrate --rule loud` makes it get_log().info(get_settings().retries)"
    assert (row[9], row[14], row[15]) == (1, [], [said])


def test_what_the_rewriter_refuses_is_not_proposed(project: Dated) -> None:
    project.write("src/shop/new.py", REFUSED)
    data = data_of(written(project))
    (row,) = (row for row in data["sites"]["rows"] if row[6] == "retries")
    assert (row[9], row[10], row[14]) == (0, "optional-injection", [])
    assert data["sites"]["rewrites"] == {}


def test_the_burn_down_has_its_steps(project: Dated) -> None:
    project.edit("src/shop/cart.py", HASTY, "        pass\n")
    project.tighten()
    project.commit_on(3, "hasty is gone", "Ben")
    history = data_of(written(project))["history"]
    (series,) = (each for each in history["series"] if each["rule"] == "settings-override")
    assert [(step[0], step[2], step[3], step[4]) for step in series["steps"]] == [
        ("2026-01-01", "Ann", "start", 2),
        ("2026-01-03", "Ben", "hasty is gone", 1),
    ]
    assert all(chart.startswith("data:image/svg+xml;base64,") for chart in series["charts"])


def test_the_same_tree_gives_the_same_bytes(project: Dated) -> None:
    assert written(project) == written(project, "--jobs", "2", "--no-cache")


def test_only_the_rules_that_are_named(project: Dated) -> None:
    data = data_of(written(project, "settings-read"))
    assert [each["name"] for each in data["rules"]] == ["settings-read"]
    assert [each["rule"] for each in data["history"]["series"]] == ["settings-read"]


# What is missing


def test_without_a_repository_the_burn_down_is_not_known(tmp_path: Path) -> None:
    project = Dated(Dated.create(tmp_path / "new").folder)
    project.adopt()
    data = data_of(written(project))
    assert data["history"] == {
        "missing": "src/shop lies in no git repository, and the history of rules needs one"
    }
    assert data["head"] is None
    assert {each["first"] for each in data["rules"]} == {None}


def test_in_a_shallow_clone_the_burn_down_is_not_known(project: Dated, tmp_path: Path) -> None:
    project.commit_on(2, "more")
    project.git("clone", "--quiet", "--depth=1", f"file://{project.folder}", str(tmp_path / "shallow"))
    data = data_of(written(Dated(tmp_path / "shallow")))
    assert "shallow" in data["history"]["missing"]


def test_without_a_committed_baseline_the_burn_down_is_not_known(project: Dated) -> None:
    project.git("rm", "-r", "--quiet", "--cached", "baselines")
    project.git("commit", "--quiet", "--amend", "--message", "without")
    data = data_of(written(project))
    assert data["history"]["missing"].startswith("no commit of this branch holds a baseline")


def test_without_a_baseline_nothing_is_called_known(project: Dated) -> None:
    (project.folder / "baselines" / "settings-override.tsv").unlink()
    data = data_of(written(project))
    assert "settings-override" in data["unbased"]
    assert {row[8] for row in data["sites"]["rows"]} == {None}
    assert {each["baseline"] for each in data["rules"]} == {None}


def test_without_codeowners_nobody_is_named(project: Dated) -> None:
    assert "has no CODEOWNERS file" in data_of(written(project))["ownerless"]
    project.write("CODEOWNERS", "* @shop\n")
    data = data_of(written(project))
    assert (data["ownerless"], [each["name"] for each in data["owners"]]) == (None, ["@shop"])


def test_without_flow_rules_coherence_is_not_known(project: Dated) -> None:
    data = data_of(written(project))
    assert data["findings"] == {"missing": "no rule of the kind flow was asked for, or the packs have none"}


def test_roles_that_nobody_asked_for_are_not_known(project: Dated) -> None:
    assert "ratchet report --roles" in data_of(written(project))["roles"]["missing"]


def test_roles_of_a_pack_that_knows_no_publishing_are_not_known(project: Dated) -> None:
    told = data_of(written(project, "--roles"))["roles"]
    assert told == {
        "missing": "the pack shop does not say how processes publish: add [publishing] to its pack.toml"
    }


def test_a_file_that_cannot_be_judged_is_an_alarm(project: Dated) -> None:
    project.write("src/shop/bad.py", "def (get_settings\n")
    data = data_of(written(project, code=3))
    assert [alarm.partition(": not judged:")[0] for alarm in data["alarms"]] == ["bad.py:1"]
    assert data["outcome"].startswith("could not judge")


def test_a_tree_without_files_is_an_alarm(project: Dated) -> None:
    (project.folder / "empty").mkdir()
    outcome = project.run("report", "--html", "page.html", "--root", "empty", "--pack", "sglang")
    data = data_of(project.read("page.html"))
    assert (outcome.code, outcome.err.splitlines()[-1], data["alarms"]) == (3, NO_FILES, [NO_FILES])
    assert data["findings"] == {"missing": NO_FILES}


def test_a_damaged_baseline_is_an_alarm(project: Dated) -> None:
    project.write("baselines/settings-read.tsv", "<<<<<<< ours\n")
    data = data_of(written(project, code=3))
    assert any("settings-read.tsv" in alarm for alarm in data["alarms"])


def test_a_rule_that_there_is_not_is_a_wrong_argument(project: Dated) -> None:
    outcome = project.run("report", "--html", "page.html", "settings-raed")
    assert outcome.code == 2
    assert "no rule is called settings-raed" in outcome.err
    assert not (project.folder / "page.html").exists()


# The engine tree: what flow rules find, and roles

TILL = """\
from sglang.srt.runtime_context import get_schedule, publish


def run_till(server_args):
    publish(server_args, role="till")
    return get_schedule().page_size
"""
SETS = '\n\nROLE_NAMESPACE_SETS = {"till": frozenset({"schedule"})}\n'
EXAMPLE = Path(__file__).parents[2] / "examples" / "engine" / "sglang"


def test_the_engine_tree_with_all_rules_and_roles(tmp_path: Path) -> None:
    project = Dated(Dated.create(tmp_path / "work", {"ratchet.toml": "packs = ['sglang']\n"}).folder)
    shutil.copytree(EXAMPLE, project.folder / "sglang")
    project.write("sglang/srt/managers/till.py", TILL)
    context = project.read("sglang/srt/runtime_context.py")
    project.write("sglang/srt/runtime_context.py", context + SETS)
    data = data_of(written(project, "--roles"))
    flows = {each["name"]: each["now"] for each in data["rules"] if each["kind"] == "flow" and each["now"]}
    assert {row[0] for row in data["findings"]["rows"]} == set(flows)
    assert len(data["findings"]["rows"]) >= sum(flows.values()) > 0
    shown = project.report("roles")
    (till,) = data["roles"]["roles"]
    assert [role["name"] for role in shown["roles"]] == [till["name"]] == ["till"]
    assert till["reached"] == till["declared"] == ["schedule"]
    assert len(data["roles"]["unpublished"]) == len(shown["unpublished"])


# What a tree may hold


def test_nothing_of_the_tree_is_markup(project: Dated) -> None:
    project.write(hostile.PATH, hostile.CODE)
    project.write("CODEOWNERS", hostile.OWNERS)
    project.commit_on(2, hostile.SUBJECT)
    page = written(project)
    clean = Dated.start(project.folder.parent / "clean")
    assert re.findall(r"<[/!a-zA-Z][^>]*>", DATA.sub("", page)) == re.findall(
        r"<[/!a-zA-Z][^>]*>", DATA.sub("", written(clean))
    )
    (blob,) = DATA.findall(page)
    assert not set("<>&") & set(blob)
    assert blob.isascii()
    data = data_of(page)
    assert "<b>&amp;'q\\u202e.py" in data["sites"]["paths"]
    texts = "".join(text for row in data["sites"]["rows"] for text in row[13])
    assert hostile.CLOSING in texts
    assert "\\u202e\\u2028" in texts
    assert texts.isprintable()


def test_names_that_are_no_text_are_shown(project: Dated) -> None:
    path = project.folder / "src" / "shop" / "odd\udcff.py"
    try:
        path.write_text("from shop.context import get_settings\n\nget_settings().timeout\n")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system takes no such name")
    data = data_of(written(project))
    assert "odd\\xff.py" in data["sites"]["paths"]


def test_the_script_makes_no_markup_and_loads_nothing() -> None:
    script = "".join((ASSETS / name).read_text(encoding="utf-8") for name in SCRIPTS)
    markup = r"innerHTML|outerHTML|insertAdjacent|document\.write|DOMParser|createContextualFragment"
    assert re.findall(markup, script) == []
    assert re.findall(r"eval\(|Function\(|fetch\(|XMLHttp|import\(|https?:", script) == []
    assert re.findall(r"url\(|@import|https?:", (ASSETS / "page.css").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", sorted(ASSETS.iterdir()), ids=lambda path: path.name)
def test_the_parts_of_the_page_are_short(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("\n") < 400


def brightness(color: str) -> float:
    """The relative luminance of a color (WCAG 2.1)."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_stands_out_from_its_ground(scheme: int) -> None:
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    colors = dict(re.findall(r"--(\w+): (#\w{6})", re.findall(r":root \{(.*?)\}", style, re.DOTALL)[scheme]))
    shares = [f"share{number}" for number in range(5)]
    grounds = {
        "ink": ("ground", "raised", "old", "new", "here", *shares),
        "faint": ("ground", "raised", "old", "new", "here"),
        **dict.fromkeys(("accent", "good", "stale", "bad"), ("ground", "raised")),
    }
    for text, behind in grounds.items():
        for ground in behind:
            dark, bright = sorted((brightness(colors[text]), brightness(colors[ground])))
            assert (bright + 0.05) / (dark + 0.05) >= 4.5, f"{text} on {ground}"


def test_every_script_is_in_the_page() -> None:
    assert sorted(SCRIPTS) == sorted(path.name for path in ASSETS.glob("*.js"))


def test_what_was_written_as_json(project: Dated) -> None:
    outcome = project.run("report", "--html", "out/page.html", "--format", "json")
    told = json.loads(outcome.out)
    page = project.read("out/page.html")
    assert told == {
        **head("report", "src/shop"),
        "file": "out/page.html",
        "bytes": len(page.encode()),
        "sites": 3,
        "files": 1,
        "alarms": [],
        "exit_code": 0,
    }
    shutil.rmtree(project.folder / "out")
    assert project.run("report", "--html", "out/page.html").out == "out/page.html: 3 sites in 1 file\n"
