"""The Python interface gives the verdicts that the commands give."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import ratchet
from ratchet import api
from ratchet.cli.blame_report import blame_json
from ratchet.cli.flow_report import flow_json
from ratchet.cli.plan_report import agenda_json
from ratchet.cli.status_report import status_json
from ratchet.errors import JudgeError, UsageError
from ratchet.history.document import history_json
from ratchet.model import Verdict
from ratchet.report import Context
from ratchet.report.json import render
from ratchet.report.values import head
from tests.cli.project import CART, Outcome, Project

NEW = CART + "\n    def slow(self):\n        self.settings.override('cart', retries=9)\n"


HEAD = head("any", "src/shop")
ENGINE = Path(__file__).parents[2] / "examples" / "engine" / "sglang"
READS = """\
from shop.context import get_settings


def wait():
    return get_settings().retries
"""
TILL = """\
from sglang.srt.runtime_context import get_schedule, publish


def run_till(server_args):
    publish(server_args, role="till")
    return get_schedule().page_size
"""


def reported(verdict: Verdict) -> object:
    """A verdict as the command line reports it; the root is named from another folder."""
    report = json.loads(render(verdict, Context(version=ratchet.__version__)))
    return {**report, "root": "src/shop"}


def said(outcome: Outcome) -> object:
    """What a command reported."""
    return json.loads(outcome.out)


def test_check(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", NEW)
    verdict = ratchet.check(cwd=adopted.folder)
    assert reported(verdict) == said(adopted.run("check", "--format=json"))
    assert (verdict.exit_code, [site.code for site in verdict.rules[0].new]) == (
        1,
        ["self.settings.override(retries)"],
    )


def test_check_of_a_part(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", NEW)
    verdict = ratchet.check(paths=["src/shop/context.py"], rules=["settings-override"], cwd=adopted.folder)
    expected = adopted.run("check", "src/shop/context.py", "--rule=settings-override", "--format=json")
    assert reported(verdict) == said(expected)


def test_check_of_unsaved_text(adopted: Project) -> None:
    verdict = ratchet.check(unsaved=("src/shop/cart.py", NEW), cwd=adopted.folder)
    expected = adopted.run("check", "--stdin-filename=src/shop/cart.py", "--format=json", stdin=NEW)
    assert reported(verdict) == said(expected)


def test_check_since(committed: Project) -> None:
    committed.write("src/shop/cart.py", NEW)
    verdict = ratchet.check(since="HEAD", cwd=committed.folder)
    assert reported(verdict) == said(committed.run("check", "--since=HEAD", "--format=json"))
    assert ratchet.check(staged=True, cwd=committed.folder).exit_code == 0


def test_the_date_is_the_callers(adopted: Project) -> None:
    adopted.write("src/shop/cart.py", NEW)
    adopted.run("allow", "settings-override", "cart.py", "--reason=soon", "--until=2030-01-31")
    for day, code in ((date(2030, 1, 31), 0), (date(2030, 2, 1), 1)):
        assert ratchet.check(today=day, cwd=adopted.folder).exit_code == code


def test_count(project: Project) -> None:
    verdict = ratchet.count(cwd=project.folder, cache=False)
    assert [(entry.rule.id, entry.count, entry.baseline) for entry in verdict.rules] == [
        ("settings-override", 2, None),
        ("settings-read", 1, None),
        ("shell", 0, None),
    ]
    namespace = ratchet.count(namespace="net", cwd=project.folder)
    assert [(entry.rule.id, entry.count) for entry in namespace.rules] == [("namespace:net", 3)]


def test_accesses(project: Project) -> None:
    of_file = ratchet.accesses("src/shop/cart.py", cwd=project.folder)
    of_text = ratchet.accesses(text=CART, cwd=project.folder)
    assert (of_file.path, of_text.path) == ("cart.py", "example.py")
    assert [access.code for access in of_file.accesses] == [access.code for access in of_text.accesses]
    assert len(of_file.accesses) == 5


def test_accesses_of_what_does_not_parse(project: Project) -> None:
    found = ratchet.accesses(text="def f(settings:\n", cwd=project.folder)
    assert found.accesses == ()
    assert [(problem.line, problem.message) for problem in found.problems] == [
        (1, "does not parse: '(' was never closed")
    ]


def body(outcome: Outcome) -> Any:
    """What a command reported, without the head."""
    return {key: value for key, value in json.loads(outcome.out).items() if key not in HEAD}


def test_status(committed: Project) -> None:
    found = api.status(cwd=committed.folder, rules=["settings-read"])
    assert body(committed.run("status", "settings-read", "--format=json")) == status_json(found)
    assert [(each.rule.id, each.standing.now, each.standing.first) for each in found.rules] == [
        ("settings-read", 1, 1)
    ]


def test_plan(committed: Project) -> None:
    committed.write("src/shop/new.py", READS)
    committed.write("src/shop/more.py", READS)
    made = api.plan(cwd=committed.folder, namespaces=["net"], max_sites=1, sample=1, seed="x")
    options = ("--namespace=net", "--max-sites=1", "--sample=1", "--seed=x")
    assert body(committed.run("plan", *options, "--format=json")) == agenda_json(made)
    assert [len(part.edits) for part in made.parts] == [1, 1]


def test_history(committed: Project) -> None:
    told = api.history(cwd=committed.folder, rules=["settings-override"], recount=True, last=1)
    options = ("settings-override", "--recount", "--last=1")
    assert body(committed.run("history", *options, "--format=json")) == history_json(told)
    assert [step.number for step in told.series[0].steps] == [2]


def test_blame(committed: Project) -> None:
    found = api.blame("settings-override", cwd=committed.folder)
    assert body(committed.run("blame", "settings-override", "--format=json")) == blame_json(found)
    assert len(found.origins) == 2


def test_flow(committed: Project) -> None:
    found = api.flow(cwd=committed.folder, field="timeout")
    assert body(committed.run("flow", "timeout", "--format=json")) == flow_json(found)
    assert [(story.field, len(story.ends)) for story in found.fields] == [("timeout", 3)]


def test_roles(tmp_path: Path) -> None:
    shutil.copytree(ENGINE, tmp_path / "sglang")
    (tmp_path / "sglang/srt/managers/till.py").write_text(TILL)
    with (tmp_path / "sglang/srt/runtime_context.py").open("a") as context:
        context.write('ROLE_NAMESPACE_SETS = {"till": frozenset({"schedule"})}\n')
    shown = api.roles(tmp_path, packs=["sglang"], cache=False, names=["till"], cwd=tmp_path)
    assert shown.report is not None
    told = [(role.name, sorted(role.names("reached"))) for role in shown.report.roles]
    assert (told, shown.exit_code) == ([("till", ["schedule"])], 0)


def test_what_is_not_known_raises_as_the_command_fails(project: Project) -> None:
    with pytest.raises(JudgeError, match="lies in no git repository"):
        api.history(cwd=project.folder)
    with pytest.raises(UsageError, match="no rule is called none"):
        api.status(rules=["none"], cwd=project.folder)
    with pytest.raises(JudgeError, match="does not say how processes publish"):
        api.roles(cwd=project.folder)
    with pytest.raises(TypeError, match="unexpected keyword argument 'pack'"):
        api.flow(pack="x")  # type: ignore[call-arg]


def test_every_function_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in api.__all__ if f"| `{name}(" not in text] == []


def test_errors(project: Project) -> None:
    with pytest.raises(UsageError, match="2 rules have no baseline"):
        ratchet.check(cwd=project.folder)
    with pytest.raises(UsageError, match="no rule is called none"):
        ratchet.count(rules=["none"], cwd=project.folder)
    with pytest.raises(JudgeError, match="there is no such folder"):
        ratchet.count("nowhere", cwd=project.folder)


def test_importing_it_costs_nothing() -> None:
    code = "import sys, ratchet; print([name for name in sys.modules if name.startswith('ratchet.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_it_does_not_have() -> None:
    with pytest.raises(AttributeError, match="module 'ratchet' has no attribute 'nothing'"):
        ratchet.nothing  # type: ignore[attr-defined]  # noqa: B018
