"""`ratchet migrate --rule` over a small project: the whole of what it says, does and refuses."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tests.cli.project import Project

RULE = """\
title = "prints"
kind = "pattern"
why = "Nobody reads it."
instead = "Use the log."

[match]
patterns = ["print(...)"]
rewrite = "get_log().info(...)"

[codemod]
imports = ["shop.log.get_log"]

[[example]]
bad = '''
def f():
    print("a")
'''
good = "log('a')"
fixed = '''
from shop.log import get_log


def f():
    get_log().info("a")
'''
"""

SHELF = """\
def fill(print_):
    print("full", 1)


def empty(print):
    print("empty")
"""

BLANK = " "  # a line of the context
DIFF = f"""\
--- a/src/shop/shelf.py
+++ b/src/shop/shelf.py
@@ -1,5 +1,8 @@
+from shop.log import get_log
+
+
 def fill(print_):
-    print("full", 1)
+    get_log().info("full", 1)
{BLANK}
{BLANK}
 def empty(print):
"""

PLAN = """\
prints: 1 can move, 1 stay
  src/shop/shelf.py: 1 can move, 1 stay (shadowed-name 1)

1 site in 1 file can move, 1 stay
      1  shadowed-name
prints  2 → 1
typecheck: not run (--write runs it)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("GITHUB_ACTIONS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    made = Project.create(tmp_path / "work")
    made.write("rules/shop/prints.toml", RULE)
    made.write("src/shop/shelf.py", SHELF)
    made.write("src/shop/log.py", "def get_log():\n    return None\n")
    return made


def test_the_plan_and_the_diff(project: Project) -> None:
    outcome = project.run("migrate", "--rule=prints", "--diff")
    assert (outcome.code, outcome.out, outcome.err) == (0, DIFF + PLAN, "")
    assert project.read("src/shop/shelf.py") == SHELF


def test_a_module_that_is_to_be_imported_and_is_not_there(project: Project) -> None:
    (project.folder / "src/shop/log.py").unlink()
    said = (
        "note: what the rule prints writes imports shop.log, and the tree has no such file: write it, or"
        " correct the rule\n"
    )
    assert project.run("migrate", "--rule=prints").err == said
    assert said.strip() in project.run("migrate", "--rule=prints", "--write", "--allow-dirty").err


def test_check_ends_with_1_while_something_can_move(project: Project) -> None:
    assert project.run("migrate", "--rule=prints", "--check").code == 1
    project.write("src/shop/shelf.py", "def empty(print):\n    print(1)\n")
    assert project.run("migrate", "--rule=prints", "--check").code == 0


def test_json_and_the_story_of_one_site(project: Project) -> None:
    found = json.loads(project.run("migrate", "--rule=prints", "--format=json").out)
    schema = json.loads((resources.files("ratchet") / "schemas" / "migrate.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(found)
    (edit,), (skip,) = found["edits"], found["skips"]
    assert (edit["path"], edit["line"], edit["column"], edit["scope"]) == ("shelf.py", 2, 5, "fill")
    assert (edit["before"], edit["after"]) == ('print("full", 1)', 'get_log().info("full", 1)')
    assert edit["imports"] == ["shop.log.get_log"]
    assert (skip["line"], skip["reason"]) == (6, "shadowed-name")
    assert found["baseline"] == [{"rule": "prints", "before": 2, "after": 1}]
    told = project.run("migrate", "--rule=prints", f"--explain={skip['id']}").out
    assert "stays: shadowed-name: `print` is not the built-in one here" in told


def test_written_with_its_baseline_and_taken_back(project: Project) -> None:
    assert project.run("adopt", "prints").code == 0
    outcome = project.run("migrate", "--rule=prints", "--write", "--allow-dirty")
    assert outcome.code == 0, outcome.err
    assert 'get_log().info("full", 1)' in project.read("src/shop/shelf.py")
    assert project.run("check", "--rule=prints").code == 0
    again = project.run("migrate", "--rule=prints", "--write", "--allow-dirty")
    assert again.code == 0
    assert "0 sites in 0 files can move, 1 stay" in again.out
    assert project.run("migrate", "--undo").code == 0
    assert project.read("src/shop/shelf.py") == SHELF


def test_its_examples_are_tried(project: Project) -> None:
    assert project.run("test-rules", "prints").code == 0
    project.write("rules/shop/prints.toml", RULE.replace('get_log().info("a")', 'get_log().info("b")'))
    outcome = project.run("test-rules", "prints")
    assert outcome.code == 1
    assert 'the fixed code: its line 5 is `    get_log().info("a")`' in outcome.out


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("info(...)", "info($X)", "has the hole `$X`, which the pattern `print(...)` does not have"),
        (
            "get_log().info(...)",
            "if a: b",
            "is for patterns that are one expression or statement, and is one",
        ),
        ("get_log().info(...)", "a; b", "is for patterns that are one expression or statement, and is one"),
        ('["print(...)"]', '["import print"]', "only assignments, `del`, `assert`, `raise` and `return` are"),
        ("get_log().info(...)", "a = 1", "binds the name `a`, which the pattern `print(...)` does not bind"),
        ("get_log().info(...)", "yield 1", "has a `yield`, which makes another kind of function"),
        ('["print(...)"]', '["print($_)"]', "would lose what `$_` holds"),
        ('["print(...)"]', '["print($X)"]', "has `...`, which the pattern `print($X)` does not have"),
        ("get_log().info(...)", "f'{...}{$X}'", "has a hole inside of an f-string"),
        ("shop.log.get_log", "get_log", "`get_log` is no dotted name of something"),
        ("imports =", "import =", "unknown key `import`"),
        ("imports =", "surface = true\nimports =", "`surface` is for rules of kind `call`"),
        ("imports =", "own-name = true\nimports =", "`own-name` is for rules of kind `import` with `renamed"),
        ("imports =", 'versions = {">x" = {}}\nimports =', "`versions` is for rules of kind `call`"),
    ],
)
def test_what_a_rule_cannot_ask_for(project: Project, old: str, new: str, sentence: str) -> None:
    project.write("rules/shop/prints.toml", RULE.replace(old, new))
    outcome = project.run("migrate", "--rule=prints")
    assert outcome.code == 3
    assert sentence in outcome.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rule=prints", "--all"], "--all does not go with it"),
        (["--rule=prints", "--write", "--commit"], "--commit does not go with it"),
        (["--rule=nothing"], "no rule is called nothing"),
        (["--rule=settings-read"], "does not say what its sites become"),
    ],
)
def test_wrong_arguments(project: Project, arguments: list[str], sentence: str) -> None:
    outcome = project.run("migrate", *arguments)
    assert outcome.code == 2
    assert sentence in outcome.err
