"""The Python interface gives the verdicts that the commands give."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date

import pytest

import ratchet
from ratchet.errors import JudgeError, UsageError
from ratchet.model import Verdict
from ratchet.report import Context
from ratchet.report.json import render
from tests.cli.project import CART, Outcome, Project

NEW = CART + "\n    def slow(self):\n        self.settings.override('cart', retries=9)\n"


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
